import { randomBytes } from 'node:crypto'
import { chown, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { keyChecks } from '../../../src/config/checks/keys.ts'
import { readConfig } from '../../../src/config/config.ts'
import { CONTROL_SOCKET } from '../../../src/control/socket.ts'
import { acquireLock } from '../../../src/files/lock.ts'
import { openHeadless } from '../../../src/service/headless.ts'
import type { Runtime } from '../../../src/service/runtime.ts'
import { passwordOf } from '../../http/client.ts'
import { idOf, start, temporaryData } from '../../http/harness.ts'
import { createSut, NOW, reserved } from '../../http/requests.ts'
import { changedStore } from '../../http/store/stores.ts'
import { stopwatch, until } from '../../http/until.ts'
import { launch } from '../../process/harness.ts'
import { rounds } from '../../thorough.ts'
import { aUser, rightOf } from '../../users/builders.ts'
import { type } from '../terminal.ts'
import { whoIsAt } from './stage.ts'

/** Commands on users where no service runs: `user add` and `user passwd` open the log themselves. */

/** Milliseconds that only a test which fails takes, however slow the machine is. */
const PATIENCE = 120_000

/** The data of a service that has stopped, with the administrator `admin`, and the commands on its users. */
const stopped = async (t: ExecutionContext, data?: string) => {
  const firstUsers = [await aUser('admin', passwordOf('admin'), { role: 'administrator', _id: idOf('admin') })]
  const service = await start(t, { firstUsers, ...(data !== undefined && { data }) })
  await service.stop()
  const user = (line: readonly string[], environment = {}, more = {}) =>
    type(['user', ...line], { BERTH_DATA: service.data, BERTH_GATEWAY: 'off', ...environment }, more)
  /** Waits for others as long as a slow machine needs. */
  const patiently = (...line: readonly string[]) => user(line, {}, { waitMax: PATIENCE })
  return { data: service.data, user, patiently }
}

test('a user is added and gets another password without a service, which knows both when it starts', async (t) => {
  const { data, user } = await stopped(t)
  const added = await user(['add', 'alice', '--role', 'tester'])
  t.deepEqual([added.code, added.error], [0, ''])
  const [id, first = ''] = added.out.split('\n')
  const changed = await user(['passwd', 'Alice'])
  t.deepEqual([changed.code, changed.error], [0, ''])
  const service = await start(t, { data })
  const whoIs = whoIsAt(service)
  t.deepEqual([await whoIs('alice', changed.out.trimEnd()), await whoIs('alice', first)], [id, 'unauthenticated'])
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
  t.deepEqual([added.code, added.error], [0, ''])
  t.regex(added.out, /^a\n\w{26}\n$/)
  t.deepEqual((await readdir(data)).toSorted(), before)
})

test('where there is no log, such a command says so and makes nothing', async (t) => {
  const home = await temporaryData(t)
  for (const line of [
    ['add', 'alice', '--role', 'tester'],
    ['passwd', 'alice'],
  ]) {
    const { code, out, error } = await type(['user', ...line], { BERTH_DATA: join(home, 'data') })
    t.deepEqual([code, out], [1, ''])
    t.is(error, `berth: there is no log at ${home}/data/events.db; start the service once\n`)
  }
  t.deepEqual(await readdir(home), [])
})

test('thorough: of commands at the same moment each does its work, one after the other', async (t) => {
  const { data, patiently } = await stopped(t)
  const names = ['alice', 'bob', 'ALICE']
  const added = await Promise.all(names.map((name) => patiently('add', name, '--role', 'tester')))
  t.is(added.filter(({ code }) => code === 0).length, 2, added.map(({ error }) => error).join())
  const refused = added.filter(({ code }) => code !== 0)
  t.regex(refused.map(({ error }) => error).join(), /^berth: 409 user_name_taken: [^\n]+\n$/)
  const service = await start(t, { data })
  t.is((await service.as('admin').get('/api/user')).json.count, 3)
})

test('a command waits for a service that starts, and then asks it', async (t) => {
  const { data, patiently } = await stopped(t)
  const starting = start(t, { data })
  await until('the service has the lock', async () => (await readdir(data)).includes('berth.lock.owner'), PATIENCE)
  const added = await patiently('add', 'alice', '--role', 'tester', '--id', 'a')
  t.deepEqual([added.code, added.error], [0, ''])
  // The service itself was asked.
  t.true((await starting).answered.some(({ route }) => route === '/api/user/create'))
})

test('a command names the process that keeps the data for as long as it waits', async (t) => {
  const { data, user } = await stopped(t)
  const lock = acquireLock(join(data, 'berth.lock'))
  t.teardown(lock.release)
  // Ten seconds unless a test says otherwise.
  const waitMax = rounds(300, 10_000)
  const began = performance.now()
  const { code, out, error } = await user(['passwd', 'admin'], {}, { waitMax })
  t.true(performance.now() - began >= waitMax)
  t.deepEqual([code, out], [1, ''])
  t.true(error.startsWith(`berth: ${data}/berth.lock is held by process ${process.pid} on `), error)
  t.regex(error, /: a service that starts, or another command; try again when it is done\n$/)
})

test('thorough: after a kill at any moment the users are those before or after, and the next command works', async (t) => {
  const { data, user } = await stopped(t)
  const count = rounds(2, 6)
  for (let n = 0; n < count; n++) {
    const child = launch(t, { data, args: ['user', 'add', `user ${n}`, '--role', 'tester', '--id', `id-${n}`] })
    // It may be done between two looks.
    const sign = n === 0 ? CONTROL_SOCKET : 'berth.lock.owner'
    await Promise.race([until(sign, async () => (await readdir(data)).includes(sign), PATIENCE), child.exited])
    child.signal('SIGKILL')
    await child.exited
    const { code, error } = await user(['add', `user ${n}`, '--role', 'tester', '--id', `id-${n}`])
    t.true(code === 0 || /^berth: 409 user_(?:id|name)_taken: [^\n]+\n$/.test(error), error)
  }
  const service = await start(t, { data })
  t.is((await service.as('admin').get('/api/user')).json.count, 1 + count)
})

test('without the vault key such a command ends with 2 as a start does, and names the key', async (t) => {
  const { data, user } = await stopped(t)
  const [, id = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await rm(join(data, 'vault.key'))
  const { code, out, error } = await user(['passwd', 'admin'])
  t.deepEqual([code, out], [2, ''])
  t.true(error.includes(`berth vault forget ${id}`), error)
})

test('with a new vault key in place of a lost one, a user gets a password and a name by its id', async (t) => {
  const { data, user } = await stopped(t)
  const id = idOf('admin')
  const [, key = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await writeFile(join(data, 'vault.key'), `new:${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 })
  t.is((await type(['vault', 'forget', key], { BERTH_DATA: data })).code, 0)
  const password = (await user(['passwd', id])).out.trimEnd()
  const service = await start(t, { data })
  t.is((await user(['list'])).out, `${id}\tadministrator\t${id}\n`)
  t.is((await user(['rename', id, 'admin'])).out, `renamed ${id} to admin\n`)
  const whoIs = whoIsAt(service)
  t.deepEqual([await whoIs('admin', password), await whoIs('admin', passwordOf('admin'))], [id, 'unauthenticated'])
})

test('a path that is too long for a socket is refused with the reason', async (t) => {
  const long = join(await temporaryData(t), 'd'.repeat(100))
  const { data, user } = await stopped(t, long)
  const { code, out, error } = await user(['passwd', 'admin'])
  t.deepEqual([code, out], [1, ''])
  t.regex(
    error,
    /: its path has \d+ bytes; a socket path can have at most 107; set BERTH_DATA to a short link to it\n$/,
  )
  const short = join(await temporaryData(t), 'link')
  await symlink(data, short)
  t.is((await user(['passwd', 'admin'], { BERTH_DATA: short })).code, 0)
})

test('a data directory of another user is refused to root, whose files would lock the service out', async (t) => {
  if (process.getuid?.() !== 0) {
    t.log('NOT RUN: only root can be refused')
    t.pass()
    return
  }
  const { data, user } = await stopped(t)
  await chown(data, 1234, 1234)
  const { code, error } = await user(['passwd', 'admin'])
  t.is(code, 1)
  t.is(error, `berth: ${data} belongs to the user with the id 1234; run this as that user: sudo -u '#1234' ...\n`)
})

test('such a command does not need the audit key, a certificate or a free address', async (t) => {
  const { data, user } = await stopped(t)
  await rm(join(data, 'audit.key'))
  const { code, error } = await user(['passwd', 'admin'], {
    BERTH_HOST: '192.0.2.1',
    BERTH_TLS_CERT: '/none',
    BERTH_TLS_KEY: '/none',
  })
  t.deepEqual([code, error], [0, ''])
})

const now = (): number => Date.parse(NOW)

/** `user add` and `user passwd` whose own service cannot bring its views to the end of the log in time. Bob has a running reservation and two later ones. The views of the service in this process read nothing. */
const behind = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const start_in of [0, 3_600, 7_200]) {
    await reserved(service.as('bob'), { user_id: idOf('bob'), sut_id, start_in, duration: 900 })
  }
  await service.stop()
  const environment = { BERTH_DATA: service.data }
  const log: string[] = []
  const say = (_: object, sentence: string): void => void log.push(sentence)
  const openStore = changedStore(join(service.data, 'events.db'), () => ({
    async *subscribe(_, signal) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    },
  }))
  const runtime: Runtime = {
    ...{ clock: now, sinceBoot: now, randomBytes, openStore, onFatal: (error) => t.fail(String(error)) },
    log: { info: say, warn: say, error: say },
  }
  const close = await openHeadless(rightOf(readConfig(environment, keyChecks)), runtime, { mustExist: true })
  t.teardown(close)
  const user = (...line: readonly string[]) => type(['user', ...line], environment, { now })
  return { data: service.data, user, close, log }
}

test('neither command waits long for the views, and what a new password leaves is reported', async (t) => {
  const { user, log } = await behind(t)
  const taken = stopwatch()
  t.is((await user('add', 'carol', '--role', 'tester', '--id', 'c')).code, 0)
  t.is((await user('passwd', 'carol')).code, 0)
  t.is((await user('passwd', 'bob')).code, 0)
  // A request of a service waits 5 s for its views, and each of these is one.
  t.true(taken() < 10_000)
  t.deepEqual(log, ['bindings of running reservations were not ended: the views are behind the log'])
})
