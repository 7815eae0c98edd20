import { join } from 'node:path'
import test from 'ava'
import { idOf, start, temporaryData } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { aSut, importedUser } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { changedStore } from '../store/stores.ts'

test('/api/user/me returns all of the user itself, as /api/user/:id does', async (t) => {
  const { ask } = await lab(t)
  for (const [name, role] of [
    ['admin', 'administrator'],
    ['alice', 'tester'],
    ['audrey', 'auditor'],
  ] as const) {
    const answer = await ask(name, 'GET /api/user/me')
    t.is(answer.text, importedUser(name, role))
    t.is((await ask(name, `GET /api/user/${idOf(name)}`)).text, answer.text)
  }
})

test('health checks need no credentials and ignore wrong ones', async (t) => {
  const service = await start(t)
  for (const [path, status] of [
    ['/health/live', 'live'],
    ['/health/ready', 'ready'],
  ] as const) {
    for (const headers of [{}, { Authorization: 'Basic Og==' }]) {
      const answer = await service.anyone.get(path, headers)
      t.deepEqual([answer.status, answer.text], [200, JSON.stringify({ status })])
      t.is(answer.headers['content-type'], 'application/json')
      t.truthy(answer.headers['x-request-id'])
      t.is((await service.anyone.request('HEAD', path, headers)).status, 200)
    }
  }
})

test('during catch-up the service is live but not ready, with Retry-After, and metrics can be read', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  const never = changedStore(path, (store) => ({
    async *subscribe(after, signal) {
      for await (const batch of store.subscribe(after, signal)) yield { ...batch, caughtUp: false }
    },
  }))
  const service = await start(t, { openStore: never })
  t.is((await service.anyone.get('/health/live')).status, 200)
  const ready = await service.anyone.get('/health/ready')
  t.deepEqual([said(ready), said(await service.as('admin').get('/api/user/me'))], Array(2).fill('503 unavailable'))
  const ok = ['service', 'store', 'users', 'vault', 'clock', 'gateway'].map((part) => [part, 'ok'])
  t.deepEqual(ready.json.parts, { ...Object.fromEntries(ok), views: 'behind' })
  t.regex(String(ready.json.detail), /views behind/)
  t.regex((await service.as('audrey').get('/metrics')).text, /^berth_ready 0$/m)
})

test('OPTIONS needs no credentials where GET needs none, also for a plain check in HTTP/1.0', async (t) => {
  const service = await start(t)
  for (const path of ['/', '/health/live', '/health/ready', '/guide', '/guide/errors']) {
    const answer = await service.anyone.request('OPTIONS', path)
    t.deepEqual([answer.status, answer.headers.allow, answer.text], [200, 'GET, HEAD, OPTIONS', ''], path)
    // As HAProxy sends it.
    t.is((await exchange(service.port, `OPTIONS ${path} HTTP/1.0\r\n\r\n`))?.status, 200, path)
  }
  t.is((await service.anyone.request('OPTIONS', '/api/sut')).status, 401)
})

test('no response may be taken for another media type than it says', async (t) => {
  const { anyone, ask } = await lab(t)
  const answers = [
    ...[await ask('admin', 'GET /api/sut'), await ask('admin', 'POST /api/sut/create', aSut())],
    ...[await ask('admin', 'GET /api/sut/none'), await anyone.get('/api/sut')],
    ...[await anyone.get('/openapi.json'), await anyone.get('/')],
  ]
  for (const { headers, status } of answers) t.is(headers['x-content-type-options'], 'nosniff', String(status))
})

test('a response with a new token or password is kept by nothing on its way, and one without may be', async (t) => {
  const { ask } = await lab(t)
  for (const [path, body, kept] of [
    ['/api/user/create', { name: 'made', role: 'tester' }, 'no-store'],
    ['/api/user/create', { name: 'given', role: 'tester', password: 'correct horse' }, undefined],
    ['/api/user/import', { users: [{ name: 'imported', role: 'tester' }] }, 'no-store'],
    ['/api/user/me/token', { name: 'ci' }, 'no-store'],
    ['/api/login', { name: 'given', password: 'correct horse' }, 'no-store'],
  ] as const) {
    const { status, headers } = await ask('admin', `POST ${path}`, body)
    t.true(status < 300, path)
    t.is(headers['cache-control'], kept, path)
  }
})
