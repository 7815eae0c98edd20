import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { ROOT, run, type Service, serve } from '../process/harness.ts'

const started = async (t: ExecutionContext): Promise<{ data: string; service: Service }> => {
  const data = join(await temporaryData(t), 'data')
  return { data, service: await serve(t, { data }) }
}

const statusOf = async (service: Service, name: string, password: string): Promise<number> =>
  (await service.as(name, password).get('/api/user/me')).status

/** Milliseconds within which a change of users takes effect. */
const WITHIN = 2_000

test('adding, changing and removing users takes effect in a running service within two seconds', async (t) => {
  const { data, service } = await started(t)
  const user = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, output, errors } = await run(t, { data, args: ['user', ...args] })
    t.deepEqual([code, errors], [0, ''])
    return output.split('\n')
  }
  const [id, first = ''] = await user('add', 'alice', '--role', 'tester')
  // Polled as another user: attempts by an unknown user would count as failed logins.
  const isKnown = async () => (await service.get('/api/user')).text.includes('"alice"')
  await until('alice is known', isKnown, WITHIN)
  t.is(await statusOf(service, 'alice', first), 200)
  t.deepEqual((await service.as('alice', first).get('/api/user/me')).json, { _id: id, name: 'alice', role: 'tester' })

  const [second = ''] = await user('passwd', 'alice')
  await until('the old password is invalid', async () => (await statusOf(service, 'alice', first)) === 401, WITHIN)
  t.is(await statusOf(service, 'alice', second), 200)

  await user('remove', 'alice')
  await until('alice is unknown', async () => (await statusOf(service, 'alice', second)) === 401, WITHIN)
  t.is((await service.get('/api/user/me')).status, 200)
})

test("the users file contains a user's name, id, role and password hash, but no password", async (t) => {
  const data = join(await temporaryData(t), 'data')
  const added = await run(t, { data, args: ['user', 'add', 'Ann Bee', '--role', 'auditor', '--id', 'ann'] })
  const [id, password = ''] = added.output.split('\n')
  t.is(id, 'ann')
  const file = await readFile(join(data, 'users.json'), 'utf8')
  const [user] = JSON.parse(file).users
  t.deepEqual(Object.keys(user), ['_id', 'name', 'role', 'password'])
  t.like(user, { _id: 'ann', name: 'Ann Bee', role: 'auditor' })
  t.regex(user.password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.true(password.length > 20)
  t.false(file.includes(password))
})

test('a password is read from standard input and not printed', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const child = spawn(
    process.execPath,
    [join(ROOT, 'src/main.ts'), 'user', 'add', 'alice', '--role', 'tester', '--password-stdin'],
    { env: { PATH: process.env.PATH, BERTH_DATA: data }, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.end('correct horse battery\n')
  t.regex(await text(child.stdout), /^[0-9a-f]{24}\n$/)
  const service = await serve(t, { data })
  t.is(await statusOf(service, 'alice', 'correct horse battery'), 200)
})
