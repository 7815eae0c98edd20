/** A token that is for metrics reads them and nothing else. Each route is asked with one in authentication/roles.test.ts. */

import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import '../documents/fit-answers.ts'

const MINE = '/api/user/me/token'
const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` })

test('a token of the scope metrics reads the metrics until it is revoked, and is shown with its scope', async (t) => {
  const service = await start(t)
  for (const name of ['audrey', 'admin']) {
    const { status, json } = await service.as(name).post(MINE, { name: 'prometheus', scope: 'metrics' })
    t.deepEqual([status, json.scope], [201, 'metrics'])
    const asked = bearer(json.token)
    t.is((await service.anyone.get('/metrics', asked)).status, 200)
    t.is((await service.anyone.request('HEAD', '/metrics', asked)).status, 200)
    const [token] = (await service.as(name).get(MINE)).json.tokens as readonly { scope: string }[]
    t.is(token?.scope, 'metrics')
    const revoked = await service.as(name).request('POST', `${MINE}/${json._id}/revoke`)
    t.is(revoked.json.scope, 'metrics')
    t.is((await service.anyone.get('/metrics', asked)).status, 401)
  }
})

test('a tester gets none, nor does anybody for the role of one, and there is no other scope', async (t) => {
  const service = await start(t)
  const ask = (name: string, more: object) => service.as(name).post(MINE, { name: 'ci', ...more })
  t.deepEqual(refusalOf(await ask('alice', { scope: 'metrics' })), [403, 'forbidden'])
  t.deepEqual(refusalOf(await ask('admin', { scope: 'metrics', role: 'tester' })), [403, 'forbidden'])
  t.is((await ask('admin', { scope: 'metrics', role: 'auditor' })).status, 201)
  for (const scope of ['everything', '', null]) {
    t.deepEqual(refusalOf(await ask('admin', { scope })), [422, 'invalid', '#/scope'])
  }
  const plain = await ask('audrey', {})
  t.false('scope' in plain.json)
  t.is((await service.anyone.get('/api/sut', bearer(plain.json.token))).status, 200)
})

test('the command issues one and lists it as such', async (t) => {
  const service = await start(t)
  const run = (...line: readonly string[]) =>
    type(line, { BERTH_DATA: service.data, ...sharedEnvironment(service.data) })
  const issued = await run('token', 'issue', 'audrey', '--name', 'prometheus', '--scope', 'metrics')
  t.deepEqual([issued.code, issued.error], [0, ''])
  const [id, token] = issued.out.split('\n')
  t.is((await service.anyone.get('/metrics', bearer(token))).status, 200)
  t.true((await run('token', 'list', 'audrey')).out.startsWith(`${id}\tprometheus\tauditor\t-\tmetrics\t`))
  const wrong = await run('token', 'issue', 'audrey', '--name', 'x', '--scope', 'team=qa1')
  t.is(wrong.code, 1)
  t.regex(wrong.error, /^berth: 422 invalid: scope must be one of metrics/)
  t.is((await run('verify')).code, 0)
})
