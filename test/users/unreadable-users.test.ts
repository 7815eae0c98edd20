/** Users whose events or secrets cannot be read for a while. */

import test from 'ava'
import type { UserSecrets } from '../../src/vault/vault.ts'
import { signal } from './builders.ts'
import { aLogOfUsers } from './log-of-users.ts'

test('a user whose secrets cannot be opened is shown by its id and cannot sign in', async (t) => {
  const { users, add, secrets } = await aLogOfUsers(t, ['alice'])
  await add('bob')
  secrets.delete('id-of-bob')
  await users.refresh()
  t.is(users.byId('id-of-bob')?.name, 'id-of-bob')
  t.is(users.credentialOf('id-of-bob'), undefined)
  t.truthy(users.credentialOf('alice'))
})

test('a user whose name cannot be read does not hide one whose name is that id', async (t) => {
  const { users, add, secrets } = await aLogOfUsers(t, ['id-of-bob'])
  await add('bob')
  secrets.delete('id-of-bob')
  await users.refresh()
  t.is(users.credentialOf('id-of-bob')?.user._id, 'id-of-id-of-bob')
  t.is(users.names().size, 2)
})

test('secrets that could not be opened are read again at the next refresh, those that could are not', async (t) => {
  const { users, add, secrets } = await aLogOfUsers(t, ['alice'])
  await add('bob')
  const ofBob = secrets.get('id-of-bob') as UserSecrets
  secrets.delete('id-of-bob')
  await users.refresh()
  const alice = users.credentialOf('alice')
  let calls = 0
  users.onChange(() => calls++)
  await users.refresh()
  t.is(calls, 0)
  const { id = '' } = ofBob.password ?? {}
  secrets.set('id-of-bob', { ...ofBob, password: { id, clear: undefined } })
  await users.refresh()
  t.deepEqual([users.byId('id-of-bob')?.name, users.credentialOf('bob')?.hash, calls], ['bob', undefined, 1])
  secrets.set('id-of-bob', ofBob)
  secrets.delete('id-of-alice')
  await users.refresh()
  t.truthy(users.credentialOf('bob')?.hash)
  t.is(users.credentialOf('bob')?.user._id, 'id-of-bob')
  t.is(users.credentialOf('alice'), alice)
  t.is(calls, 2)
})

test('however many readings fail, one at a time is repeated', async (t) => {
  const { users, fail, listeners, hold } = await aLogOfUsers(t, ['alice'])
  fail(new Error('no store'))
  for (let n = 0; n < 10; n++) {
    for (const listener of listeners) listener()
    await users.settled()?.catch(() => undefined)
  }
  const times: number[] = []
  const repeated = signal<void>()
  for (let n = 0; n < 2; n++) {
    hold(async () => {
      if (times.push(performance.now()) === 2) repeated.give()
    })
  }
  await repeated.came
  const [first = 0, second = 0] = times
  t.true(second - first > 500, `${second - first} ms`)
})

test('a reading that fails is reported, keeps the users, and is repeated until it succeeds', async (t) => {
  const { users, add, fail, failures, listeners, recovered } = await aLogOfUsers(t, ['alice'])
  const broken = new Error('no store')
  fail(broken)
  await add('bob')
  for (const listener of listeners) listener()
  await t.throwsAsync(users.settled() ?? Promise.resolve(), { is: broken })
  t.truthy(users.credentialOf('alice'))
  fail(undefined)
  await recovered
  t.truthy(users.credentialOf('bob'))
  t.deepEqual(failures, [broken, 'recovered'])
})
