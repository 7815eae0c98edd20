import { isIPv4, isIPv6 } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { address } from '../../../src/domain/codec/codec.ts'
import { arbitraryAddress } from '../arbitrary-events.ts'

const problemsOf = (sent: unknown): readonly string[] => {
  const read = address.decode(sent)
  return E.isRight(read) ? [] : read.left.map(({ message }) => `${message}`)
}

const x = (count: number): string => 'x'.repeat(count)

const label63 = x(63)
const longestName = `${label63}.${label63}.${label63}.${x(61)}`
const addresses = [
  ...['localhost', 'bench-4', 'A.b-c.D9', '3com.example', 'xn--mnchen-3ya.example', label63, longestName, 'a.0xyz'],
  ...['0.0.0.0', '192.168.9.5', '255.255.255.255', '1.2.3.4a'],
  ...['::', '::1', '2001:db8::1', 'FE80::A', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::'],
  ...['::ffff:192.168.9.5', '64:ff9b::192.0.2.33', '1:2:3:4:5:6:1.2.3.4'],
]
const noAddresses = [
  ...['', ' ', 'host name', 'host\n', ' host', 'http://host', 'host:80', 'host/24', 'user@host', 'münchen.example'],
  ...['a_b', '-a', 'a-', 'a.-b', '.', '.a', 'a.', 'a..b', 'host.example.'],
  ...[x(64), `${longestName}x`, `${longestName}.x`],
  ...['256.1.1.1', '1.2.3', '1.2.3.4.5', '1.2.3.4.', '01.2.3.4', '1.2.3.04', '1.2.3.00', '1.2.3.-4', '2130706433', '1'],
  ...['0x7f.0.0.1', '127.0.0.0x1', '0x7f000001', 'host.0x', 'host.9', 'host.007', '１２７.0.0.1'],
  ...['[::1]', '::1%eth0', 'fe80::1%1', ':', ':::', '1::2::3', '12345::', 'g::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9'],
  ...['::1.2.3', '::1.2.3.256', '::01.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', '::1.2.3.4:5', '::1/128', '.::', '...'],
]
for (const accepted of addresses) {
  test(`${accepted} is an address`, (t) => {
    t.deepEqual(address.decode(accepted), E.right(accepted))
  })
}
for (const refused of noAddresses) {
  test(`${JSON.stringify(refused)} is not an address`, (t) => {
    t.deepEqual(problemsOf(refused), ['must be a host name or an IP address'])
  })
}

test("property: IP addresses are those that Node's net module accepts", (t) => {
  t.is(longestName.length, 253)
  fc.assert(fc.property(arbitraryAddress(), (any) => t.true(address.is(any), any)))
  const colons = fc.string({ unit: fc.constantFrom('0', '1', 'f', ':', ':', '::', '.', '1.2.3.4'), maxLength: 20 })
  const likeIpv6 = fc.property(colons, (any) => t.is(address.is(`${any}:1`), isIPv6(`${any}:1`), any))
  fc.assert(likeIpv6, { numRuns: 500 })
  const part = fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.constantFrom('00', '01', '', '0255'))
  const likeIpv4 = fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
    t.is(address.is(parts.join('.')), isIPv4(parts.join('.')), parts.join('.'))
  })
  fc.assert(likeIpv4, { numRuns: 500 })
})
