/** Who may connect, as a whole service decides it. A proxy says from where requests come; connections are from here. */

import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../http/client.ts'
import { idOf } from '../http/harness.ts'
import { reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import '../http/documents/fit-answers.ts'
import { forwarding, NEXT_QUARTER, opened, QUARTER, reserveFor, running, SOON, type Stage } from './console/stage.ts'
import { connectTo, startSut } from './peers.ts'

const [HERE, ELSEWHERE, THERE] = ['127.0.0.1', '192.0.2.1', '192.0.2.2'] as const

const given = async (t: ExecutionContext, environment: Readonly<Record<string, string>> = {}): Promise<Stage> => {
  const sut = await startSut(t, (socket) => socket.resume().write('machine'))
  return forwarding(t, { port: sut.port }, { environment: { BERTH_TRUSTED_PROXIES: HERE, ...environment } })
}

const bind = ({ service }: Stage, path: string, from: string, who = 'alice'): Promise<Answer> =>
  service.as(who).request('POST', `${path}/update`, { 'X-Forwarded-For': from })

const eventsOf = async ({ service }: Stage) =>
  (await service.as('admin').get('/api/events')).json.events as readonly { type: string; client?: string }[]

test('binding a reservation elsewhere cuts connections from the former address, and extending it does not', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  const first = await connectTo(t, stage.listenPort)
  await first.take(7)
  const from = { 'X-Forwarded-For': ELSEWHERE }
  t.is((await stage.service.as('alice').post(`${path}/extend`, { duration: 1_800 }, from)).status, 200)
  await (await connectTo(t, stage.listenPort)).take(7)

  stage.service.clock.set('2030-05-02T06:03:00.000Z')
  const moved = await bind(stage, path, ELSEWHERE)
  t.is(moved.status, 200)
  t.like(moved.json, { _id: path.split('/').at(-1), updated_at: '2030-05-02T06:03:00.000Z' })
  t.is(await first.ending, 'reset')
  const refused = await connectTo(t, stage.listenPort)
  t.deepEqual([await refused.ending, refused.received().length], ['reset', 0])
  t.is((await bind(stage, path, HERE, 'admin')).status, 200)
  await (await connectTo(t, stage.listenPort)).take(7)
})

test('binding a reservation to the address that it is bound to records nothing', async (t) => {
  const stage = await given(t)
  const path = await reserveFor(stage, NEXT_QUARTER)
  const bindings = async () => (await eventsOf(stage)).filter(({ type }) => type === 'berth.ReservationBound').length
  t.is((await bind(stage, path, ELSEWHERE)).status, 200)
  const at = await bindings()
  stage.service.clock.set('2030-05-02T06:03:00.000Z')
  const again = await bind(stage, path, `::ffff:${ELSEWHERE}`)
  t.like(again.json, { updated_at: '2030-05-02T06:02:00.000Z' })
  t.is(await bindings(), at)
  await bind(stage, path, THERE)
  t.is(await bindings(), at + 1)
})

test('events that come from a request name its client, others none, and no address is in the feed', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  await bind(stage, path, ELSEWHERE)
  await bind(stage, path, THERE)
  await until('the start', async () => (await eventsOf(stage)).some(({ type }) => type.endsWith('Started')), SOON)
  const events = await eventsOf(stage)
  const clientOf = (type: string) =>
    events.filter((event) => event.type === `berth.${type}`).map(({ client }) => client)
  const bound = clientOf('ReservationBound')
  t.is(new Set([...bound, ...clientOf('ReservationCreated')]).size, 3)
  for (const name of bound) t.regex(String(name), /^[^:]+:[\w-]{22}$/)
  t.deepEqual(clientOf('ReservationStarted'), [undefined])
  const { text } = await stage.service.as('admin').get('/api/events')
  for (const address of [ELSEWHERE, THERE]) t.false(text.includes(address))
})

test('IPv6 addresses are compared by the configured number of bits', async (t) => {
  const stage = await given(t, { BERTH_GATEWAY_IPV6_PREFIX: '64' })
  const path = await reserveFor(stage, NEXT_QUARTER)
  await bind(stage, path, '2001:db8:0:1::1')
  const isBoundAt = async (address: string) =>
    (await stage.service.as('alice').get(`${path}/connection`, { 'X-Forwarded-For': address })).json.bound_here
  t.deepEqual(await Promise.all(['2001:db8:0:1:ffff::2', '2001:db8:0:2::1'].map(isBoundAt)), [true, false])
})

test('each refusal is counted, and logged once a minute per reservation and reason', async (t) => {
  const stage = await given(t)
  const { service, sutId, listenPort } = stage
  const made = await reserved(service.as('admin'), { user_id: idOf('alice'), sut_id: sutId, ...QUARTER })
  await opened(stage, String(made.headers.location))
  const counted = async (): Promise<number> => {
    const { text } = await service.as('admin').get('/metrics')
    return Number(/^berth_gateway_refused_total\{reason="not_bound"\} (\d+)$/m.exec(text)?.[1])
  }
  const logged = () => service.log.filter(({ sentence }) => sentence === 'the gateway refused a client').length
  let expected = 0
  const refuseThrice = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) t.is(await (await connectTo(t, listenPort)).ending, 'reset')
    expected += 3
    await until('the refusals are counted', async () => (await counted()) === expected, SOON)
  }
  // The gateway reports refusals of a tenth of a second together: each round is a report of its own.
  for (let n = 0; n < 2; n++) await refuseThrice()
  t.is(logged(), 1)
  service.clock.set('2030-05-02T06:03:00.001Z')
  await refuseThrice()
  t.is(logged(), 2)
})
