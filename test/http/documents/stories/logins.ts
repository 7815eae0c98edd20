import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { passwordOf } from '../../client.ts'
import type { Running } from '../../harness.ts'
import { makeAsk } from './story.ts'

/** What the examples show in place of a session. */
export const SESSION =
  'WyI2ZGI0YTc4M2Y4MTk0YWQ5ZTBjMWEyYjMiLCI1OTA3ODA5MTQ0NDU1MzQ1NDAxOTAwMDEiLDIsMiwxOTAzOTc1ODkxNDAwLDE5MDQ1Mzc0OTE0MDAsIjBhIl0.n5Yx0VYkq0mVtKkqT0m3p0c7Xr1a6mQeWb2dUuJt8sE'

/** Examples of a session from the login to the logout. */
export const tellLogins = async (service: Running, examples: Example[]): Promise<void> => {
  const own: Example[] = []
  const ask = makeAsk(service, own)
  const login = 'POST /api/login'
  const credentials = { name: 'alice', password: passwordOf('alice') }
  const begun = await ask(login, 'A tester', { who: '', body: credentials })
  await ask(login, 'A wrong password', { who: '', body: { ...credentials, password: 'battery staple' } })
  const headers = { Authorization: `Bearer ${begun.session}` }
  service.clock.set('2030-05-02T12:00:00Z')
  const renewed = await ask('POST /api/login/renew', 'Six hours later', { who: '', body: {}, headers })
  await ask('POST /api/login/renew', 'Without a session', { who: 'alice', body: {} })
  await ask('POST /api/logout', 'This session', { who: '', body: {}, headers })
  await ask('POST /api/logout', 'All sessions, with a password', { who: 'alice', body: { everywhere: true } })
  const text = JSON.stringify(own)
    .replaceAll(String(begun.session), SESSION)
    .replaceAll(String(renewed.session), SESSION)
  const shown = JSON.parse(text.replaceAll(credentials.password, 'correct horse battery staple'))
  examples.push(...(shown as readonly Example[]))
}
