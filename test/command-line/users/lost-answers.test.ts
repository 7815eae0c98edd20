/** Commands at BERTH_URL whose answers are lost on the way after the service has done what they ask for. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { breakOff, passTo, startProxy } from '../../client/proxy.ts'
import { idOf } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { type Ran, type } from '../terminal.ts'
import { besideService, PEOPLE, rowsOf } from './stage.ts'

const ALL = 100

/** The first answers to requests for a path are lost; of imports, those that are not dry runs. */
const stage = async (t: ExecutionContext, lost: number, path = '/api/user/import') => {
  const beside = await besideService(t)
  const { data, port } = beside.service
  const [file, passwords] = [join(data, 'people.csv'), join(data, 'passwords.txt')]
  await writeFile(file, 'name,role\ncarol,tester\ndave,auditor\n')
  const first = [...(path.endsWith('/import') ? [passTo] : []), ...Array.from({ length: lost }, () => breakOff)]
  const { url } = await startProxy(t, port, path, first)
  const environment = { ...(await beside.at('admin')), BERTH_URL: url }
  const run = (...line: readonly string[]): Promise<Ran> => type(line, environment, { waitMax: 300 })
  return { ...beside, file, passwords, run }
}

test('an import whose answer is lost asks again, adds nobody twice and prints passwords that work', async (t) => {
  const { file, run, names, whoIs } = await stage(t, 1)
  const { code, out, error } = await run('user', 'import', file)
  t.deepEqual([code, error], [0, 'berth: 2 users added\n'])
  for (const [id, name, password] of rowsOf(out)) t.is(await whoIs(name, password), id)
  t.deepEqual(await names(), [...PEOPLE, 'carol', 'dave'])
})

test('an import whose answers are all lost prints the passwords, and says that it is not known', async (t) => {
  const { file, run, names, whoIs } = await stage(t, ALL)
  const { code, out, error } = await run('user', 'import', file)
  t.is(code, 1)
  t.regex(
    error,
    /^berth: the service at .* cannot be reached: .*\nberth: it is not known whether they were added; if they were, they have the passwords that were printed\n$/,
  )
  t.deepEqual(await names(), [...PEOPLE, 'carol', 'dave'])
  for (const [id, name, password] of rowsOf(out)) t.is(await whoIs(name, password), id)
})

test('with --passwords the file stays then, and the command names it', async (t) => {
  const { file, passwords, run, whoIs } = await stage(t, ALL)
  const { code, out, error } = await run('user', 'import', file, '--passwords', passwords)
  t.deepEqual([code, out], [1, ''])
  t.true(error.endsWith(`; if they were, they have the passwords in ${passwords}\n`), error)
  for (const [id, name, password] of rowsOf(await readFile(passwords, 'utf8'))) t.is(await whoIs(name, password), id)
})

test('a user, a new password, a token and a SUT survive a lost answer too, and are made once', async (t) => {
  const { run, names, whoIs } = await stage(t, 1, '/api/user/create')
  const added = await run('user', 'add', 'carol', '--role', 'tester')
  t.deepEqual([added.code, added.error], [0, ''])
  const [id, password] = added.out.split('\n')
  t.is(await whoIs('carol', password), id)
  t.deepEqual(await names(), [...PEOPLE, 'carol'])

  const other = await stage(t, 1, '/password')
  const changed = await other.run('user', 'passwd', 'alice')
  t.deepEqual([changed.code, changed.error], [0, ''])
  t.is(await other.whoIs('alice', changed.out.trimEnd()), idOf('alice'))

  const third = await stage(t, 1, '/token')
  const issued = await third.run('token', 'issue', 'alice', '--name', 'ci')
  t.is(issued.code, 1)
  t.regex(issued.error, /^berth: the token [0-9a-f]{24} was issued, but the answer that had it was lost; revoke it\n$/)

  const hooks = await stage(t, 1, '/api/webhook/create')
  const add = ['webhook', 'add', '--url', 'http://127.0.0.1:1/', '--types', 'SutCreated,SutRetired']
  t.regex(
    (await hooks.run(...add)).error,
    /^berth: the webhook [0-9a-f]{24} has a new secret, but the answer .* replace it\n$/,
  )
  t.regex((await hooks.run(...add)).out, /^[0-9a-f]{24}\nwhsec_.{44}\n$/)
  const { webhooks } = (await hooks.service.as('admin').get('/api/webhook')).json as {
    webhooks: readonly { types: unknown }[]
  }
  t.deepEqual(
    webhooks.map(({ types }) => types),
    [
      ['SutCreated', 'SutRetired'],
      ['SutCreated', 'SutRetired'],
    ],
  )

  const fourth = await stage(t, 1, '/api/sut/create')
  const sut = await fourth.run('sut', 'add', 'lab-1', '--address', '192.168.9.5', '--port', '5900', '--type', 'vnc')
  t.deepEqual([sut.code, sut.error], [0, ''])
  const { suts } = (await fourth.service.as('admin').get('/api/sut')).json as { suts: readonly { _id: string }[] }
  t.deepEqual(
    suts.map(({ _id }) => `${_id}\n`),
    [sut.out],
  )
})

test('where the answers to a change are all lost, the command says that it is not known whether it was made', async (t) => {
  const { run, names } = await stage(t, ALL, '/api/user/create')
  const { code, out, error } = await run('user', 'add', 'carol', '--role', 'tester')
  t.deepEqual([code, out], [1, ''])
  t.regex(error, /\nberth: it is not known whether the service did what was asked\n$/)
  t.true((await names()).includes('carol'))
})

test('where no service listens at BERTH_URL, nothing is asked again, and no file is left', async (t) => {
  const { service, file, passwords, at } = await stage(t, 0)
  const environment = await at('admin')
  await service.stop()
  const { code, error } = await type(['user', 'import', file, '--passwords', passwords], environment)
  t.is(code, 1)
  t.regex(error, /^berth: the service at http:\/\/127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED .*\n$/)
  await t.throwsAsync(readFile(passwords), { code: 'ENOENT' })
})

test('a change of a SUT whose answer is lost asks again, and is recorded once', async (t) => {
  const { service, run } = await stage(t, 1, '/tags')
  const made = await service.as('admin').post('/api/sut/create', aSut({ name: 'lab-1' }))
  t.regex((await run('sut', 'tags', 'lab-1', '--set', 'rack=4')).out, /\ntags\track=4\n/)
  const history = await service.as('admin').get(`/api/sut/${made.json._id}/history`)
  t.is((history.json.events as readonly { type: string }[]).filter(({ type }) => type === 'berth.SutUpdated').length, 1)
})
