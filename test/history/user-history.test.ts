import test from 'ava'
import { start } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'
import { leaks } from '../http/secrets/canary.ts'
import { canary } from '../http/secrets/secret-requests.ts'

interface Shown {
  readonly type: string
  readonly subject: string
  readonly changes: readonly { readonly path: string }[]
}

test('the history of a user, erased by now, has what changed, without its secrets', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const [name, password, second] = [canary(), canary(), canary()]
  const made = await admin.post('/api/user/create', { name, role: 'auditor', password })
  const id = String(made.json._id)
  for (const [path, body] of [
    ['update', { role: 'tester' }],
    ['update', { name: second }],
    ['remove', { reservations: 'keep' }],
    ['restore', {}],
    ['remove', { reservations: 'cancel' }],
    ['erase', {}],
  ] as const) {
    t.is((await admin.post(`/api/user/${id}/${path}`, body)).status, 200, path)
  }
  const answered = await service.as('audrey').get(`/api/user/${id}/history`)
  const events = answered.json.events as readonly Shown[]
  t.deepEqual(
    events.map(({ type, subject, changes }) => [type, subject === id, ...changes.map(({ path }) => path)]),
    [
      ['berth.UserAdded', true, '/role', '/scope', '/name', '/password'],
      ['berth.UserChanged', true, '/role'],
      ['berth.UserChanged', true, '/name'],
      ['berth.UserRemoved', true],
      ['berth.UserRestored', true],
      ['berth.UserRemoved', true],
      ['berth.UserErased', true],
    ],
  )
  t.deepEqual(
    [await service.as('bob').get(`/api/user/${id}/history`), await service.as('bob').get('/api/user/me/history')].map(
      ({ status }) => status,
    ),
    [403, 200],
  )
  const places = [{ name: 'the history', bytes: Buffer.from(answered.text) }]
  const secrets = { name: Buffer.from(name), password: Buffer.from(password), second: Buffer.from(second) }
  t.deepEqual(leaks(secrets, places), [])
  t.not(leaks({ id: Buffer.from(id) }, places).length, 0, 'control: the same search finds the id')
})
