import test, { type ExecutionContext } from 'ava'
import { pass, passIdle } from '../../../processes/kept.ts'
import { settle } from '../../../processes/recorded.ts'
import type { Answer } from '../../client.ts'
import { idOf, type Setting, start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { createSut, NOW, reserve } from '../../requests.ts'
import { allEventsOf, logOf } from '../../store/log-rows.ts'
import { until } from '../../until.ts'
import '../../documents/fit-answers.ts'

type Body = Readonly<Record<string, unknown>>

const PATIENCE_MS = 60_000

/** A machine that bob has for an hour, and two who wait for it: the first has to be kept alive. */
const stage = async (t: ExecutionContext, setting: Setting = {}) => {
  const service = await start(t, { now: NOW, ...setting })
  // Nobody is passed over before it has been ready for as long.
  await settle([service])
  const sut_id = await createSut(service.as('admin'), { name: 'win-1' })
  const window = { sut_id, user_id: idOf('bob'), start_in: 0, duration: 3_600 }
  const held = (await reserve(service.as('bob'), window)).json._id as string
  const ask = (who: string, more: Body = {}): Promise<Answer> =>
    service.as(who).post('/api/sut_request/create', { sut_id, duration: 900, ...more })
  const first = await ask('alice', { keepalive: 30 })
  const second = await ask('admin')
  const at = (made: Answer): string => `/api/sut_request/${made.json._id}`
  const kept = async () =>
    (await allEventsOf(service)).flatMap(({ type, metadata }) =>
      type === 'RequestKept' ? [`${metadata.actor} ${metadata.time.slice(14, 19)}`] : [],
    )
  const untilStatus = (made: Answer, status: string) =>
    until(
      status,
      async () => {
        service.tick()
        return (await service.as('audrey').get(at(made))).json.status === status
      },
      PATIENCE_MS,
    )
  const giveBack = () => service.as('bob').post(`/api/sut_reservation/${held}/cancel`, {})
  return { service, sut_id, first, second, ask, at, kept, untilStatus, giveBack }
}

const untilIn = ({ headers }: Answer): unknown => headers['keepalive-until']

test('a request is kept alive by whom it is for and who made it, by reading it and by saying so', async (t) => {
  const { service, first, at, kept, ask } = await stage(t)
  const [alice, admin] = [service.as('alice'), service.as('admin')]
  t.is(untilIn(first), '2030-05-02T05:58:41.400Z')
  const forBob = await ask('admin', { user_id: idOf('bob'), keepalive: 30 })
  service.clock.set('2030-05-02T05:58:26.400Z')
  t.is(untilIn(await alice.get(at(first))), '2030-05-02T05:58:41.400Z', 'half of the time is left')
  t.deepEqual(await kept(), [])
  service.clock.set('2030-05-02T05:58:27.000Z')
  for (const who of ['audrey', 'bob', 'admin']) await service.as(who).get(at(first))
  t.deepEqual(await kept(), [], 'others read it')
  t.is(untilIn(await alice.get(at(first))), '2030-05-02T05:58:57.000Z')
  await admin.get(at(forBob))
  t.deepEqual(await kept(), [`${idOf('alice')} 58:27`, `${idOf('admin')} 58:27`])
  service.clock.set('2030-05-02T05:58:43.000Z')
  const said = await admin.request('POST', `${at(first)}/keepalive`)
  t.deepEqual([said.status, said.json.status, untilIn(said)], [200, 'waiting', '2030-05-02T05:59:13.000Z'])
  t.is((await kept()).at(-1), `${idOf('admin')} 58:43`)
  const again = await alice.request('POST', `${at(first)}/keepalive`, { 'Idempotency-Key': 'any' })
  t.is(untilIn(again), '2030-05-02T05:59:13.000Z')
  t.is((await kept()).length, 3)
})

test('what is no request to keep alive is refused, and says how it ended', async (t) => {
  const { service, first, second, at, untilStatus, giveBack } = await stage(t)
  const keep = (made: Answer, who: string) => service.as(who).request('POST', `${at(made)}/keepalive`)
  t.deepEqual(refusalOf(await keep(first, 'bob')), [403, 'not_your_request'])
  t.deepEqual(refusalOf(await keep(second, 'admin')), [409, 'not_kept_alive'])
  await giveBack()
  await untilStatus(first, 'granted')
  const granted = await keep(first, 'alice')
  t.deepEqual(refusalOf(granted), [409, 'request_granted'])
  t.is(typeof granted.json.sut_reservation_id, 'string')
  await service.as('admin').post(`${at(second)}/withdraw`, {})
  t.deepEqual(refusalOf(await keep(second, 'admin')), [409, 'request_over'])
})

test('one that nobody asks for is passed over, in its place and its reasons, and expires after twice as long', async (t) => {
  const { service, first, second, at, untilStatus, giveBack } = await stage(t)
  const place = async (made: Answer) => (await service.as('audrey').get(at(made))).json
  t.is((await place(second)).position, 1)
  await passIdle([service], 31)
  t.is((await place(second)).position, 0)
  t.deepEqual(((await place(first)).waits_for as readonly string[])[1], PASSED_OVER)
  const { json } = await service.as('audrey').get('/api/sut_request?status=waiting')
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
  t.is((await place(first)).status, 'waiting')
  await passIdle([service], 28)
  t.is((await place(first)).status, 'waiting')
  await passIdle([service], 2)
  await untilStatus(first, 'expired')
  t.is((await place(first)).cause, 'keepalive')
  const log = await logOf(service)
  t.like(log.findLast(({ type }) => type === 'RequestExpired')?.data, { cause: 'keepalive' })
})

const PASSED_OVER =
  'Nobody has asked for it since 2030-05-02T05:58:11+00:00: it is passed over, and expires at 2030-05-02T05:59:11+00:00.'

test('a request that was passed over does not count for its user, and takes a place when it comes back', async (t) => {
  const { service, first, ask, at } = await stage(t)
  await passIdle([service], 31)
  for (let n = 0; n < 100; n++) t.is((await ask('alice')).status, 201)
  t.deepEqual(refusalOf(await ask('alice')), [409, 'too_many_requests'])
  const back = await service.as('alice').request('POST', `${at(first)}/keepalive`)
  t.deepEqual(refusalOf(back), [409, 'too_many_requests'])
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
