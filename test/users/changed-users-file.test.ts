import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { UserRecord } from '../../src/users/users-file.ts'
import { people, type Running, start, temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { aUser, cheapHash, fileOf } from './builders.ts'

/** What becomes of a users file after its import. */

/** A file that cannot be renamed, because a directory has the other name. */
const given = async (t: ExecutionContext) => {
  const home = await temporaryData(t)
  const path = join(home, 'users.json')
  await mkdir(join(home, 'users.json.imported', 'full'), { recursive: true })
  const records = await people()
  await writeFile(path, fileOf(records), { mode: 0o600 })
  const data = await temporaryData(t)
  const startAgain = (): Promise<Running> => start(t, { data, environment: { BERTH_USERS: path } })
  return { path, data, records, startAgain }
}

/** Edits the file at once, because the service may look at it at any moment. */
const edit = async (path: string, text: string | Uint8Array): Promise<void> => {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

const alarms = ({ log }: Running) =>
  log.flatMap(({ facts, level, sentence }) =>
    'alarm' in facts && facts.alarm === 'users' ? [{ level, sentence }] : [],
  )

const isAlarmed = async (service: Running): Promise<boolean> =>
  (await service.as('audrey').get('/metrics')).text.includes('\nberth_alarm{part="users"} 1\n')

const ADVICE = 'the users file is not read any more and has password hashes: delete it'

const isAdvised = ({ log }: Running): boolean => log.some(({ sentence }) => sentence === ADVICE)

/** Alice is an auditor, bob has another password, audrey is missing, and carol is new. */
const edited = async (records: readonly UserRecord[]): Promise<readonly UserRecord[]> => [
  ...(
    await Promise.all(
      records.flatMap(async (user) => {
        if (user.name === 'alice') return { ...user, role: 'auditor' as const }
        return user.name === 'bob' ? { ...user, password: await cheapHash('another password') } : user
      }),
    )
  ).filter(({ name }) => name !== 'audrey'),
  await aUser('carol', 'x', { _id: "carol's" }),
]

test('an imported file is renamed, and its digest kept for the owner only', async (t) => {
  const service = await start(t)
  const files = await readdir(service.data)
  t.deepEqual(
    ['users.json', 'users.json.imported'].map((name) => files.includes(name)),
    [false, true],
  )
  const digest = join(service.data, 'imported-users.sha256')
  t.regex(await readFile(digest, 'utf8'), /^[0-9a-f]{64}\n$/)
  t.is((await stat(digest)).mode & 0o777, 0o600)
  t.false(isAdvised(service))
  t.deepEqual(alarms(service), [])
})

test('a file that cannot be renamed is not read again, and each start advises to delete it', async (t) => {
  const { path, startAgain } = await given(t)
  const first = await startAgain()
  t.true(first.log.some(({ facts }) => 'file' in facts && facts.file === path))
  await first.as('admin').post('/api/user/create', { name: 'carol', role: 'tester' })
  await first.stop()
  const second = await startAgain()
  t.true(isAdvised(second))
  t.deepEqual(alarms(second), [])
  t.is((await second.as('admin').get('/api/user')).json.count, 5)
})

test('an edited file raises an alarm with the commands that do what was meant, at each start too', async (t) => {
  const { path, records, startAgain } = await given(t)
  const service = await startAgain()
  t.false(await isAlarmed(service))
  await edit(path, fileOf(await edited(records)))
  await until('the alarm', () => isAlarmed(service), 10_000)
  const [alarm, ...others] = alarms(service)
  t.deepEqual([alarm?.level, others], ['error', []])
  const id = (name: string) => records.find((user) => user.name === name)?._id
  const commands = [
    `user role ${id('alice')} auditor`,
    `user passwd ${id('bob')}`,
    "user add NAME --role tester --id 'carol'\\''s'",
    `user remove ${id('audrey')} --reservations keep`,
  ]
  t.is(
    alarm?.sentence,
    `${path} has changed since users were imported, and is not read any more; run what was meant with "berth", then delete it: ${commands.join('; ')}`,
  )
  t.is((await service.anyone.get('/health/ready')).status, 200)
  t.is((await service.as('alice').get('/api/user/me')).json.role, 'tester')
  await service.stop()
  const again = await startAgain()
  t.is(alarms(again)[0]?.sentence, alarm?.sentence)
  for (const { log } of [service, again]) {
    const text = JSON.stringify(log)
    for (const name of ['"carol"', 'audrey', 'argon2id']) t.false(text.includes(name), name)
  }
})

test('the alarm ends when the file is gone, or as it was', async (t) => {
  const { path, records, startAgain } = await given(t)
  const service = await startAgain()
  const original = await readFile(path)
  for (const end of [() => rm(path), () => edit(path, original)]) {
    await edit(path, fileOf(records.slice(1)))
    await until('the alarm', () => isAlarmed(service), 10_000)
    await end()
    await until('the end of the alarm', async () => !(await isAlarmed(service)), 10_000)
  }
  t.deepEqual(
    alarms(service).map(({ level }) => level),
    ['error', 'info', 'error', 'info'],
  )
})

test('a file that is broken by an edit raises the alarm without commands, and not its content', async (t) => {
  const { path, records, startAgain } = await given(t)
  const service = await startAgain()
  await edit(path, fileOf(records).replaceAll('alice', 'malice').slice(0, -3))
  await until('the alarm', () => isAlarmed(service), 10_000)
  t.regex(
    alarms(service)[0]?.sentence ?? '',
    /has changed since users were imported, and is not read any more; delete it$/,
  )
  for (const name of ['alice', 'bob', 'admin']) t.is((await service.as(name).get('/api/user/me')).json.name, name)
})

test('a file beside users that were never imported raises the alarm for users who differ', async (t) => {
  const data = await temporaryData(t)
  const environment = { BERTH_ADMIN_PASSWORD: 'the password of admin' }
  const first = await start(t, { data, environment })
  await first.stop()
  await writeFile(join(data, 'users.json'), fileOf([await aUser('carol', 'x', { _id: 'c' })]))
  const service = await start(t, { data, environment })
  t.regex(
    alarms(service)[0]?.sentence ?? '',
    /has users who differ from those of the log, .*: user add NAME --role tester --id c$/,
  )
})

test('the alarm lists ten commands, and says how many more there are', async (t) => {
  const { path, records, startAgain } = await given(t)
  const service = await startAgain()
  const more = await Promise.all(Array.from({ length: 13 }, (_, n) => aUser(`user ${n}`, 'x', { _id: `u${n}` })))
  await edit(path, fileOf([...records, ...more]))
  await until('the alarm', () => isAlarmed(service), 10_000)
  t.regex(alarms(service)[0]?.sentence ?? '', /--id u9; and 3 more$/)
})
