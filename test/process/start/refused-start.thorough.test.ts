import { link, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { type Tidying, temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { type Launch, runProcess, serve } from '../harness.ts'

const attempt = (scope: Tidying, data: string, env: Launch['env'] = {}) =>
  runProcess(scope, { data, args: ['serve'], env: { BERTH_PORT: '0', ...env } })

/** Whether the errors are sentences for a person, without a stack. */
const isReadable = (errors: string): boolean =>
  errors.split('\n').every((line) => line === '' || line.startsWith('berth: '))

test('a second process on the same data or log is refused with the id of the first', async (t) => {
  const home = await temporaryData(t)
  const data = join(home, 'data')
  const service = await serve(t, { data })
  await symlink(data, join(home, 'link'))
  const log = { BERTH_EVENT_STORE: `sqlite:${data}/events.db` }
  const refused = await Promise.all([attempt(t, join(home, 'link')), attempt(t, join(home, 'other'), log)])
  for (const { code, errors } of refused) {
    t.is(code, 1)
    t.true(isReadable(errors) && errors.includes(`is held by process ${service.pid} on `), errors)
  }
  t.is((await service.post('/api/sut/create', aSut({ name: 'still served' }))).status, 201)
})

test('a log with a second hard link is refused until the link is removed', async (t) => {
  const home = await temporaryData(t)
  const data = join(home, 'data')
  const service = await serve(t, { data })
  await link(join(data, 'events.db'), join(home, 'second.db'))
  const env = { BERTH_EVENT_STORE: `sqlite:${home}/second.db` }
  const second = await attempt(t, join(home, 'other'), env)
  t.is(second.code, 1)
  t.true(isReadable(second.errors), second.errors)
  t.regex(second.errors, /second\.db .*2 hard links/)
  t.is((await service.post('/api/sut/create', aSut({ name: 'still served' }))).status, 201)
  await service.stop()
  // Refused without another process too: the WAL of the other name would be missed.
  for (const refused of [await attempt(t, join(home, 'other'), env), await attempt(t, data)]) {
    t.is(refused.code, 1)
    t.true(isReadable(refused.errors) && refused.errors.includes('hard links'), refused.errors)
  }
  await rm(join(home, 'second.db'))
  t.deepEqual(await (await serve(t, { data })).stop(), { code: 0, signal: null })
})

test('a port in use is refused before anything is created, the first password too', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const holder = createServer().listen(0, '127.0.0.1')
  t.teardown(() => holder.close())
  await new Promise((resolve) => holder.once('listening', resolve))
  const { port } = holder.address() as AddressInfo
  const { code, errors } = await attempt(t, data, { BERTH_PORT: String(port) })
  t.is(code, 1)
  t.true(isReadable(errors) && errors.startsWith(`berth: BERTH_PORT: port ${port} at 127.0.0.1 is in use by `), errors)
  await t.throwsAsync(stat(data), { code: 'ENOENT' })
})

test('a first start that fails after making the administrator has left the password', async (t) => {
  const data = join(await temporaryData(t), 'data')
  // Where the control socket belongs.
  await mkdir(join(data, 'berth.sock', 'in the way'), { recursive: true })
  t.not((await attempt(t, data)).code, 0)
  await rm(join(data, 'berth.sock'), { recursive: true })
  const [file = 'none'] = (await readdir(data)).filter((name) => name.startsWith('first-password'))
  const [name = '', password = ''] = (await readFile(join(data, file), 'utf8')).trimEnd().split(':')
  const service = await serve(t, { data })
  t.is((await service.as(name, password).get('/api/user/me')).status, 200)
})
