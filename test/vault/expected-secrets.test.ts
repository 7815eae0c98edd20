import test from 'ava'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { makeExpectedSecrets } from '../../src/vault/expected-secrets.ts'

type Event = readonly [type: string, data: object]

/** What is expected after the stored events at positions from 0. */
const expectedAfter = (...events: readonly Event[]) => {
  const expected = makeExpectedSecrets()
  for (const [position, [type, data]] of events.entries()) {
    expected.add(
      toPublicPosition(position),
      JSON.stringify({ data, id: 'an id', metadata: {}, revision: position, stream: 's', type }),
    )
  }
  const owners = [...expected.owners].map(([owner, fields]) => [owner, Object.fromEntries(fields)] as const)
  return { owners: Object.fromEntries(owners), forgotten: [...expected.forgotten] }
}

const changed = (id: string, ...fields: readonly string[]) => ({ credentials: { id, changed: fields } })

const added = (_id: string): Event => ['UserAdded', { _id, role: 'tester', ...changed('c0', 'epoch', 'name') }]

test('the secrets of a user are expected as set by the last change of each', (t) => {
  const { owners } = expectedAfter(
    added('a:b'),
    ['UserChanged', { _id: 'a:b', ...changed('c1', 'name') }],
    ['UserChanged', { _id: 'a:b', role: 'auditor' }],
  )
  t.deepEqual(owners, { 'user:a:b': { epoch: { id: 'c0', position: 0 }, name: { id: 'c1', position: 1 } } })
})

test('a SUT and a user with the same id are different owners', (t) => {
  const { owners } = expectedAfter(added('x'), ['SutCreated', { _id: 'x', ...changed('c1', 'password') }])
  t.deepEqual(Object.keys(owners), ['user:x', 'x'])
  t.deepEqual(owners.x, { password: { id: 'c1', position: 1 } })
})

test('an erased user has no secrets any more; a removed one keeps them', (t) => {
  const removed: Event = ['UserRemoved', { _id: 'x', reservations: 'keep' }]
  t.deepEqual(Object.keys(expectedAfter(added('x'), removed).owners['user:x'] ?? {}), ['epoch', 'name'])
  t.deepEqual(expectedAfter(added('x'), added('y'), removed, ['UserErased', { _id: 'x' }]).owners, {
    'user:x': {},
    'tokens:x': {},
    'user:y': { epoch: { id: 'c0', position: 1 }, name: { id: 'c0', position: 1 } },
  })
})

test('names of tokens are expected of their user until it is erased, also when they were revoked', (t) => {
  const issued = (_id: string, user_id: string): Event => ['TokenIssued', { _id, user_id, ...changed(`c-${_id}`, _id) }]
  const events = [
    issued('t1', 'x'),
    issued('t2', 'x'),
    issued('t3', 'y'),
    ['TokenRevoked', { _id: 't1', user_id: 'x' }],
  ]
  const { owners } = expectedAfter(...(events as readonly Event[]))
  const ofY = { t3: { id: 'c-t3', position: 2 } }
  t.deepEqual(owners, {
    'tokens:x': { t1: { id: 'c-t1', position: 0 }, t2: { id: 'c-t2', position: 1 } },
    'tokens:y': ofY,
  })
  const erased = expectedAfter(...(events as readonly Event[]), ['UserErased', { _id: 'x' }]).owners
  t.deepEqual(erased, { 'tokens:x': {}, 'tokens:y': ofY, 'user:x': {} })
})

test('text inside an event is not taken for its type', (t) => {
  const text = '","type":"UserErased"}'
  const { owners, forgotten } = expectedAfter(
    added('x'),
    ['SutUpdated', { _id: 'x', description: text }],
    ['SutUpdated', { _id: '"type":"VaultKeyForgotten"}', ...changed('c2', 'password') }],
  )
  t.deepEqual(Object.keys(owners), ['user:x', '"type":"VaultKeyForgotten"}'])
  t.deepEqual(Object.keys(owners['user:x'] ?? {}), ['epoch', 'name'])
  t.deepEqual(forgotten, [])
})

test('a forgotten key is known by its id, and an unreadable event is ignored', (t) => {
  t.deepEqual(expectedAfter(['VaultKeyForgotten', { key: 'k1', secrets: 3 }]).forgotten, ['k1'])
  const expected = makeExpectedSecrets()
  for (const text of ['', 'null', '{"data":null,"type":"UserErased"}', '"credentials":{', '{"type":"UserErased"}'])
    t.notThrows(() => expected.add(toPublicPosition(0), text))
})
