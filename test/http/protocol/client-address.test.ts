import test from 'ava'
import fc from 'fast-check'
import { makeClientAddresses, parseAddress } from '../../../src/http/protocol/client-address.ts'
import { anyCharacter } from '../../characters.ts'

/** A request from a peer. */
const from = (remoteAddress: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as Parameters<
    ReturnType<typeof makeClientAddresses>['clientOf']
  >[0]

const PROXIES = makeClientAddresses([
  { family: 'ipv4', address: '10.0.0.0', prefix: 8 },
  { family: 'ipv6', address: 'fd00::', prefix: 8 },
])
const NO_PROXIES = makeClientAddresses([])
const CLIENT = '192.0.2.7'

const forwardedCases: readonly (readonly [what: string, header: Readonly<Record<string, string>>, client: string])[] = [
  ['one address', { 'x-forwarded-for': '192.0.2.7' }, CLIENT],
  ['an address with a port', { 'x-forwarded-for': '192.0.2.7:4711' }, CLIENT],
  ['an address sent by the client before it', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7' }, CLIENT],
  ['proxies after it', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7, 10.1.1.1,fd00::9' }, CLIENT],
  ['gaps in the list', { 'x-forwarded-for': ', 192.0.2.7 ,, 10.1.1.1 ,' }, CLIENT],
  ['an IPv6 address', { 'x-forwarded-for': '2001:DB8::0:1' }, '2001:db8::1'],
  ['an IPv6 address with a port', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
  ['an IPv4-mapped IPv6 address', { 'x-forwarded-for': '::ffff:192.0.2.7' }, CLIENT],
  ['only proxies', { 'x-forwarded-for': '10.1.1.1, 10.1.1.2' }, '10.1.1.1'],
  ['no address', { 'x-forwarded-for': 'unknown' }, '10.0.0.1'],
  ['an address followed by a host name', { 'x-forwarded-for': '192.0.2.7, lab.example' }, '10.0.0.1'],
  ['an empty header', { 'x-forwarded-for': '' }, '10.0.0.1'],
]

for (const [what, headers, client] of forwardedCases) {
  test(`a trusted proxy that sends ${what}: the client is ${client}`, (t) => {
    t.is(PROXIES.clientOf(from('10.0.0.1', headers)), client)
    t.is(PROXIES.clientOf(from('::ffff:10.0.0.1', headers)), client)
  })
}

test('forwarding headers of an untrusted peer are ignored', (t) => {
  for (const [, headers] of forwardedCases) {
    t.is(PROXIES.clientOf(from('198.51.100.1', headers)), '198.51.100.1')
    t.is(NO_PROXIES.clientOf(from('10.0.0.1', headers)), '10.0.0.1')
  }
})

test('a closed connection has no address and is not a proxy', (t) => {
  t.is(PROXIES.clientOf(from(undefined, { 'x-forwarded-for': CLIENT })), 'unknown')
})

test('property: a client cannot forge its address with text before the proxy’s', (t) => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom(...'[]":;,\\ _.1a', '1.2.3.4', ', ') }),
  )
  fc.assert(
    fc.property(text, (spoof) => {
      t.is(PROXIES.clientOf(from('10.0.0.1', { 'x-forwarded-for': `${spoof}, ${CLIENT}` })), CLIENT, spoof)
      const alone = PROXIES.clientOf(from('10.0.0.1', { 'x-forwarded-for': spoof }))
      t.is(parseAddress(alone), alone, spoof)
    }),
    { numRuns: 2000 },
  )
})

test('a field of the maximum header length is read quickly, whatever it contains', (t) => {
  const began = performance.now()
  for (const piece of [' ', 'a', ',', '[', '1.1.1.1,', '10.0.0.1,']) {
    PROXIES.clientOf(from('10.0.0.1', { 'x-forwarded-for': piece.repeat(32_768 / piece.length) }))
  }
  t.true(performance.now() - began < 1_000)
})

test('all spellings of an address are normalised to one', (t) => {
  const spellings = ['2001:db8:0:0:0:0:0:1', '2001:DB8::1', '2001:0db8::0001', '2001:db8::1%eth0']
  t.deepEqual(new Set(spellings.map(parseAddress)), new Set(['2001:db8::1']))
  t.is(parseAddress('::FFFF:192.0.2.7'), CLIENT)
  t.is(parseAddress('::ffff:c000:207'), CLIENT)
  for (const none of ['', 'lab.example', '192.0.2.256', '[::1]', '192.0.2.7:80', ' 192.0.2.7']) {
    t.is(parseAddress(none), undefined, none)
  }
})
