/** Who gets a ticket for a console, and what it opens. */

import test from 'ava'
import { idOf } from '../../http/harness.ts'
import { said } from '../../http/lab.ts'
import { createSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { freePorts } from '../peers.ts'
import {
  forwarding,
  INVALID,
  isOpen,
  NEXT_QUARTER,
  opened,
  type Refused,
  reserveFor,
  running,
  SOON,
  ticketFor,
  tryAt,
} from './stage.ts'

test('a ticket is for the holder alone', async (t) => {
  const stage = await forwarding(t)
  const path = await running(stage)
  const ask = (who: string, of = path) => stage.service.as(who).request('POST', `${of}/console`)
  for (const who of ['admin', 'bob']) t.is(said(await ask(who)), '403 not_your_reservation')
  t.is(said(await ask('audrey')), '403 forbidden')
  t.is(said(await ask('alice', '/api/sut_reservation/58c38f5d444553252cce0000')), '404 reservation_not_found')
  const { status, json, headers } = await ask('alice')
  t.deepEqual([status, Object.keys(json), headers['cache-control']], [200, ['url', 'expires_at'], 'no-store'])
  t.regex(String(json.url), /^\/api\/console\/[\w-]+$/)
  t.is(json.expires_at, '2030-05-02T06:02:30.000Z')
})

test('thorough: a ticket is issued only while a reservation of a vnc SUT is running', async (t) => {
  const stage = await forwarding(t)
  const { service } = stage
  const ask = async (path: string, verb = 'console') =>
    said(await service.as('alice').request('POST', `${path}/${verb}`))
  const path = await running(stage)
  const next = await reserveFor(stage, NEXT_QUARTER)
  t.is(await ask(next), '409 reservation_not_running')
  await ask(next, 'cancel')
  t.is(await ask(next), '410 reservation_cancelled')
  await ask(path, 'cancel')
  t.is(await ask(path), '409 reservation_over')
  const again = await reserveFor(stage, NEXT_QUARTER)
  service.clock.set('2030-05-02T06:15:00.000Z')
  await opened(stage, again)
  service.clock.set('2030-05-02T06:30:00.000Z')
  service.tick()
  await until('the port is closed', async () => (await ask(again)) === '409 reservation_over', 5_000)
  await service.as('admin').post(`/api/sut/${stage.sutId}/update`, { sut_type: 'rdp' })
  t.is(await ask(again), '409 not_vnc')
})

test('a SUT that another instance forwards has no console here, and none has without a gateway', async (t) => {
  for (const environment of [{ BERTH_GATEWAY_SUTS: 'site=berlin' }, { BERTH_GATEWAY: 'off' }]) {
    const stage = await forwarding(t, {}, { environment })
    const refused = await stage.service.as('alice').request('POST', `${await reserveFor(stage)}/console`)
    t.is(said(refused), '409 not_forwarded')
  }
})

test('a ticket opens one console, from the start of its reservation until it expires', async (t) => {
  const stage = await forwarding(t)
  const path = await reserveFor(stage)
  const asked = ticketFor(stage, path)
  stage.service.tick()
  const [url, late, expired] = [await asked, await ticketFor(stage, path), await ticketFor(stage, path)]
  const tried = await Promise.all([tryAt(t, stage, url), tryAt(t, stage, url), tryAt(t, stage, url)])
  t.is(tried.filter(isOpen).length, 1)
  for (const refused of tried.filter((each) => !isOpen(each))) t.deepEqual(refused, INVALID)
  t.deepEqual(await tryAt(t, stage, url), INVALID)
  stage.service.clock.set('2030-05-02T06:02:29.999Z')
  t.true(isOpen(await tryAt(t, stage, late)))
  stage.service.clock.set('2030-05-02T06:02:30.000Z')
  t.deepEqual(await tryAt(t, stage, expired), INVALID)
})

test('a ticket with any character changed is not valid', async (t) => {
  const stage = await forwarding(t)
  const url = await ticketFor(stage, await running(stage))
  const start = '/api/console/'.length
  for (let place = start; place < url.length; place += 7) {
    const other = url[place] === 'A' ? 'B' : 'A'
    t.deepEqual(await tryAt(t, stage, url.slice(0, place) + other + url.slice(place + 1)), INVALID, String(place))
  }
  for (const changed of [`${url}A`, url.slice(0, -1), `${url}.A`, `${url}=`, '/api/console/a.b', '/api/console/..']) {
    t.deepEqual(((await tryAt(t, stage, changed)) as Refused)[0], changed.endsWith('..') ? 401 : 403, changed)
  }
  // The last character holds six bits, of which four count.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const twin = alphabet[alphabet.indexOf(url.at(-1) as string) ^ 1] as string
  t.deepEqual(await tryAt(t, stage, url.slice(0, -1) + twin), INVALID, 'another form of the same bytes')
  t.true(isOpen(await tryAt(t, stage, url)), 'control: the ticket itself is valid')
})

test('thorough: a ticket is valid at every instance with the key, and at no other', async (t) => {
  const keys = (fill: number): string => `k${fill}:${Buffer.alloc(32, fill).toString('base64')}`
  const one = await forwarding(t, {}, { environment: { BERTH_VAULT_KEY: keys(1) } })
  const url = await ticketFor(one, await running(one))
  const rotated = await forwarding(t, {}, { environment: { BERTH_VAULT_KEY: `${keys(2)},${keys(1)}` } })
  await running(rotated)
  // It knows the key, but not the reservation.
  t.deepEqual(await tryAt(t, rotated, url), [404, 'reservation_not_found'])
  const stranger = await forwarding(t, {}, { environment: { BERTH_VAULT_KEY: keys(2) } })
  t.deepEqual(await tryAt(t, stranger, url), INVALID)
  t.true(isOpen(await tryAt(t, one, url)))
})

test('thorough: a gateway full of others refuses a console and keeps its ticket valid', async (t) => {
  const [first, second] = await freePorts(2)
  const stage = await forwarding(
    t,
    {},
    { environment: { BERTH_GATEWAY_CONNECTIONS_MAX: '1', BERTH_LISTEN_PORTS: `${first}-${second}` } },
  )
  const other = await tryAt(t, stage, await ticketFor(stage, await running(stage)))
  const { json } = await stage.service.as('admin').get(`/api/sut/${stage.sutId}`)
  const { address, port } = json
  const sutId = await createSut(stage.service.as('admin'), { address, port, sut_type: 'vnc' })
  const url = await ticketFor(stage, await running({ ...stage, sutId }))
  t.deepEqual(await tryAt(t, stage, url), [503, 'gateway_full'])
  const { text } = await stage.service.as('admin').get('/metrics')
  t.regex(text, /^berth_gateway_refused_total\{reason="full"\} 1$/m)
  if ('socket' in other) other.socket.close()
  await until('room', async () => isOpen(await tryAt(t, stage, url)), SOON)
})

test('thorough: a ticket is in no log line, summary or metric', async (t) => {
  const stage = await forwarding(t)
  const { service } = stage
  const url = await ticketFor(stage, await running(stage))
  t.deepEqual(await tryAt(t, stage, url, { origin: 'https://elsewhere.example' }), [403, 'cross_site'])
  t.is((await service.anyone.get(url)).status, 426)
  t.true(isOpen(await tryAt(t, stage, url)))
  t.deepEqual(await tryAt(t, stage, url), INVALID)
  const { text } = await service.as('admin').get('/metrics')
  const events = (await service.as('admin').get('/api/events?limit=1000')).text
  const told = JSON.stringify([service.log, service.answered]) + text + events
  t.false(told.includes(url.slice('/api/console/'.length)))
  const summaries = service.answered.filter(({ route }) => route === '/api/console/:ticket')
  t.deepEqual(
    summaries.map(({ status, code }) => [status, code]),
    [
      [403, 'cross_site'],
      [426, 'upgrade_required'],
      [101, undefined],
      [403, 'ticket_invalid'],
    ],
  )
  t.is(summaries[2]?.user?._id, idOf('alice'))
  t.regex(text, /^berth_http_requests_total\{route="\/api\/console\/:ticket",method="GET",status="101"\} 1$/m)
})
