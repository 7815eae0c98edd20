import test from 'ava'
import { userProjection } from '../../projections/user.ts'
import { diffRows } from '../../src/read-models/lists/histories.ts'
import {
  alice,
  userAdded,
  userChanged,
  userCredentials,
  userErased,
  userRemoved,
  userRestored,
} from '../domain/builders.ts'
import { at } from '../domain/given-when-then.ts'
import { foldedBy } from '../read-models/given-then.ts'

const user = foldedBy(userProjection)
const QUOTA = { hours_per_week: 1.5, reservations_max: 20, priority_max: null }
const ADDED = at('05:58:11.400', userAdded({ quota: QUOTA, scope: 'rack=4' }))
const [CREATED, NOW] = ['2030-05-02T05:58:11.400Z', '2030-05-02T06:00:00.000Z']
const added = user(alice, ADDED).document

test('the document of a user has its fields in order, and nothing of its secrets', (t) => {
  const { document, ended } = user(alice, ADDED)
  t.is(
    JSON.stringify(document),
    JSON.stringify({
      ...{ _id: alice, role: 'tester', quota: QUOTA, scope: 'rack=4' },
      ...{ created_at: CREATED, updated_at: CREATED },
    }),
  )
  t.is(ended, null)
  // The log sorts members.
  const { hours_per_week, priority_max, reservations_max } = QUOTA
  const fromLog = user(
    alice,
    at('05:58:11.400', userAdded({ quota: { hours_per_week, priority_max, reservations_max } })),
  )
  t.is(JSON.stringify(fromLog.document?.quota), JSON.stringify(QUOTA))
  const plain = user(alice, at('06:00', userAdded({ role: 'administrator' }))).document
  t.like(plain, { role: 'administrator', quota: null, scope: '' })
})

test('a change sets its fields and updated_at', (t) => {
  const changed = at('06:00', userChanged({ quota: null, scope: '' }))
  t.deepEqual(user(alice, ADDED, changed).document, { ...added, quota: null, scope: '', updated_at: NOW })
})

test('a removed user has removed_at until it is restored', (t) => {
  const removed = at('06:00', userRemoved())
  const after = (...past: readonly ReturnType<typeof at>[]) => user(alice, ADDED, removed, ...past)
  t.is(
    JSON.stringify(after().document),
    JSON.stringify({ ...added, updated_at: NOW, removed_at: NOW }),
    'the last member',
  )
  t.is(after().ended, null)
  const restored = after(at('06:01', userRestored()))
  t.deepEqual(restored.document, { ...added, updated_at: '2030-05-02T06:01:00.000Z' })
  const again = after(at('06:01', userRestored()), at('06:02', userRemoved(alice, 'cancel'))).document
  t.is(again.removed_at, '2030-05-02T06:02:00.000Z')
})

test('an erased user keeps its document, with erased_at after removed_at', (t) => {
  const erased_at = '2030-05-02T06:01:00.000Z'
  const { document, ended } = user(alice, ADDED, at('06:00', userRemoved()), at('06:01', userErased()))
  t.is(JSON.stringify(document), JSON.stringify({ ...added, updated_at: erased_at, removed_at: NOW, erased_at }))
  t.is(ended, null)
})

test('an event of a user that was never added throws', (t) => {
  t.throws(() => user(alice, at('06:00', userRemoved())), { message: /UserRemoved came before/ })
})

test('a history shows what changed of a user', (t) => {
  const changes = (...past: readonly ReturnType<typeof at>[]) => {
    const before = past.length === 1 ? undefined : user(alice, ...past.slice(0, -1))
    return diffRows(before, user(alice, ...past))
  }
  t.deepEqual(changes(ADDED), [
    { path: '/role', from: null, to: 'tester' },
    { path: '/quota/hours_per_week', from: null, to: 1.5 },
    { path: '/quota/reservations_max', from: null, to: 20 },
    { path: '/scope', from: null, to: 'rack=4' },
  ])
  t.deepEqual(changes(ADDED, at('06:00', userChanged({ role: 'auditor', credentials: userCredentials(9, 'epoch') }))), [
    { path: '/role', from: 'tester', to: 'auditor' },
    { path: '/quota', from: { hours_per_week: 1.5, reservations_max: 20, priority_max: null }, to: null },
    { path: '/scope', from: 'rack=4', to: '' },
  ])
  const none = { hours_per_week: null, reservations_max: null, priority_max: null }
  const unlimited = at('06:00', userChanged({ quota: none }))
  const ofService = at('06:15', userChanged({ quota: null }))
  t.deepEqual(changes(ADDED, ofService, unlimited), [{ path: '/quota', from: null, to: none }])
  t.deepEqual(changes(ADDED, unlimited, ofService), [{ path: '/quota', from: none, to: null }])
  t.deepEqual(changes(ADDED, at('06:00', userRemoved())), [], 'the event itself has its time')
})
