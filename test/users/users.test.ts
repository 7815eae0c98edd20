import test from 'ava'
import fc from 'fast-check'
import { fits } from '../../src/domain/user/scope.ts'
import type { UserState } from '../../src/domain/user/state.ts'
import { cheapHash, signal } from './builders.ts'
import { aLogOfUsers } from './log-of-users.ts'

test('users are found by id, and by name in any case and spelling, and have no hash', async (t) => {
  const { users } = await aLogOfUsers(t, ['Zoë', 'straße'])
  t.deepEqual(users.list(), [
    { _id: 'id-of-Zoë', name: 'Zoë', role: 'tester', accessSince: 0 },
    { _id: 'id-of-straße', name: 'straße', role: 'tester', accessSince: 0 },
  ])
  t.is(users.byName('ZOE\u0308'), users.byId('id-of-Zoë'))
  t.deepEqual([...users.names().values()], ['zoë', 'strasse'])
  t.is(users.byName('STRASSE')?.name, 'straße')
  t.is(users.byName('constructor'), undefined)
  t.is(users.byId('Zoë'), undefined)
})

test('users who had their names when full width still mattered are each found by what they are called', async (t) => {
  const { users } = await aLogOfUsers(t, ['Anna', 'ａｎｎａ', 'аdmin'])
  t.deepEqual(
    ['ANNA', 'ＡＮＮＡ', 'ａnna', 'АDMIN', 'admin'].map((name) => users.byName(name)?.name),
    ['Anna', 'ａｎｎａ', undefined, 'аdmin', undefined],
  )
  t.is(users.credentialOf('ＡＮＮＡ')?.user._id, 'id-of-ａｎｎａ')
  const { users: alone } = await aLogOfUsers(t, ['Anna'])
  t.is(alone.byName('ａnna')?.name, 'Anna')
})

test('a new password changes the credential of its user only', async (t) => {
  const { users, keep } = await aLogOfUsers(t, ['alice', 'bob'])
  const [alice, bob] = [users.credentialOf('alice'), users.credentialOf('bob')]
  keep('id-of-alice', 'password', await cheapHash('battery staple'))
  await users.refresh()
  t.not(users.credentialOf('alice'), alice)
  t.false(alice !== undefined && users.isCurrent(alice))
  t.is(users.credentialOf('bob'), bob)
  t.true(bob !== undefined && users.isCurrent(bob))
})

test('an interruption of the access that is over makes another user, even if nothing else has changed', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice', 'bob'])
  const [alice, bob] = ['alice', 'bob'].map((name) => users.credentialOf(name))
  record('id-of-alice', { accessSince: 4 })
  await users.refresh()
  t.not(users.byId('id-of-alice'), alice?.user)
  t.false(alice !== undefined && users.isCurrent(alice))
  t.is(users.credentialOf('bob'), bob)
})

test('a quota leaves the credential as it was; a scope replaces it, because requests carry it', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice'])
  const before = users.credentialOf('alice')
  t.false('scope' in (before?.user ?? {}))
  record('id-of-alice', { quota: { hours_per_week: 1, reservations_max: 1, priority_max: 0 } })
  await users.refresh()
  t.is(users.credentialOf('alice'), before)
  record('id-of-alice', { scope: 'rack=4' })
  await users.refresh()
  t.is(users.member('id-of-alice')?.scope, 'rack=4')
  t.deepEqual(users.credentialOf('alice')?.user.scope, { rack: '4' })
  t.false(before !== undefined && users.isCurrent(before))
})

test('a recorded scope that cannot be read is one that no SUT fits', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice'])
  record('id-of-alice', { scope: 'not a selector' })
  await users.refresh()
  const scope = users.byId('id-of-alice')?.scope
  t.false(scope === undefined || fits({}, scope) || fits({ not: 'a', selector: '' }, scope))
})

test('a removed user keeps the name but cannot sign in; an erased one is shown by its id', async (t) => {
  const { users, record, secrets } = await aLogOfUsers(t, ['alice'])
  record('id-of-alice', { status: 'removed' })
  await users.refresh()
  t.is(users.byId('id-of-alice'), undefined)
  t.is(users.credentialOf('alice'), undefined)
  t.deepEqual(users.list(), [])
  t.is(users.names().size, 0)
  t.is(users.member('id-of-alice')?.name, 'alice')
  secrets.delete('id-of-alice')
  record('id-of-alice', { status: 'erased', secrets: {} })
  await users.refresh()
  t.is(users.member('id-of-alice')?.name, 'id-of-alice')
})

test('listeners are called after a change, and only then', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice'])
  let calls = 0
  const stop = users.onChange(() => calls++)
  await users.refresh()
  t.is(calls, 0)
  record('id-of-alice', { role: 'auditor' })
  await users.refresh()
  t.is(calls, 1)
  stop()
  record('id-of-alice', { role: 'tester' })
  await users.refresh()
  t.is(calls, 1)
})

test('who asks during a reading gets the next one, which all of them share', async (t) => {
  const { users, add, hold, readings, listeners } = await aLogOfUsers(t, ['alice'])
  const held = signal<void>()
  hold(() => held.came)
  const first = users.refresh()
  await add('bob')
  const others = [users.refresh(), users.refresh(), users.refresh()]
  t.is(users.settled(), undefined)
  for (const listener of listeners) listener()
  t.not(users.settled(), undefined)
  held.give()
  await Promise.all([first, ...others])
  t.is(readings(), 3)
  t.is(users.byName('bob')?._id, 'id-of-bob')
  t.is(users.settled(), undefined)
})

test('property: however changes and readings interleave, the last refresh shows the last state', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('add', 'role', 'refresh'), { maxLength: 20 }), async (steps) => {
      const { users, add, record } = await aLogOfUsers(t, ['u0'])
      let [count, role] = [1, 'tester']
      const readings: Promise<void>[] = []
      for (const step of steps) {
        if (step === 'add') await add(`u${count++}`)
        else if (step === 'role') {
          role = role === 'tester' ? 'auditor' : 'tester'
          record('id-of-u0', { role: role as UserState['role'] })
        } else readings.push(users.refresh())
      }
      await Promise.all([...readings, users.refresh()])
      t.is(users.list().length, count)
      t.is(users.byId('id-of-u0')?.role as string, role)
    }),
    { numRuns: 50 },
  )
})
