import test from 'ava'
import fc from 'fast-check'
import { fits } from '../../src/domain/user/scope.ts'
import type { UserState } from '../../src/domain/user/state.ts'
import { signal } from './builders.ts'
import { aLogOfUsers } from './log-of-users.ts'

test('users are found by id, and by name in any case and spelling, and have no hash', async (t) => {
  const { users } = await aLogOfUsers(t, ['Zoë', 'straße'])
  t.deepEqual(users.list(), [
    { _id: 'id-of-Zoë', name: 'Zoë', role: 'tester', accessSince: 0 },
    { _id: 'id-of-straße', name: 'straße', role: 'tester', accessSince: 0 },
  ])
  t.is(users.credentialOf('ZOE\u0308')?.user, users.byId('id-of-Zoë'))
  t.deepEqual([...users.names().values()], ['zoë', 'strasse'])
  t.is(users.credentialOf('STRASSE')?.user.name, 'straße')
  t.is(users.credentialOf('constructor'), undefined)
  t.is(users.byId('Zoë'), undefined)
})

test('users who had their names when full width still mattered are each found by what they are called', async (t) => {
  const { users } = await aLogOfUsers(t, ['Anna', 'ａｎｎａ', 'аdmin'])
  t.deepEqual(
    ['ANNA', 'ＡＮＮＡ', 'ａnna', 'АDMIN', 'admin'].map((name) => users.credentialOf(name)?.user.name),
    ['Anna', 'ａｎｎａ', undefined, 'аdmin', undefined],
  )
  const { users: alone } = await aLogOfUsers(t, ['Anna'])
  t.is(alone.credentialOf('ａnna')?.user.name, 'Anna')
})

test('a change of a user makes another credential, with its scope, and leaves those of others', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice', 'bob'])
  const [alice, bob] = ['alice', 'bob'].map((name) => users.credentialOf(name))
  t.false('scope' in (alice?.user ?? {}))
  record('id-of-alice', { scope: 'rack=4' })
  await users.refresh()
  t.is(users.member('id-of-alice')?.scope, 'rack=4')
  t.deepEqual(users.credentialOf('alice')?.user.scope, { rack: '4' })
  t.false(alice !== undefined && users.isCurrent(alice))
  t.is(users.credentialOf('bob'), bob)
})

test('a recorded scope that cannot be read is one that no SUT fits', async (t) => {
  const { users, record } = await aLogOfUsers(t, ['alice'])
  record('id-of-alice', { scope: 'not a selector' })
  await users.refresh()
  const scope = users.byId('id-of-alice')?.scope
  t.false(scope === undefined || fits({}, scope) || fits({ not: 'a', selector: '' }, scope))
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
  t.is(users.credentialOf('bob')?.user._id, 'id-of-bob')
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
