import test, { type ExecutionContext } from 'ava'
import { pass, passIdle } from '../../../processes/kept.ts'
import { settle } from '../../../processes/recorded.ts'
import type { Answer } from '../../client.ts'
import { idOf, start } from '../../harness.ts'
import { said } from '../../lab.ts'
import { allEventsOf } from '../../store/log-rows.ts'
import { hold, requestLab } from './stage.ts'

/** A machine that bob has for an hour, and two who wait for it: the first has to be kept alive. */
const stage = async (t: ExecutionContext) => {
  const service = await requestLab(t)
  // Nobody is passed over before it has been ready for as long.
  await settle([service])
  const giveBack = await hold(service)
  const first = await service.wish('alice', { keepalive: 30 })
  const second = await service.wish('admin')
  const kept = async () =>
    (await allEventsOf(service)).flatMap(({ type, metadata }) =>
      type === 'RequestKept' ? [`${metadata.actor} ${metadata.time.slice(14, 19)}`] : [],
    )
  const keep = (made: Answer, who: string, headers = {}) =>
    service.ask(who, `POST ${service.at(made)}/keepalive`, undefined, headers)
  return { ...service, service, giveBack, first, second, kept, keep }
}

const untilIn = ({ headers }: Answer): unknown => headers['keepalive-until']

test('a request is kept alive by whom it is for and who made it, by reading it and by saying so', async (t) => {
  const { ask, at, clock, first, keep, kept, wish } = await stage(t)
  t.is(untilIn(first), '2030-05-02T05:58:41.400Z')
  const forBob = await wish('admin', { user_id: idOf('bob'), keepalive: 30 })
  clock.set('2030-05-02T05:58:26.400Z')
  t.is(untilIn(await ask('alice', `GET ${at(first)}`)), '2030-05-02T05:58:41.400Z', 'half of the time is left')
  t.deepEqual(await kept(), [])
  clock.set('2030-05-02T05:58:27.000Z')
  for (const who of ['audrey', 'bob', 'admin']) await ask(who, `GET ${at(first)}`)
  t.deepEqual(await kept(), [], 'others read it')
  t.is(untilIn(await ask('alice', `GET ${at(first)}`)), '2030-05-02T05:58:57.000Z')
  await ask('admin', `GET ${at(forBob)}`)
  t.deepEqual(await kept(), [`${idOf('alice')} 58:27`, `${idOf('admin')} 58:27`])
  clock.set('2030-05-02T05:58:43.000Z')
  const byAdmin = await keep(first, 'admin')
  t.deepEqual([byAdmin.status, byAdmin.json.status, untilIn(byAdmin)], [200, 'waiting', '2030-05-02T05:59:13.000Z'])
  t.is((await kept()).at(-1), `${idOf('admin')} 58:43`)
  const again = await keep(first, 'alice', { 'Idempotency-Key': 'any' })
  t.is(untilIn(again), '2030-05-02T05:59:13.000Z')
  t.is((await kept()).length, 3)
})

test('what is no request to keep alive is refused, and says how it ended', async (t) => {
  const { ask, at, first, giveBack, keep, second, untilStatus } = await stage(t)
  t.is(said(await keep(first, 'bob')), '403 not_your_request')
  t.is(said(await keep(second, 'admin')), '409 not_kept_alive')
  await giveBack()
  await untilStatus(first, 'granted')
  const granted = await keep(first, 'alice')
  t.is(said(granted), '409 request_granted')
  t.is(typeof granted.json.sut_reservation_id, 'string')
  await ask('admin', `POST ${at(second)}/withdraw`, {})
  t.is(said(await keep(second, 'admin')), '409 request_over')
})

test('one that nobody asks for is passed over, in its place and its reasons, and expires after twice as long', async (t) => {
  const { ask, first, giveBack, read, recorded, second, service, untilStatus } = await stage(t)
  t.is((await read(second)).position, 1)
  await passIdle([service], 31)
  t.is((await read(second)).position, 0)
  t.deepEqual(((await read(first)).waits_for as readonly string[])[1], PASSED_OVER)
  const { json } = await ask('audrey', 'GET /api/sut_request?status=waiting')
  const passed = (json.sut_requests as readonly { _id: string; passed_over?: true }[]).map(({ _id, passed_over }) => [
    _id,
    passed_over,
  ])
  t.deepEqual(passed, [
    [second.json._id, undefined],
    [first.json._id, true],
  ])
  await giveBack()
  await untilStatus(second, 'granted')
  t.is((await read(first)).status, 'waiting')
  await passIdle([service], 28)
  t.is((await read(first)).status, 'waiting')
  await passIdle([service], 2)
  await untilStatus(first, 'expired')
  t.is((await read(first)).cause, 'keepalive')
  t.like((await recorded()).findLast(({ type }) => type === 'RequestExpired')?.data, { cause: 'keepalive' })
})

const PASSED_OVER =
  'Nobody has asked for it since 2030-05-02T05:58:11+00:00: it is passed over, and expires at 2030-05-02T05:59:11+00:00.'

test('a request that was passed over does not count for its user, and takes a place when it comes back', async (t) => {
  const { first, keep, service, wish } = await stage(t)
  await passIdle([service], 31)
  for (let n = 0; n < 100; n++) t.is((await wish('alice')).status, 201)
  t.is(said(await wish('alice')), '409 too_many_requests')
  t.is(said(await keep(first, 'alice')), '409 too_many_requests')
})

test('after a downtime nobody is passed over before there was time to ask again', async (t) => {
  const { service, first, second, at } = await stage(t)
  await service.stop()
  const again = await start(t, { data: service.data, now: '2030-05-02T06:08:11.400Z' })
  await pass([again], 15)
  t.is((await again.as('audrey').get(at(second))).json.position, 1)
  const read = await again.as('alice').get(at(first))
  t.deepEqual([read.json.status, untilIn(read)], ['waiting', '2030-05-02T06:08:56.400Z'])
})
