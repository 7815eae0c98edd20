import test from 'ava'
import type { ListedUser } from '../../../src/web/features/people/user.ts'
import { ordered, tagsOfScope, toUser } from '../../../src/web/screens/people/people-list.ts'

const CHANGED = { created_at: '2030-01-01T00:00:00Z', updated_at: '2030-01-01T00:00:00Z' }
const person = (name: string, hours: number, role: ListedUser['role'] = 'tester'): ListedUser => ({
  ...{ _id: name, name, role, quota: null, scope: '', ...CHANGED },
  used: { hours, reservations: 1, week: '2030-W01', quota: null },
})
const people = [person('lab 10', 3), person('audrey', 0, 'auditor'), person('lab 9', 7)]
const names = (users: readonly ListedUser[]): readonly string[] => users.map(({ name }) => name)

test('people stand in the order of a column, those without a value last in both directions', (t) => {
  t.deepEqual(names(ordered(people, { by: 'name', isDescending: false })), ['audrey', 'lab 9', 'lab 10'])
  t.deepEqual(names(ordered(people, { by: 'week', isDescending: false })), ['lab 10', 'lab 9', 'audrey'])
  t.deepEqual(names(ordered(people, { by: 'week', isDescending: true })), ['lab 9', 'lab 10', 'audrey'])
})

test('a scope is shown tag by tag', (t) => {
  t.deepEqual(tagsOfScope('team=qa1,rack=4'), ['team=qa1', 'rack=4'])
  t.deepEqual(tagsOfScope(''), [])
})

test('a row of a file has its quota in numbers, none as no limit, and default as the one of the service', (t) => {
  const row = { name: 'erin', role: 'tester', scope: 'team=qa1' }
  t.deepEqual(toUser({ ...row, quota: 'hours_per_week=12.5, reservations_max=none' }), {
    ...row,
    quota: { hours_per_week: 12.5, reservations_max: null },
  })
  t.deepEqual(toUser({ ...row, quota: 'default' }), { ...row, quota: null })
  t.deepEqual(toUser(row), row)
})

test('what a quota of a file has wrong is sent as it stands, for the service to name it', (t) => {
  t.deepEqual(toUser({ name: 'erin', quota: 'hours_per_week=many,40' }), {
    ...{ name: 'erin', quota: { hours_per_week: 'many', 40: '' } },
  })
})
