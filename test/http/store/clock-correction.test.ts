import test, { type ExecutionContext } from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { idOf, type Running, type Setting, start, temporaryData } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, reserve, reserved } from '../requests.ts'

const RIGHT = '2030-05-02T06:00:00.000Z'
const AHEAD = '2030-06-12T06:00:00.000Z'
const LATER = '2030-05-02T07:00:00.000Z'
const WHY = 'booted without its battery'

const during = (start: string, end: string) => ({ start_time: start, end_time: end, user_id: idOf('alice') })
const EXISTING = during('2030-05-03T08:00:00Z', '2030-05-03T09:00:00Z')
const MADE_AHEAD = during('2030-06-12T08:00:00Z', '2030-06-12T09:00:00Z')

/** A log with events of a service whose clock was six weeks ahead, and a running service with a right clock. */
const stage = async (t: ExecutionContext, setting: Setting = {}) => {
  const data = await temporaryData(t)
  const before = await start(t, { now: RIGHT, data })
  const sut_id = await createSut(before.as('admin'))
  const existing = await reserved(before.as('alice'), aReservation(sut_id, EXISTING))
  await before.stop()
  const wrong = await start(t, { now: AHEAD, data, environment: { BERTH_CLOCK_AHEAD_MAX: 'P60D' } })
  const first = Number((await wrong.as('admin').get('/api/user/me')).headers['berth-position']) + 1
  const made = await reserved(wrong.as('alice'), aReservation(sut_id, MADE_AHEAD))
  const last = Number(made.headers['berth-position'])
  await wrong.stop()
  const service = await start(t, { now: LATER, data, ...setting })
  return {
    service,
    data,
    sut_id,
    existing: String(existing.json._id),
    made: String(made.json._id),
    span: { first, last },
  }
}

const correct = (
  { data }: Pick<Running, 'data'>,
  { first, last }: { first: number; last: number },
  ...more: string[]
) => {
  const position = (n: number): string => String(n).padStart(20, '0')
  const line = ['clock', 'correct', '--from', position(first), '--to', position(last), '--why', WHY, ...more]
  return type(line, { BERTH_DATA: data, ...sharedEnvironment(data) }, { now: () => Date.parse(LATER) })
}

test('a corrected SUT can be reserved, keeps its reservations, and wrong ones can be cancelled', async (t) => {
  const { service, sut_id, made, span } = await stage(t)
  const alice = service.as('alice')
  const wanted = during('2030-05-03T10:00:00Z', '2030-05-03T11:00:00Z')
  t.deepEqual(refusalOf(await reserve(alice, aReservation(sut_id, wanted))), [503, 'clock_behind'])
  const done = await correct(service, span)
  t.deepEqual(done, { code: 0, out: 'corrected 1 streams; restored 1 reservations\n', error: '' })
  t.deepEqual(refusalOf(await reserve(alice, aReservation(sut_id, EXISTING))), [409, 'reservation_conflict'])
  t.is((await reserve(alice, aReservation(sut_id, wanted))).status, 201)
  t.is((await alice.request('POST', `/api/sut_reservation/${made}/cancel`)).status, 200)
  const again = await correct(service, span, '--json')
  t.deepEqual(again, { code: 0, out: '{"streams":1,"before":1,"windows":0}\n', error: '' })
})

test('a correction is in the history and the feed, and the log is sound', async (t) => {
  const { service, data, sut_id, span } = await stage(t)
  await correct(service, span)
  const auditor = service.as('audrey')
  const { json } = await auditor.get(`/api/sut/${sut_id}/history`)
  const last = (json.events as { type: string; subject: string; reason: string; actor: string }[]).at(-1)
  t.like(last, { type: 'berth.ClockCorrected', subject: sut_id, reason: WHY, actor: 'command-line' })
  const feed = await auditor.get(`/api/events?type=berth.ClockCorrected&sut_id=${sut_id}`)
  t.is((feed.json.events as unknown[]).length, 1)
  await service.stop()
  for (const command of ['verify', 'replay']) {
    const { code, out, error } = await type([command], { BERTH_DATA: data, ...sharedEnvironment(data) })
    t.is(code, 0, out + error)
  }
})

test('as_of a time takes corrected events as of the last time before them', async (t) => {
  const { service, sut_id, existing, made, span } = await stage(t)
  const auditor = service.as('audrey')
  const listed = async (time: string) => {
    const { json } = await auditor.get(`/api/sut_reservation?sut_id=${sut_id}&as_of=${time}`)
    return (json.sut_reservations as { _id: string }[]).map(({ _id }) => _id)
  }
  t.deepEqual(await listed('2030-05-02T06:30:00Z'), [existing])
  await correct(service, span)
  t.deepEqual(await listed('2030-05-02T06:30:00Z'), [made, existing])
  t.deepEqual(await listed('2030-05-02T05:59:59Z'), [])
  t.is((await auditor.get(`/api/sut_reservation/${made}?as_of=2030-05-02T06:30:00Z`)).status, 200)
  await service.stop()
})

test('clock correct works on the log without a service', async (t) => {
  const { service, data, sut_id, span } = await stage(t)
  await service.stop()
  t.is((await correct({ data }, span)).out, 'corrected 1 streams; restored 1 reservations\n')
  const { as } = await start(t, { now: LATER, data })
  t.deepEqual(refusalOf(await reserve(as('alice'), aReservation(sut_id, EXISTING))), [409, 'reservation_conflict'])
})

test('a correction is refused while the clock is ahead, and if its span or options are invalid', async (t) => {
  const { service, span } = await stage(t, { sinceBoot: () => 0 })
  service.clock.set('2030-05-02T08:00:01.000Z')
  const ahead = await correct(service, span)
  t.deepEqual([ahead.code, ahead.out], [1, ''])
  t.regex(ahead.error, /the clock is ahead/)
  service.clock.set(LATER)
  const beyond = await correct(service, { first: span.first, last: 99 })
  t.deepEqual([beyond.code, beyond.out], [1, ''])
  t.regex(beyond.error, /the log ends at position/)
  const wrong = await type(['clock', 'correct', '--from', 'x', '--to', '1', '--why', ''], { BERTH_DATA: service.data })
  t.is(wrong.code, 2)
  for (const option of ['--from', '--why']) t.regex(wrong.error, new RegExp(`${option} must be`))
})
