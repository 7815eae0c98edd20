import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { UserRecord } from '../../../src/users/users-file.ts'
import { aUser, fileOf } from '../../users/builders.ts'
import { basic } from '../client.ts'
import { dataWithPeople, EVENTS_OF_START, idOf, people, type Running, start, temporaryData } from '../harness.ts'
import { startTwo } from '../races/two-services.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import { allEventsOf } from '../store/log-rows.ts'

/** Shows how a users file of an earlier release comes into the log, once, and what is refused. */

const fileIn = (data: string): string => join(data, 'users.json')

const withFile = async (t: ExecutionContext, text: string): Promise<string> => {
  const data = await temporaryData(t)
  await writeFile(fileIn(data), text, { mode: 0o600 })
  return data
}

const namesIn = async (service: Running): Promise<readonly unknown[]> =>
  ((await service.as('admin').get('/api/user')).json.users as { name: string }[]).map(({ name }) => name)

const addedTo = async (running: Pick<Running, 'data'>) =>
  (await allEventsOf(running)).filter(({ type }) => type === 'UserAdded')

/** A start that is refused at once creates no log. */
const isWithoutUsers = async (data: string): Promise<boolean> =>
  !existsSync(join(data, 'events.db')) || (await addedTo({ data })).length === 0

test('a users file is imported at the start: ids, names, roles and passwords are as before', async (t) => {
  const data = await dataWithPeople(t)
  const before = await readFile(fileIn(data), 'utf8')
  const service = await start(t, { now: NOW, data })
  for (const { _id, name, role } of await people()) {
    const { json } = await service.as(name).get('/api/user/me')
    t.like(json, { _id, name, role, created_at: NOW })
  }
  // The file has hashes. Nothing reads it again.
  t.deepEqual([existsSync(fileIn(data)), await readFile(`${fileIn(data)}.imported`, 'utf8')], [false, before])
  const line = service.log.find(({ sentence }) => sentence.startsWith('users imported'))
  t.like(line?.facts, { users: 4, testers_without_limits: 2 })
  t.regex(line?.sentence ?? '', /delete it/)
})

test('the imported users are the first events after those of the start, without names and hashes', async (t) => {
  const service = await start(t, { now: NOW })
  const added = await addedTo(service)
  t.deepEqual(
    added.map(({ data, metadata: { actor, role } }) => [data._id, data.role, actor, role]),
    (await people()).map(({ _id, role }) => [_id, role, 'berth', 'system']),
  )
  t.is((await allEventsOf(service)).length, EVENTS_OF_START)
  t.false(/"(admin|alice|bob|audrey)"|argon2/.test(JSON.stringify(added)))
})

test('a later start imports nothing, whatever a users file says', async (t) => {
  const first = await start(t)
  await first.as('admin').post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  await first.stop()
  const malory = await aUser('malory', 'correct horse malory', { role: 'administrator' })
  await writeFile(fileIn(first.data), fileOf([malory]))
  const service = await start(t, { data: first.data })
  t.deepEqual(await namesIn(service), ['audrey', 'alice', 'admin'])
  t.is((await service.as('malory').get('/api/user/me')).status, 401)
  t.is((await addedTo(service)).length, 4)
})

test('of two instances one imports the users, and both know them', async (t) => {
  const { services, data } = await startTwo(t)
  for (const service of services) t.is((await service.as('alice').get('/api/user/me')).json._id, idOf('alice'))
  t.is((await addedTo({ data })).length, 4)
})

test('an imported user keeps a name and an id that new ones may not have', async (t) => {
  const records = [
    ...(await people()),
    await aUser('berth_robot', 'correct horse robot', { _id: 'gateway' }),
    await aUser('spaced ', 'correct horse spaced', { _id: 'a:b c' }),
  ]
  const service = await start(t, { now: NOW, data: await withFile(t, fileOf(records)) })
  const sut = await createSut(service.as('admin'))
  for (const [name, password, id, hour] of [
    ['berth_robot', 'correct horse robot', 'gateway', 7],
    ['spaced ', 'correct horse spaced', 'a:b c', 8],
  ] as const) {
    const me = await service.anyone.get('/api/user/me', { Authorization: basic(name, password) })
    t.deepEqual([me.json._id, me.json.name], [id, name])
    const read = await service.as('admin').get(`/api/user/${encodeURIComponent(id)}`)
    t.is(read.text, me.text)
    const window = { start_time: `2030-05-02T0${hour}:00:00Z`, end_time: `2030-05-02T0${hour}:15:00Z` }
    t.is((await reserved(service.as('admin'), aReservation(sut, { user_id: id, ...window }))).json.user_id, id)
  }
})

const two = async (a: Partial<UserRecord>, b: Partial<UserRecord>): Promise<string> => {
  const [admin] = await people()
  return fileOf([{ ...(admin as UserRecord), ...a }, await aUser('anna', 'correct horse anna', b)])
}

/** Users files with what the refusal must name. */
const REFUSED: Readonly<Record<string, readonly [text: () => Promise<string>, named: RegExp]>> = {
  'that is cut off': [async () => fileOf(await people()).slice(0, -3), /users\.json is not a users file: .*JSON/],
  'with a role that does not exist': [
    () => two({}, { role: 'root' as 'tester' }),
    /users\.json is not a users file: \/users\/1\/role/,
  ],
  'with a password instead of a hash': [
    () => two({}, { password: 'correct horse' }),
    /users\.json is not a users file: \/users\/1\/password/,
  ],
  'with one name twice': [() => two({ name: 'anna' }, {}), /users\.json is not a users file: \/users\/1\/name/],
  'with one id twice': [() => two({ _id: 'id-of-anna' }, {}), /users\.json is not a users file: \/users\/1\/_id/],
  'with names that differ in case': [() => two({ name: 'ANNA' }, {}), /users\.json.*\/users\/1.*\/users\/0/],
  'with names that differ in their spelling of an accent': [
    () => two({ name: 'Zo\u00eb' }, { name: 'zoe\u0308' }),
    /users\.json.*\/users\/1.*\/users\/0/,
  ],
}

for (const [what, [text, named]] of Object.entries(REFUSED)) {
  test(`a users file ${what} is refused with its place, and imported once it is repaired`, async (t) => {
    const data = await withFile(t, await text())
    const error = await t.throwsAsync(start(t, { data }), { name: 'Misconfigured', message: named })
    t.false(/correct horse|m=8,t=1,p=1/.test(String(error?.message)))
    t.true(existsSync(fileIn(data)))
    t.true(await isWithoutUsers(data))
    await writeFile(fileIn(data), fileOf(await people()))
    t.deepEqual(await namesIn(await start(t, { data })), ['audrey', 'bob', 'alice', 'admin'])
  })
}

test('a users file with more users than one append takes is refused', async (t) => {
  const [admin] = await people()
  const many = Array.from({ length: 2_001 }, (_, n) => ({
    ...(admin as UserRecord),
    _id: `id ${n}`,
    name: `name ${n}`,
  }))
  const data = await withFile(t, fileOf(many))
  await t.throwsAsync(start(t, { data }), { name: 'Misconfigured', message: /users\.json has more than 2000 users/ })
  await writeFile(fileIn(data), fileOf([admin as UserRecord, ...many.slice(0, 1_999)]))
  const service = await start(t, { data })
  t.is((await service.as('admin').get('/api/user?limit=1')).json.count, 2_000)
})
