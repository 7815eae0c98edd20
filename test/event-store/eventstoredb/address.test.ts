import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { leftOf, rightOf } from '../../users/builders.ts'

test('the address of one node without users is read', (t) => {
  t.deepEqual(rightOf(readEventStoreDbAddress('esdb://127.0.0.1:2114?tls=false')), {
    hosts: [{ address: '127.0.0.1', port: 2114 }],
    isDiscovered: false,
    tls: false,
  })
})

test('the address of a cluster with listed nodes and percent-encoded credentials is read', (t) => {
  const text = 'esdb://berth%40lab:p%3A%40%2Fss@one.lab.example:2113,two.lab.example/?tlsCAFile=.%2Fca.pem'
  t.deepEqual(rightOf(readEventStoreDbAddress(text)), {
    hosts: [
      { address: 'one.lab.example', port: 2113 },
      { address: 'two.lab.example', port: 2113 },
    ],
    isDiscovered: false,
    tls: true,
    credentials: { username: 'berth@lab', password: 'p:@/ss' },
    caFile: './ca.pem',
  })
})

test('the address of a cluster by DNS name with every option is read', (t) => {
  const options = [
    'tls=true',
    'nodePreference=Leader',
    'throwOnAppendFailure=true',
    'tlsVerifyCert=true',
    'connectionName=lab%201',
    'maxDiscoverAttempts=5',
    'discovery_interval=50',
    'gossip-timeout=3',
    'keepAliveInterval=15000',
    'keepAliveTimeout=5000',
    'defaultDeadline=2000',
  ]
  t.deepEqual(rightOf(readEventStoreDbAddress(`esdb+discover://a:b@cluster.lab.example?${options.join('&')}`)), {
    hosts: [{ address: 'cluster.lab.example', port: 2113 }],
    isDiscovered: true,
    tls: true,
    credentials: { username: 'a', password: 'b' },
    connectionName: 'lab 1',
    maxDiscoverAttempts: 5,
    discoveryInterval: 50,
    gossipTimeout: 3_000,
    keepAliveInterval: 15_000,
    keepAliveTimeout: 5_000,
    deadline: 2_000,
  })
})

const wrong: readonly (readonly [string, readonly RegExp[]])[] = [
  ['http://host:2113', [/must be like esdb:/]],
  ['esdb://', [/must list hosts/]],
  ['esdb://host:0?tls=false', [/must list hosts/]],
  ['esdb://host:70000?tls=false', [/must list hosts/]],
  ['esdb://one,,two?tls=false', [/must list hosts/]],
  ['esdb://only-a-name@host', [/name:password/]],
  ['esdb://a:%zz@host', [/name:password/]],
  ['esdb://host', [/must have a name and a password/]],
  ['esdb://a:b@host?tls=false', [/cannot have a password/]],
  ['esdb://a:b@10.0.0.1:2113', [/an IP address/]],
  ['esdb+discover://a:b@one,two', [/one host with esdb\+discover/]],
  ['esdb://host?tls=maybe', [/tls must be true or false/]],
  ['esdb://host?tls=false&nodePreference=random', [/must be leader/]],
  ['esdb://host?tls=false&keepAliveInterval=10', [/at least 10000/]],
  ['esdb://a:b@host?tlsVerifyCert=false', [/always verified/]],
  ['esdb://host?tls=false&userCertFile=x', [/not supported/]],
  ['esdb://host?tls=false&tlsCAFile=x', [/cannot have a tlsCAFile/]],
  ['esdb://host?tls=false&colour=red&tls=x', [/unknown option: "colour"/, /tls must be/]],
]

for (const [text, sentences] of wrong) {
  test(`${text} is refused with all its problems`, (t) => {
    const problems = leftOf(readEventStoreDbAddress(text))
    t.is(problems.length, sentences.length)
    for (const [n, sentence] of sentences.entries()) t.regex(problems[n] ?? '', sentence)
  })
}

test('address errors never include what may be a password', (t) => {
  for (const text of [
    'esdb://a:canary@10.0.0.1',
    'esdb://canary@host',
    'esdb://a:canary@host?tls=false',
    'canary://x',
  ]) {
    const read = readEventStoreDbAddress(text)
    t.true(E.isLeft(read))
    t.notRegex(leftOf(read).join(), /canary/)
  }
})
