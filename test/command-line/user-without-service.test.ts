import { chown, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { CONTROL_SOCKET } from '../../src/control/socket.ts'
import { acquireLock } from '../../src/files/lock.ts'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { type Launch, launch, PASSWORD, run, serve } from '../process/harness.ts'
import { type } from './terminal.ts'

/** Commands on users where no service runs: `user add` and `user passwd` open the log themselves. */

/** Milliseconds that only a test which fails takes, however slow the machine is. */
const PATIENCE = 120_000

/** The data of a service that has stopped, with the administrator `admin`, and the commands on its users. */
const stopped = async (t: ExecutionContext) => {
  const data = join(await temporaryData(t), 'data')
  await (await serve(t, { data })).stop()
  const user = (args: readonly string[], env: Launch['env'] = {}) => run({ data, args: ['user', ...args], env })
  return { data, user }
}

/** The commands on users in this process, which wait for others as long as a slow machine needs. */
const patiently =
  (data: string) =>
  (...line: readonly string[]) =>
    type(['user', ...line], { BERTH_DATA: data }, { waitMax: PATIENCE })

test('a user is added and gets another password without a service, which knows both when it starts', async (t) => {
  const { data, user } = await stopped(t)
  const added = await user(['add', 'alice', '--role', 'tester'])
  t.deepEqual([added.code, added.errors], [0, ''])
  const [id, first = ''] = added.output.split('\n')
  const changed = await user(['passwd', 'Alice'])
  t.deepEqual([changed.code, changed.errors], [0, ''])
  const service = await serve(t, { data })
  const alice = service.as('alice', changed.output.trimEnd())
  t.like((await alice.get('/api/user/me')).json, { _id: id, role: 'tester' })
  t.is((await service.as('alice', first).get('/api/user/me')).status, 401)
  await service.stop()
  t.false((await readFile(join(data, 'events.db'))).includes('alice'))
})

/** All other commands on users and tokens. */
const OTHERS: readonly (readonly string[])[] = [
  ['user', 'list'],
  ['user', 'show', 'admin'],
  ['user', 'role', 'admin', 'tester'],
  ['user', 'rename', 'admin', 'root'],
  ['user', 'quota', 'admin', 'default'],
  ['user', 'scope', 'admin', 'a=b'],
  ['user', 'remove', 'admin', '--reservations', 'keep'],
  ['user', 'restore', 'admin'],
  ['user', 'erase', 'admin'],
  ['token', 'issue', 'admin', '--name', 'nightly'],
  ['token', 'list', 'admin'],
  ['token', 'revoke', 'admin', 'x'],
]

test('all other commands on users and tokens say that the service must run, and record nothing', async (t) => {
  const { data } = await stopped(t)
  await writeFile(join(data, 'people.csv'), 'name,role\nanna,tester\n')
  const before = (await readdir(data)).toSorted()
  const log = await readFile(join(data, 'events.db'))
  for (const line of [...OTHERS, ['user', 'import', join(data, 'people.csv')]]) {
    const { code, out, error } = await type(line, { BERTH_DATA: data })
    const why = `berth: no service runs on ${data}; start it, or set BERTH_URL to reach another\n`
    t.deepEqual([code, out, error], [1, '', why], line.join(' '))
  }
  t.deepEqual((await readdir(data)).toSorted(), before)
  t.true((await readFile(join(data, 'events.db'))).equals(log))
})

test('such a command leaves no socket and no other file, and shows no log line on standard output', async (t) => {
  const { data, user } = await stopped(t)
  const before = (await readdir(data)).toSorted()
  const env = { BERTH_LOG_LEVEL: 'trace', BERTH_GATEWAY: 'on', BERTH_PORT: '1' }
  const added = await user(['add', 'alice', '--role', 'tester', '--id', 'a'], env)
  t.deepEqual([added.code, added.errors], [0, ''])
  t.regex(added.output, /^a\n\w{26}\n$/)
  t.deepEqual((await readdir(data)).toSorted(), before)
})

test('where there is no log, such a command says so and makes nothing', async (t) => {
  const home = await temporaryData(t)
  for (const line of [
    ['add', 'alice', '--role', 'tester'],
    ['passwd', 'alice'],
  ]) {
    const { code, output, errors } = await run({ data: join(home, 'data'), args: ['user', ...line] })
    t.deepEqual([code, output], [1, ''])
    t.is(errors, `berth: there is no log at ${home}/data/events.db; start the service once\n`)
  }
  t.deepEqual(await readdir(home), [])
})

test('of commands at the same moment each does its work, one after the other', async (t) => {
  const { data } = await stopped(t)
  const user = patiently(data)
  const names = ['alice', 'bob', 'ALICE']
  const added = await Promise.all(names.map((name) => user('add', name, '--role', 'tester')))
  t.is(added.filter(({ code }) => code === 0).length, 2, added.map(({ error }) => error).join())
  const refused = added.filter(({ code }) => code !== 0)
  t.regex(refused.map(({ error }) => error).join(), /^berth: 409 user_name_taken: [^\n]+\n$/)
  const service = await serve(t, { data })
  t.is((await service.get('/api/user')).json.count, 3)
})

test('a command waits for a service that starts, and then asks it', async (t) => {
  const { data } = await stopped(t)
  const child = launch(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })
  await until('the service has the lock', async () => (await readdir(data)).includes('berth.lock.owner'), PATIENCE)
  const added = await patiently(data)('add', 'alice', '--role', 'tester', '--id', 'a')
  t.deepEqual([added.code, added.error], [0, ''])
  // The service itself was asked, and says so.
  t.regex(await child.line('/api/user/create'), /"POST"/)
})

