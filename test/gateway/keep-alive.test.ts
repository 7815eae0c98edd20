import { readFileSync } from 'node:fs'
import test from 'ava'
import { startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'

/** `timer_active` of /proc/net/tcp for keep-alive, and jiffies in a second as user programs see them (proc(5)). */
const [KEEP_ALIVE, JIFFIES] = [2, 100]

/** Seconds until the system asks whether the other side is still there, by local and remote port; NaN if it never does. */
const keepAlives = (table: string): ReadonlyMap<string, number> => {
  const [, ...rows] = table.trim().split('\n')
  const portOf = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16)
  return new Map(
    rows.map((row) => {
      const [, local, remote, , , timer = ''] = row.trim().split(/\s+/)
      const [active, left] = timer.split(':').map((part) => Number.parseInt(part, 16))
      const seconds = active === KEEP_ALIVE ? (left ?? Number.NaN) / JIFFIES : Number.NaN
      return [`${portOf(local)} ${portOf(remote)}`, seconds] as const
    }),
  )
}

const readTable = (): string | undefined => {
  try {
    return readFileSync('/proc/net/tcp', 'utf8')
  } catch {
    return undefined
  }
}

test('TCP asks after a minute of silence whether either side is still there', async (t) => {
  const { sut, listenPort, see } = await startForwarded(t)
  const { socket } = await connectTo(t, listenPort)
  await see('the connection', ({ connected }) => connected.length === 1)
  const { socket: machine } = await sut.accepted()
  const table = readTable()
  if (table === undefined) return void t.pass('NOT CHECKED: there is no /proc/net/tcp')
  const seconds = keepAlives(table)
  for (const side of [`${listenPort} ${socket.localPort}`, `${machine.remotePort} ${sut.port}`]) {
    const left = seconds.get(side) ?? Number.NaN
    t.true(left > 30 && left <= 60, `${side}: ${left} s`)
  }
  t.is(seconds.get(`${socket.localPort} ${listenPort}`), Number.NaN, "control: the tests' own client never asks")
})
