import test from 'ava'
import { serve } from '../../process/harness.ts'
import { temporaryData } from '../harness.ts'
import { bearer } from '../logins/login.ts'
import { leaks, placeOf, writtenBy } from './canary.ts'

/** Sessions and epochs are shown and written nowhere but in the answers that begin and renew a session. */

const PASSWORD = 'a password of the administrator'
const CREDENTIALS = { name: 'admin', password: PASSWORD }

/** The whole text, and its parts. */
const soughtOf = (session: string): Readonly<Record<string, Buffer>> => {
  const [payload = '', signature = ''] = session.split('.')
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as readonly unknown[]
  return {
    [`the payload ${payload}`]: Buffer.from(payload),
    [`the signature ${signature}`]: Buffer.from(signature),
    [`the signature of the epoch ${content.at(-1)}`]: Buffer.from(String(content.at(-1))),
  }
}

test('no session and nothing of it is in any file, log line or further answer, even after a crash', async (t) => {
  const data = await temporaryData(t)
  const env = { BERTH_LOG_LEVEL: 'trace', BERTH_ADMIN_PASSWORD: PASSWORD }
  const service = await serve(t, { data, env })
  const begun = await service.post('/api/login', CREDENTIALS)
  const session = String(begun.json.session)
  const renewed = await service.post('/api/login/renew', {}, bearer(session))
  const second = String(renewed.json.session)
  t.deepEqual([begun.status, renewed.status], [200, 200])
  const sought = { ...soughtOf(session), ...soughtOf(second), password: Buffer.from(PASSWORD) }
  const answers = [
    await service.get('/api/user/me', bearer(session)),
    await service.get('/api/user/me', bearer(`${session}x`)),
    await service.get('/api/user/me', { Authorization: `Session ${session}` }),
    await service.post('/api/login', { name: 'admin', password: session }),
    await service.post('/api/login', { name: session, password: PASSWORD }),
    await service.post('/api/login', { ...CREDENTIALS, session }),
    await service.get('/api/events?limit=1000', bearer(second)),
    await service.get('/api/user/me/history', bearer(second)),
    await service.get('/metrics', bearer(second)),
    await service.post('/api/logout', {}, bearer(session)),
    await service.get('/api/user/me', bearer(second)),
    await service.get('/api/events?limit=1000', { Authorization: `Basic ${btoa(`admin:${PASSWORD}`)}` }),
  ]
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 401, 401, 401, 422, 200, 200, 200, 200, 401, 200],
  )
  const everywhere = () => writtenBy(service, data)
  t.deepEqual(leaks(sought, [...answers.map(placeOf), ...(await everywhere())]), [])
  service.signal('SIGKILL')
  await service.exited
  t.deepEqual(leaks(sought, await everywhere()), [])
  const again = await serve(t, { data, env })
  t.is((await again.get('/api/user/me', bearer(session))).status, 401)
  await again.stop()
  t.deepEqual(leaks(sought, await everywhere()), [])
})
