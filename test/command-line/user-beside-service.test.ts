import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { PASSWORD, ROOT, run, type Service, serve } from '../process/harness.ts'

const started = async (t: ExecutionContext) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data })
  const user = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, output, errors } = await run({ data, args: ['user', ...args] })
    t.deepEqual([code, errors], [0, ''])
    return output.split('\n')
  }
  return { data, service, user }
}

const statusOf = async (service: Service, name: string, password: string): Promise<number> =>
  (await service.as(name, password).get('/api/user/me')).status

/** Milliseconds within which a change of users takes effect. */
const WITHIN = 2_000

test('adding, changing and removing users takes effect in a running service within two seconds', async (t) => {
  const { service, user } = await started(t)
  const [id, first = ''] = await user('add', 'alice', '--role', 'tester')
  t.is(await statusOf(service, 'alice', first), 200)
  t.like((await service.as('alice', first).get('/api/user/me')).json, { _id: id, name: 'alice', role: 'tester' })

  const [second = ''] = await user('passwd', 'alice')
  await until('the old password is invalid', async () => (await statusOf(service, 'alice', first)) === 401, WITHIN)
  t.is(await statusOf(service, 'alice', second), 200)

  await user('remove', 'alice', '--reservations', 'keep')
  await until('alice is unknown', async () => (await statusOf(service, 'alice', second)) === 401, WITHIN)
  await user('restore', 'alice')
  t.is(await statusOf(service, 'alice', second), 200)
  t.is((await service.get('/api/user/me')).status, 200)
})

test('what the command line does with users is in the log, without names and passwords', async (t) => {
  const { data, service, user } = await started(t)
  const [id, password = ''] = await user('add', 'Ann Bee', '--role', 'auditor', '--id', 'ann')
  await user('role', 'ann bee', 'tester')
  t.is(id, 'ann')
  const { events } = (await service.get('/api/user/ann/history')).json as { events: readonly object[] }
  t.like(events[0], { type: 'berth.UserAdded', actor: 'command-line', data: { _id: 'ann', role: 'auditor' } })
  t.like(events[1], { type: 'berth.UserChanged', actor: 'command-line', data: { _id: 'ann', role: 'tester' } })
  await service.stop()
  t.false(service.output().includes('Ann Bee'))
  for (const name of await readdir(data)) {
    const file = await readFile(join(data, name))
    t.false(file.includes('Ann Bee') || file.includes(password) || file.includes('argon2id'), name)
  }
})

test('a password is read from standard input and not printed', async (t) => {
  const { data, service } = await started(t)
  const child = spawn(
    process.execPath,
    [join(ROOT, 'src/main.ts'), 'user', 'add', 'alice', '--role', 'tester', '--password-stdin'],
    { env: { PATH: process.env.PATH, BERTH_DATA: data }, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.end('correct horse battery\n')
  t.regex(await text(child.stdout), /^[0-9a-f]{24}\n$/)
  t.is(await statusOf(service, 'alice', 'correct horse battery'), 200)
})

test('users of a service elsewhere are changed at its URL, with the rights of an administrator there', async (t) => {
  const { data, service, user } = await started(t)
  const [, password = ''] = await user('add', 'alice', '--role', 'tester')
  const elsewhere = await temporaryData(t)
  const at = async (name: string, secret: string) => {
    const file = join(elsewhere, name)
    await writeFile(file, `${name}:${secret}\n`, { mode: 0o600 })
    const env = { BERTH_URL: `http://127.0.0.1:${service.port}`, BERTH_CREDENTIALS_FILE: file }
    return run({ data: elsewhere, args: ['user', 'role', 'alice', 'auditor'], env })
  }
  const refused = await at('alice', password)
  t.deepEqual([refused.code, refused.output], [1, ''])
  t.regex(refused.errors, /^berth: 403 forbidden: /)
  t.is((await at('admin', PASSWORD)).code, 0)
  t.true((await run({ data, args: ['user', 'list'] })).output.includes('\tauditor\talice\n'))
  t.deepEqual((await readdir(elsewhere)).toSorted(), ['admin', 'alice'])
})
