import { isIP } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import {
  listedAddress,
  makeClientAddresses,
  nodeAddress,
  parseAddress,
  parseForwarded,
  parseForwardedFor,
} from '../../../src/http/protocol/client-address.ts'
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
  ['one address in Forwarded', { forwarded: 'for=192.0.2.7' }, CLIENT],
  ['more than the address', { forwarded: 'By="10.0.0.1"; FOR=192.0.2.7;proto=https;host="lab.example:8080"' }, CLIENT],
  ['a quoted address with a port', { forwarded: 'for="192.0.2.7:4711"' }, CLIENT],
  ['a quoted address with a hidden port', { forwarded: 'for="192.0.2.7:_p"' }, CLIENT],
  ['a quoted pair', { forwarded: 'for="192.0.\\2.7"' }, CLIENT],
  ['a port and a host without their quotes', { forwarded: 'for=192.0.2.7:4711;host=lab.example:8080' }, CLIENT],
  ['an IPv6 address in Forwarded', { forwarded: 'for="[2001:db8::1]:4711"' }, '2001:db8::1'],
  ['several hops', { forwarded: 'for=203.0.113.9, for=192.0.2.7;by=10.1.1.1, for=10.1.1.1' }, CLIENT],
  ['commas and semicolons in quotes', { forwarded: 'for=203.0.113.9;x="a, for=1.2.3.4;", for=192.0.2.7' }, CLIENT],
  ['a hidden address', { forwarded: 'for=192.0.2.7, for=_hidden' }, '10.0.0.1'],
  ['a hop without an address', { forwarded: 'for=192.0.2.7, proto=https' }, '10.0.0.1'],
  ['a quote left open by the client', { forwarded: 'for="192.0.2.9, for=192.0.2.7' }, '10.0.0.1'],
  ['a quote left open by the client before an address', { forwarded: 'x=", for="192.0.2.7"' }, '10.0.0.1'],
  ['two addresses in one hop', { forwarded: 'for=192.0.2.7;for=192.0.2.9' }, '10.0.0.1'],
  ['no pairs', { forwarded: '192.0.2.7' }, '10.0.0.1'],
  ['the same address in both headers', { forwarded: 'for=192.0.2.7', 'x-forwarded-for': '192.0.2.7' }, CLIENT],
  ['different addresses in both headers', { forwarded: 'for=192.0.2.9', 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1'],
  ['nonsense in one header', { forwarded: 'for="', 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1'],
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
  const text = fc.string({ unit: fc.constantFrom(...'for="[]:;,\\ _.1a', 'for=1.2.3.4', ', ', '"') })
  fc.assert(
    fc.property(text, (spoof) => {
      const forwarded = `${spoof}, for=${CLIENT};proto="https"`
      t.true([CLIENT, '10.0.0.1'].includes(PROXIES.clientOf(from('10.0.0.1', { forwarded }))), spoof)
      t.is(PROXIES.clientOf(from('10.0.0.1', { 'x-forwarded-for': `${spoof}, ${CLIENT}` })), CLIENT, spoof)
    }),
    { numRuns: 2000 },
  )
})

const address = fc.oneof(fc.ipV4(), fc.ipV6())
const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,8}$/)
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const pair = fc
  .tuple(token, fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }))
  .filter(([name]) => name.toLowerCase() !== 'for')
  .map(([name, value]) => [name.toLowerCase(), `${name}=${quoted(value)}`] as const)
const others = fc.uniqueArray(pair, { selector: ([name]) => name, maxLength: 3 })

test('property: every well-formed Forwarded is parsed into its addresses in order', (t) => {
  const hop = fc.record({ node: address, others, at: fc.nat(), between: fc.constantFrom(',', ', ', ' ,\t') })
  fc.assert(
    fc.property(fc.array(hop, { minLength: 1, maxLength: 5 }), (hops) => {
      const field = hops
        .map(({ node, others, at, between }, i) => {
          const pairs = others.map(([, text]) => text)
          pairs.splice(at % (pairs.length + 1), 0, `for=${quoted(isIP(node) === 6 ? `[${node}]` : node)}`)
          return `${i === 0 ? '' : between}${pairs.join(';')}`
        })
        .join('')
      t.deepEqual(
        parseForwarded(field)?.map(nodeAddress),
        hops.map(({ node }) => parseAddress(node)),
        field,
      )
    }),
  )
})

test('property: no text makes the parsers throw or return an invalid address', (t) => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom(...'for=[]":;,\\ .1a%/') }),
  )
  fc.assert(
    fc.property(text, (field) => {
      const standard = (parseForwarded(field) ?? []).map(nodeAddress)
      for (const hop of [...standard, ...parseForwardedFor(field).map(listedAddress)]) {
        t.true(hop === undefined || (isIP(hop) !== 0 && parseAddress(hop) === hop), String(hop))
      }
    }),
    { numRuns: 2000 },
  )
})

test('a field of the maximum header length is parsed quickly, whatever it contains', (t) => {
  const began = performance.now()
  for (const piece of [' ', '\t;', 'a', 'a=', 'a=b', '"', 'a="\\', ',', ';', '=', '[', 'for=1.1.1.1,', '1.1.1.1,']) {
    const field = piece.repeat(32_768 / piece.length)
    for (const text of [field, `a=b${field}x`, `a="${field}`]) parseForwarded(text)
    parseForwardedFor(field)
  }
  t.true(performance.now() - began < 2_000)
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