test('a command names the process that keeps the data for ten seconds', async (t) => {
  const { data, user } = await stopped(t)
  const lock = acquireLock(join(data, 'berth.lock'))
  t.teardown(lock.release)
  const began = performance.now()
  const { code, output, errors } = await user(['passwd', 'admin'])
  t.true(performance.now() - began >= 10_000)
  t.deepEqual([code, output], [1, ''])
  t.true(errors.startsWith(`berth: ${data}/berth.lock is held by process ${process.pid} on `), errors)
  t.regex(errors, /: a service that starts, or another command; try again when it is done\n$/)
})

test('after a kill at any moment the users are those before or after, and the next command works', async (t) => {
  const { data, user } = await stopped(t)
  for (let n = 0; n < 6; n++) {
    const child = launch(t, { data, args: ['user', 'add', `user ${n}`, '--role', 'tester', '--id', `id-${n}`] })
    // It may be done between two looks.
    const sign = n === 0 ? CONTROL_SOCKET : 'berth.lock.owner'
    await Promise.race([until(sign, async () => (await readdir(data)).includes(sign), PATIENCE), child.exited])
    child.signal('SIGKILL')
    await child.exited
    const { code, errors } = await user(['add', `user ${n}`, '--role', 'tester', '--id', `id-${n}`])
    t.true(code === 0 || /^berth: 409 user_(?:id|name)_taken: [^\n]+\n$/.test(errors), errors)
  }
  t.is((await (await serve(t, { data })).get('/api/user')).json.count, 7)
})

test('without the vault key such a command ends with 2 as a start does, and names the key', async (t) => {
  const { data, user } = await stopped(t)
  const [, id = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await rm(join(data, 'vault.key'))
  const { code, output, errors } = await user(['passwd', 'admin'])
  t.deepEqual([code, output], [2, ''])
  t.true(errors.includes(`berth vault forget ${id}`), errors)
})

test('with a new vault key in place of a lost one, a user gets a password and a name by its id', async (t) => {
  const { data, user } = await stopped(t)
  const before = await serve(t, { data })
  const id = String((await before.get('/api/user/me')).json._id)
  await before.stop()
  const [, key = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await writeFile(join(data, 'vault.key'), `new:${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 })
  t.is((await run({ data, args: ['vault', 'forget', key] })).code, 0)
  const password = (await user(['passwd', id])).output.trimEnd()
  const service = await serve(t, { data })
  t.is((await user(['list'])).output, `${id}\tadministrator\t${id}\n`)
  t.is((await user(['rename', id, 'admin'])).output, `renamed ${id} to admin\n`)
  t.is((await service.as('admin', password).get('/api/user/me')).status, 200)
  t.is((await service.as('admin', PASSWORD).get('/api/user/me')).status, 401)
})

test('a path that is too long for a socket is refused with the reason', async (t) => {
  const data = join(await temporaryData(t), 'd'.repeat(100))
  await (await serve(t, { data })).stop()
  const { code, output, errors } = await run({ data, args: ['user', 'passwd', 'admin'] })
  t.deepEqual([code, output], [1, ''])
  t.regex(
    errors,
    /: its path has \d+ bytes; a socket path can have at most 107; set BERTH_DATA to a short link to it\n$/,
  )
  const short = join(await temporaryData(t), 'link')
  await symlink(data, short)
  t.is((await run({ data: short, args: ['user', 'passwd', 'admin'] })).code, 0)
})

test('a data directory of another user is refused to root, whose files would lock the service out', async (t) => {
  if (process.getuid?.() !== 0) {
    t.log('NOT RUN: only root can be refused')
    t.pass()
    return
  }
  const { data, user } = await stopped(t)
  await chown(data, 1234, 1234)
  const { code, errors } = await user(['passwd', 'admin'])
  t.is(code, 1)
  t.is(errors, `berth: ${data} belongs to the user with the id 1234; run this as that user: sudo -u '#1234' ...\n`)
})

test('such a command does not need the audit key, a certificate or a free address', async (t) => {
  const { data, user } = await stopped(t)
  await rm(join(data, 'audit.key'))
  const { code, errors } = await user(['passwd', 'admin'], {
    BERTH_HOST: '192.0.2.1',
    BERTH_TLS_CERT: '/none',
    BERTH_TLS_KEY: '/none',
  })
  t.deepEqual([code, errors], [0, ''])
})
