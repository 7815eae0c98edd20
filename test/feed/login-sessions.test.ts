import test from 'ava'
import { idOf, type Running, start } from '../http/harness.ts'
import { bearer, begin, within } from '../http/logins/login.ts'
import { createSut, NOW } from '../http/requests.ts'
import { stopwatch } from '../http/until.ts'
import { eventsIn, type OpenStream, openStream } from './readers.ts'

/** Streams that were opened with sessions. */

const openWith = async ({ port }: Running, session: string): Promise<OpenStream> => {
  const stream = await openStream(port, '', { headers: { ...bearer(session) } })
  await stream.until((so) => eventsIn(so).length > 0)
  return stream
}

/** Whether a stream still gets what happens. */
const isLive = async (service: Running, stream: OpenStream): Promise<boolean> => {
  const sut = await createSut(service.as('admin'))
  await stream.until((so) => eventsIn(so).some(({ data }) => String(data).includes(sut)))
  return true
}

const lastError = ({ reading }: OpenStream): unknown => {
  const { kind, data } = reading().messages.at(-1) ?? {}
  return kind === 'error' ? JSON.parse(String(data)).code : kind
}

test('a logout ends the streams of its session within 2 s, and no others', async (t) => {
  const service = await start(t, { now: NOW })
  const [session, other] = [await begin(service, 'audrey'), await begin(service, 'audrey')]
  const [ended, live] = [await openWith(service, session), await openWith(service, other)]
  const taken = stopwatch()
  await within(service, session).post('/api/logout', {})
  t.is(await ended.ended, 'whole')
  t.true(taken() < 2_000)
  t.is(lastError(ended), 'user_changed')
  t.true(await isLive(service, live))
  await service.as('audrey').post('/api/logout', { everywhere: true })
  t.is(await live.ended, 'whole')
})

test('a logout everywhere leaves the streams that a password has opened', async (t) => {
  const service = await start(t, { now: NOW })
  const own = await openStream(service.port)
  await own.until((so) => eventsIn(so).length > 0)
  const ended = await openWith(service, await begin(service, 'audrey'))
  await service.as('audrey').post('/api/logout', { everywhere: true })
  t.is(await ended.ended, 'whole')
  t.true(await isLive(service, own))
})

test('streams of a session end with a new password and with a removal', async (t) => {
  const service = await start(t, { now: NOW })
  const path = `/api/user/${idOf('audrey')}`
  const first = await openWith(service, await begin(service, 'audrey'))
  await service.as('admin').post(`${path}/password`, { password: 'correct horse audrey' })
  t.is(await first.ended, 'whole')
  const second = await openWith(service, await begin(service, 'audrey'))
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  t.is(await second.ended, 'whole')
})

test('a stream ends when its session expires, although the session was renewed meanwhile', async (t) => {
  const service = await start(t, { now: NOW })
  const session = await begin(service, 'audrey')
  const stream = await openWith(service, session)
  service.clock.set('2030-05-02T12:00:00.000Z')
  const renewed = await within(service, session).post('/api/login/renew', {})
  const live = await openWith(service, String(renewed.json.session))
  service.clock.set('2030-05-02T17:58:11.400Z')
  t.is(await stream.ended, 'whole')
  t.is(lastError(stream), 'user_changed')
  t.true(await isLive(service, live))
})
