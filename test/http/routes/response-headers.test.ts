import test from 'ava'
import { start } from '../harness.ts'
import { aSut } from '../requests.ts'

test('no response may be taken for another media type than it says', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const answers = [
    await admin.get('/api/sut'),
    await admin.post('/api/sut/create', aSut()),
    await admin.get('/api/sut/none'),
    await service.anyone.get('/api/sut'),
    await service.anyone.get('/openapi.json'),
    await service.anyone.get('/'),
  ]
  for (const { headers, status } of answers) t.is(headers['x-content-type-options'], 'nosniff', String(status))
})

test('a response with a new token or password is kept by nothing on its way, and one without may be', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const kept = async (path: string, body: object): Promise<unknown> => {
    const { status, headers } = await admin.post(path, body)
    t.true(status < 300, path)
    return headers['cache-control']
  }
  t.is(await kept('/api/user/create', { name: 'made', role: 'tester' }), 'no-store')
  t.is(await kept('/api/user/create', { name: 'given', role: 'tester', password: 'correct horse' }), undefined)
  t.is(await kept('/api/user/import', { users: [{ name: 'imported', role: 'tester' }] }), 'no-store')
  t.is(await kept('/api/user/me/token', { name: 'ci' }), 'no-store')
  t.is(await kept('/api/login', { name: 'given', password: 'correct horse' }), 'no-store')
})
