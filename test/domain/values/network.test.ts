import { BlockList, isIP } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import { networkOf } from '../../../src/domain/values/network.ts'
import { parseAddress } from '../../../src/http/protocol/client-address.ts'

for (const [what, one, other, prefix, isSame] of [
  ['loopback addresses', '127.0.0.1', '127.8.9.1', 128, true],
  ['loopback addresses of both versions', '127.0.0.1', '::1', 128, true],
  ['two IPv4 addresses', '10.0.0.1', '10.0.0.2', 64, false],
  ['two IPv6 addresses', '2001:db8::1', '2001:db8::2', 128, false],
  ['two IPv6 addresses of one /64', '2001:db8::1', '2001:db8::ffff:2', 64, true],
  ['two IPv6 networks of /64', '2001:db8:0:1::1', '2001:db8:0:2::1', 64, false],
  ['two IPv6 networks of one /60', '2001:db8:0:10::1', '2001:db8:0:1f::1', 60, true],
  ['two IPv6 networks of /61', '2001:db8:0:10::1', '2001:db8:0:18::1', 61, false],
] as const) {
  test(`${what} with a prefix of ${prefix} are ${isSame ? 'one client' : 'two clients'}: ${one}, ${other}`, (t) => {
    t.is(networkOf(one, prefix) === networkOf(other, prefix), isSame)
  })
}

test('the network of an IPv6 address is its first bits, that of an IPv4 address is itself', (t) => {
  t.is(networkOf('192.0.2.7', 64), '192.0.2.7')
  t.is(networkOf('2001:db8:1:2:3:4:5:6', 64), '2001:db8:1:2:0:0:0:0')
  t.is(networkOf('2001:db8::', 64), '2001:db8:0:0:0:0:0:0')
  t.is(networkOf('1::2:3:4:5:6:7', 64), '1:0:2:3:0:0:0:0')
  t.is(networkOf('2001:db8:1:2:3:4:5:6', 128), '2001:db8:1:2:3:4:5:6')
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
      const [one, other] = [parseAddress(a), parseAddress(b)] as [string, string]
      fc.pre([one, other].every((address) => isIP(address) === 6 && address !== '::1'))
      const network = new BlockList()
      network.addSubnet(one, 64, 'ipv6')
      t.is(networkOf(one, 64) === networkOf(other, 64), network.check(other, 'ipv6'))
    }),
    {
      examples: [
        ['2001:db8::1', '2001:db8::ffff:1:1:1'],
        ['2001:db8:0:1::', '2001:db8::'],
      ],
    },
  )
})
