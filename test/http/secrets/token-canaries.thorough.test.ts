import test from 'ava'
import { serve } from '../../process/harness.ts'
import { type Answer, basic } from '../client.ts'
import { temporaryData } from '../harness.ts'
import { leaks, placeOf, writtenBy } from './canary.ts'
import { canary } from './secret-requests.ts'

/** Tokens are kept nowhere, and their names only sealed in the vault. */

const PASSWORD = 'a password of the administrator'

test('no token and no name of one is in any file, log line or further answer, even after a crash', async (t) => {
  const data = await temporaryData(t)
  const env = { BERTH_LOG_LEVEL: 'trace', BERTH_ADMIN_PASSWORD: PASSWORD }
  const service = await serve(t, { data, env })
  const admin = service.as('admin', PASSWORD)
  const name = canary()
  const issue = (key: string) =>
    admin.post('/api/user/me/token', { name, expires_in: 3_600 }, { 'Idempotency-Key': key })
  const [first, second] = [await issue('one'), await issue('two')]
  t.deepEqual([first.status, second.status], [201, 201])
  const tokens = [first, second].map(({ json }) => String(json.token))
  const [token = '', other = ''] = tokens
  const sought = {
    ...Object.fromEntries(tokens.map((text, n) => [`token ${n}`, Buffer.from(text)])),
    ...Object.fromEntries(
      tokens.map((text, n) => [`the secret of token ${n}`, Buffer.from(text.slice(6), 'base64url').subarray(12)]),
    ),
  }
  const names = { 'the name': Buffer.from(name) }
  const everywhere = () => writtenBy(service, data)

  const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })
  const path = `/api/user/me/token/${second.json._id}/revoke`
  const answers = [
    await issue('one'),
    await service.get('/api/user/me', bearer(token)),
    await service.get('/api/user/me', { Authorization: basic(token, '') }),
    await service.get('/api/user/me/token', bearer(token)),
    await service.post(path, {}, bearer(token)),
    await service.get('/api/user/me', bearer(other)),
    await service.get('/api/user/me', bearer(`${token}x`)),
    await service.get('/api/user/me', { Authorization: basic(`${token}x`, token) }),
    await service.get('/api/user/me', { Authorization: `Token ${token}` }),
    await service.get(`/api/user/${token}/token`, bearer(token)),
    await admin.get(`/api/user/${token}`),
    await admin.post('/api/user/me/token', { name: token, role: token }),
    await admin.post(`/api/user/me/token/${token}/revoke`, {}),
    await admin.get('/api/events?limit=1000'),
  ]
  t.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200, 200, 200, 401, 401, 401, 401, 403, 404, 422, 404, 200],
  )
  const echoes = answers.slice(9, 13)
  const others = answers.filter((answer) => !echoes.includes(answer))
  t.deepEqual(leaks(sought, [...others.map(placeOf), ...(await everywhere())]), [])
  t.deepEqual(leaks(names, [placeOf(answers.at(-1) as Answer), ...(await everywhere())]), [])

  const dying = Array.from({ length: 20 }, (_, n) => issue(`dying ${n}`).catch(() => undefined))
  await dying[0]
  service.signal('SIGKILL')
  await Promise.all([...dying, service.exited])
  t.deepEqual(leaks({ ...sought, ...names }, await everywhere()), [])

  const again = await serve(t, { data, env })
  t.is((await again.get('/api/user/me', bearer(token))).status, 200)
  t.is((await again.get('/api/user/me', bearer(other))).status, 401)
  const { text } = await again.as('admin', PASSWORD).get('/api/user/me/token')
  t.true(JSON.parse(text).tokens.every((one: { name: string }) => one.name === name))
  await again.stop()
  t.deepEqual(leaks({ ...sought, ...names }, await everywhere()), [])
})
