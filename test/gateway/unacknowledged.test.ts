import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readLines, readTables, readUnacknowledged } from '../../src/gateway/worker/unacknowledged.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'

/** As Linux 6.18 wrote them: to a peer that had vanished 8 s before, and to one that reads nothing but answers. */
const IPV4 = `\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
  17: 00000000:7A6A 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 354103 1 00000000c5f17e48 100 0 0 10 0
  33: 014EC70A:7A6A 024EC70A:C9EC 01 00023490:00000000 01:000001C6 00000005     0        0 354127 2 00000000a5daab16 652 0 0 1 -1
  46: 0100007F:7A6A 0100007F:DC44 01 003B5000:00000000 04:00000113 00000000     0        0 354107 2 000000000f9ba729 22 0 0 17 -1
 173: 0100007F:DC44 0100007F:7A6A 01 00000000:0001F8C0 00:00000000 00000000     0        0 354105 1 0000000013428170 20 20 0 10 -1
`
const IPV6 = `\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:7A6B 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 354104 1 00000000eac0f680 100 0 0 10 0
   1: 780000FD000000000000000001000000:7A6B 780000FD000000000000000002000000:8764 01 0002336C:00000000 01:000001C3 00000005     0        0 354128 2 00000000920f29e1 652 0 0 1 -1
`
/** To IPv4 from a port that listens on IPv6 too: 0.95, 13 and 23 s after the peer had vanished, and with nothing lost. */
const MAPPED = [
  '01 00000064:00000000 01:00000012 00000000     0        0 331375 2 000000002a02b809 20 0 0 68 -1',
  '01 00000834:00000000 01:0000002C 00000002     0        0 331375 2 000000002a02b809 81 0 0 1 -1',
  '01 00006464:00000000 01:0000000E 00000005     0        0 331375 2 000000002a02b809 652 0 0 1 -1',
  '01 0000AFC8:00000000 01:0000014B 00000006     0        0 331375 2 000000002a02b809 1305 0 0 1 -1',
].map((row) => `   1: 0000000000000000FFFF0000014DC70A:7A69 0000000000000000FFFF0000024DC70A:8D42 ${row}\n`)

test('the kernel tells for how long a connection has sent in vain, and of no other that it does', (t) => {
  t.deepEqual(
    [...readUnacknowledged(`${IPV4}${IPV6}`)].map(([key, ms]) => [key, Math.round(ms)]),
    [
      ['10.199.78.1 31338 10.199.78.2 51692', 8_296],
      ['fd00:78::1 31339 fd00:78::2 34660', 8_326],
    ],
  )
  const found = MAPPED.map((row) => [...readUnacknowledged(row)].map(([key, ms]) => [key, Math.round(ms)]))
  const key = '10.199.77.1 31337 10.199.77.2 36162'
  t.deepEqual(found, [[], [[key, 978]], [[key, 12_696]], [[key, 22_586]]])
})

test('what is no table of connections has none', (t) => {
  for (const text of ['', 'x', IPV4.slice(0, 100), IPV4.slice(0, 290)]) t.is(readUnacknowledged(text).size, 0)
})

test('a table of 20,000 connections is read whole, in pieces of whole rows that take no time', async (t) => {
  const path = join(await temporaryDirectory(t), 'tcp')
  const row = (port: number): string => (MAPPED[2] ?? '').replace('8D42', port.toString(16).toUpperCase())
  writeFileSync(path, Array.from({ length: 20_000 }, (_, n) => row(0x8000 + n)).join(''))
  for await (const rows of readLines(path)) t.true(rows.length < 70_000 && rows.endsWith('\n'), `${rows.length}`)
  t.is((await readTables([path, join(path, 'none')])).size, 20_000)
})
