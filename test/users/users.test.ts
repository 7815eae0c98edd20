import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { deleteUser, insertUser, setPassword } from '../../src/users/user-edits.ts'
import { openUsers, type Users, type UsersAlarm, type UsersChange } from '../../src/users/users.ts'
import { editUsersFile, type UserRecord } from '../../src/users/users-file.ts'
import { aUser, cheapHash, fileOf, leftOf, rightOf, signal } from './builders.ts'
import { temporaryDirectory } from './temporary-directory.ts'

interface Followed {
  readonly path: string
  readonly users: Users
  readonly alarms: readonly UsersAlarm[]
  readonly nextChange: () => Promise<UsersChange>
  readonly nextAlarm: () => Promise<UsersAlarm>
}

const follow = async (t: ExecutionContext, path: string, interval = 10): Promise<Followed> => {
  const alarms: UsersAlarm[] = []
  let alarm = signal<UsersAlarm>()
  const onAlarm = (raised: UsersAlarm): void => {
    alarms.push(raised)
    alarm.give(raised)
    alarm = signal()
  }
  const users = rightOf(await openUsers({ path, onAlarm, interval }))
  t.teardown(users.close)
  const nextChange = (): Promise<UsersChange> => {
    const change = signal<UsersChange>()
    const stop = users.onChange((made) => {
      stop()
      change.give(made)
    })
    return change.came
  }
  return { path, users, alarms, nextChange, nextAlarm: () => alarm.came }
}

const followed = async (t: ExecutionContext, records: readonly UserRecord[]): Promise<Followed> => {
  const path = join(await temporaryDirectory(t), 'users.json')
  await writeFile(path, fileOf(records))
  return follow(t, path)
}

test('users are found by id and by name, listed newest last, and contain no hash', async (t) => {
  const [alice, bob] = [await aUser('alice', 'correct horse'), await aUser('bob', 'x', { role: 'auditor' })]
  const { users } = await followed(t, [alice, bob])
  t.deepEqual(users.list(), [
    { _id: 'id-of-alice', name: 'alice', role: 'tester' },
    { _id: 'id-of-bob', name: 'bob', role: 'auditor' },
  ])
  t.is(users.byId('id-of-bob'), users.byName('bob'))
  t.is(users.byId('bob'), undefined)
  t.is(users.byName('constructor'), undefined)
})

test('an edit of the file takes effect without a restart', async (t) => {
  const { path, users, nextChange } = await followed(t, [await aUser('alice', 'correct horse')])
  let change = nextChange()
  rightOf(await editUsersFile(path, insertUser(await aUser('bob', 'correct horse'))))
  t.deepEqual(await change, { removed: [], changed: [] })
  t.truthy(users.byName('bob'))
  const alice = users.byName('alice')
  change = nextChange()
  rightOf(await editUsersFile(path, deleteUser('alice')))
  t.deepEqual(await change, { removed: [alice as NonNullable<typeof alice>], changed: [] })
  t.is(users.byName('alice'), undefined)
  t.is(users.credentialOf('alice'), undefined)
})

test('by default an edit takes effect within two seconds', async (t) => {
  const path = join(await temporaryDirectory(t), 'users.json')
  await writeFile(path, fileOf([]))
  const users = rightOf(await openUsers({ path, onAlarm: () => t.fail() }))
  t.teardown(users.close)
  const change = signal<void>()
  users.onChange(() => change.give())
  await writeFile(path, fileOf([await aUser('alice', 'correct horse')]))
  const written = performance.now()
  await change.came
  t.true(performance.now() - written < 2000)
  t.truthy(users.byName('alice'))
})

test('a changed password changes the credential of its user only', async (t) => {
  const records = [await aUser('alice', 'correct horse'), await aUser('bob', 'correct horse')]
  const { path, users, nextChange } = await followed(t, records)
  const [alice, bob] = [users.credentialOf('alice'), users.credentialOf('bob')]
  const change = nextChange()
  rightOf(await editUsersFile(path, setPassword('alice', await cheapHash('battery staple'))))
  t.deepEqual((await change).changed, [{ _id: 'id-of-alice', name: 'alice', role: 'tester' }])
  t.not(users.credentialOf('alice'), alice)
  t.is(users.credentialOf('bob'), bob)
})

