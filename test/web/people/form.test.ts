import test from 'ava'
import {
  changesOf,
  creationOf,
  EMPTY,
  OF_QUOTA,
  toDefault,
  typeLimit,
  valuesOf,
  wrongLimits,
} from '../../../src/web/features/people/person-values.ts'
import type { User } from '../../../src/web/features/people/user.ts'
import { differing, revisionOf } from '../../../src/web/parts/commands/merge.ts'

const quota = { hours_per_week: 40, reservations_max: 20, priority_max: 0 }
const anna: User = {
  _id: '1',
  name: 'anna',
  role: 'tester',
  quota,
  scope: 'rack=3',
  created_at: '2030-01-01T00:00:00Z',
  updated_at: '2030-01-01T00:00:00Z',
}
const saved = valuesOf(anna, null)
const ofService = valuesOf({ ...anna, quota: null }, { ...quota, hours_per_week: null })

test('a form sends only what differs, with an emptied limit as no limit', (t) => {
  t.deepEqual(changesOf(saved, saved), {})
  const typed = typeLimit({ ...saved, name: ' ann ', scope: '' }, saved, 'hours', '12,5')
  t.deepEqual(changesOf(typed, saved), { name: 'ann', quota: { hours_per_week: 12.5 }, scope: '' })
  t.deepEqual(changesOf(typeLimit(saved, saved, 'reservations', ''), saved), { quota: { reservations_max: null } })
})

test('a limit typed over the quota of the service is sent alone', (t) => {
  t.deepEqual(changesOf(typeLimit(ofService, ofService, 'hours', '8'), ofService), { quota: { hours_per_week: 8 } })
})

test('back to the default sends null, and a limit typed after it keeps the others of one’s own', (t) => {
  const back = toDefault(saved, saved)
  t.deepEqual(changesOf(back, saved), { quota: null })
  t.deepEqual(changesOf(typeLimit(back, saved, 'hours', '8'), saved), { quota: { hours_per_week: 8 } })
  t.deepEqual(changesOf(toDefault(typeLimit(ofService, ofService, 'hours', '8'), ofService), ofService), {})
})

test('another role is sent without the quota and the scope that only testers have', (t) => {
  const typed = typeLimit({ ...saved, role: 'auditor', scope: 'rack=4' }, saved, 'hours', '8')
  t.deepEqual(changesOf(typed, saved), { role: 'auditor' })
})

test('somebody is added with what was typed, and with a password only if one was', (t) => {
  const typed = typeLimit({ ...EMPTY, name: 'bert' }, EMPTY, 'reservations', '5')
  t.deepEqual(creationOf({ ...typed, password: '' }), { name: 'bert', role: 'tester', quota: { reservations_max: 5 } })
  t.deepEqual(creationOf({ ...EMPTY, name: 'bert', role: 'auditor', password: 'correct horse' }), {
    ...{ name: 'bert', role: 'auditor', password: 'correct horse' },
  })
})

test('a limit that is no number is not sent', (t) => {
  t.deepEqual(wrongLimits(typeLimit(saved, saved, 'hours', 'many')), ['hours'])
  t.deepEqual(wrongLimits(typeLimit(saved, saved, 'hours', '-1')), ['hours'])
  t.deepEqual(wrongLimits(typeLimit(saved, saved, 'hours', ' ')), [])
})

test('what is typed stays on top of what others have changed: the quota as a whole', (t) => {
  const newest = valuesOf({ ...anna, name: 'anne', scope: 'rack=4', quota: null }, null)
  const typed = typeLimit({ ...saved, scope: 'rack=5' }, saved, 'hours', '8')
  t.deepEqual({ ...newest, ...differing(typed, saved, OF_QUOTA) }, { ...typed, name: 'anne' })
  t.deepEqual(differing(saved, saved), {})
  t.deepEqual(differing({ name: 'anna', tags: { rack: '3' } }, { name: 'anna', tags: {} }), { tags: { rack: '3' } })
})

test('an ETag says which change of a record was read: a probe is none', (t) => {
  for (const tag of ['"12"', 'W/"12"', '"12.1"']) t.is(revisionOf(tag), 12, tag)
})