test('a changed role or name is reported as a changed user', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const { path, users, nextChange } = await followed(t, [alice])
  let change = nextChange()
  await writeFile(path, fileOf([{ ...alice, role: 'administrator' }]))
  t.deepEqual((await change).changed, [{ _id: alice._id, name: 'alice', role: 'administrator' }])
  change = nextChange()
  await writeFile(path, fileOf([{ ...alice, name: 'alicia' }]))
  t.deepEqual((await change).changed, [{ _id: alice._id, name: 'alicia', role: 'tester' }])
  t.is(users.byName('alice'), undefined)
})

/** Waits until a watched file has been polled many times. */
const manyPolls = async (t: ExecutionContext): Promise<void> => {
  const { path, nextChange } = await followed(t, [])
  for (let i = 0; i < 5; i++) {
    const change = nextChange()
    await writeFile(path, fileOf([]).padEnd(100 + i))
    await change
  }
}

test('a broken file keeps the last known good users, raises one alarm, and clears it once repaired', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const { path, users, alarms, nextAlarm, nextChange } = await followed(t, [alice])
  let alarm = nextAlarm()
  await writeFile(path, '{"version": 1, "users": [')
  const raised = await alarm
  t.true(raised.kind === 'broken' && raised.detail.includes('it is not valid JSON'))
  await writeFile(path, '{"version": 1, "users": ')
  await manyPolls(t)
  t.is(alarms.length, 1)
  t.truthy(users.byName('alice'))
  alarm = nextAlarm()
  const change = nextChange()
  await writeFile(path, fileOf([alice, await aUser('bob', 'correct horse')]))
  t.deepEqual(await alarm, { kind: 'recovered' })
  await change
  t.truthy(users.byName('bob'))
  alarm = nextAlarm()
  await writeFile(path, fileOf([alice, alice]))
  t.is((await alarm).kind, 'broken')
  t.deepEqual(users.list().length, 2)
})

test('a deleted file keeps the last known good users and raises an alarm', async (t) => {
  const { path, users, nextAlarm } = await followed(t, [await aUser('alice', 'correct horse')])
  let alarm = nextAlarm()
  await rm(path)
  t.deepEqual(await alarm, { kind: 'broken', detail: `${path} does not exist` })
  t.truthy(users.byName('alice'))
  alarm = nextAlarm()
  await writeFile(path, fileOf([]))
  t.deepEqual(await alarm, { kind: 'recovered' })
  t.is(users.byName('alice'), undefined)
})

test('an alarm does not repeat anything from the file', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const { path, nextAlarm } = await followed(t, [alice])
  const alarm = nextAlarm()
  await writeFile(path, fileOf([alice]).replace('"password":', '"password"'))
  const raised = await alarm
  const secret = alice.password.split('$').at(-1) as string
  t.true(raised.kind === 'broken' && !raised.detail.includes(secret) && !raised.detail.includes('argon2id$'))
})

test('a link switched to another file is followed, as with mounted secrets', async (t) => {
  const directory = await temporaryDirectory(t)
  await writeFile(join(directory, 'one.json'), fileOf([await aUser('alice', 'correct horse')]))
  await writeFile(join(directory, 'two.json'), fileOf([await aUser('bob', 'correct horse')]))
  await symlink('one.json', join(directory, 'users.json'))
  const { users, nextChange } = await follow(t, join(directory, 'users.json'))
  const change = nextChange()
  await symlink('two.json', join(directory, 'new'))
  await rename(join(directory, 'new'), join(directory, 'users.json'))
  await change
  t.deepEqual(
    users.list().map(({ name }) => name),
    ['bob'],
  )
})

test('opening fails without a readable users file', async (t) => {
  const directory = await temporaryDirectory(t)
  const onAlarm = (): void => t.fail()
  t.is(leftOf(await openUsers({ path: join(directory, 'users.json'), onAlarm })).kind, 'absent')
  t.is(leftOf(await openUsers({ path: directory, onAlarm })).kind, 'unreadable')
})
