import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../../client.ts'
import { idOf, start } from '../../harness.ts'
import { createSut, NOW } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import { until } from '../../until.ts'
import '../../documents/fit-answers.ts'

type Body = Readonly<Record<string, unknown>>

const PATIENCE_MS = 60_000
const codeOf = ({ status, json }: Answer): string => `${status} ${json.code}`

/** A lab with one Windows machine, which is free. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { os: 'windows' })
  const ask = (who: string, more: Body = {}, headers = {}) =>
    service.as(who).post('/api/sut_request/create', { match: { os: 'windows' }, duration: 900, ...more }, headers)
  const read = async (made: Answer) => (await admin.get(`/api/sut_request/${made.json._id}`)).json
  const untilStatus = (made: Answer, status: string) =>
    until(
      status,
      async () => {
        service.tick()
        return (await read(made)).status === status
      },
      PATIENCE_MS,
    )
  const cancel = (granted: Body) => admin.post(`/api/sut_reservation/${granted.sut_reservation_id}/cancel`, {})
  return { service, admin, sut_id, ask, read, untilStatus, cancel }
}

test('a request is granted in its answer where a SUT is free, and the reservation says so', async (t) => {
  const { service, sut_id, ask } = await stage(t)
  const made = await ask('alice', { keepalive: 60, duration: 1_000 })
  t.is(made.status, 201, made.text)
  const { _id, sut_reservation_id, ...shown } = made.json
  t.is(made.headers.location, `/api/sut_request/${_id}`)
  t.deepEqual(shown, {
    ...{ created_at: NOW, updated_at: NOW, user_id: idOf('alice'), user_name: 'alice' },
    ...{ match: { os: 'windows' }, duration: 1_000, expires_at: '2030-05-03T05:58:11.400Z', priority: 0 },
    ...{ keepalive: 60, status: 'granted' },
  })
  const reservation = await service.as('alice').get(`/api/sut_reservation/${sut_reservation_id}`)
  t.is(reservation.headers['keepalive-until'], '2030-05-02T05:59:11.400Z')
  t.is(reservation.json.sut_id, sut_id)
  t.is(reservation.json.end_time, '2030-05-02T06:15:00+00:00')
  const log = await logOf(service)
  t.deepEqual(
    log.slice(-4).map(({ type, data }) => [type, 'sut_request_id' in data ? data.sut_request_id : data._id]),
    ['ReservationRequested', 'RequestOffered', 'ReservationCreated', 'RequestGranted'].map((type) => [type, _id]),
  )
})

test('requests that wait are granted by priority, then in their order', async (t) => {
  const { admin, ask, read, untilStatus, cancel } = await stage(t)
  const first = await ask('alice')
  const [second, third] = [await ask('bob'), await ask('alice', { priority: -1 })]
  const urgent = await ask('admin', { priority: 100 })
  let before = first
  for (const next of [urgent, second, third]) {
    t.is((await read(next)).status, 'waiting')
    await cancel(await read(before))
    await untilStatus(next, 'granted')
    before = next
  }
  const reservation = await admin.get(`/api/sut_reservation/${(await read(third)).sut_reservation_id}`)
  t.is(reservation.json.user_id, idOf('alice'))
})

test('a request waits for a SUT that is new, active again or renamed', async (t) => {
  const { admin, sut_id, ask, untilStatus } = await stage(t)
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: false })
  const waits = await ask('alice', { match: undefined, sut_id })
  t.is(waits.json.status, 'waiting')
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: true })
  await untilStatus(waits, 'granted')
  const next = await ask('bob')
  await createSut(admin, { os: 'Windows' })
  await untilStatus(next, 'granted')
  const third = await ask('alice')
  const linux = await createSut(admin, { os: 'linux' })
  await admin.post(`/api/sut/${linux}/update`, { os: 'windows' })
  await untilStatus(third, 'granted')
})

test('what is used up of a quota makes a request wait, and what no week could grant is refused', async (t) => {
  const { admin, ask, untilStatus, read } = await stage(t)
  await createSut(admin, { os: 'windows' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { reservations_max: 1, hours_per_week: 2 } })
  const first = await ask('alice')
  const second = await ask('alice')
  t.is(second.json.status, 'waiting')
  t.is((await ask('bob')).json.status, 'granted')
  const refused = await ask('alice', { duration: 7_201 })
  t.is(codeOf(refused), '403 quota_exceeded')
  t.deepEqual(refused.json.used, { hours: 0.25, reservations: 1 })
  t.is((await read(second)).status, 'waiting')
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { reservations_max: 2 } })
  const third = await createSut(admin, { os: 'windows' })
  await untilStatus(second, 'granted')
  t.truthy(third)
  t.is(first.json.status, 'granted')
})

test('now or never is granted, or refused with what could be had', async (t) => {
  const { sut_id, ask } = await stage(t)
  t.is((await ask('alice', { wait: 0 })).json.status, 'granted')
  const refused = await ask('bob', { wait: 0 })
  t.is(codeOf(refused), '409 no_sut_free')
  t.is(refused.json.matching, 1)
  t.deepEqual(refused.json.next_available, {
    ...{ sut_id, start_time: '2030-05-02T06:15:00+00:00', end_time: '2030-05-02T06:45:00+00:00' },
  })
})

test('a request can be withdrawn by its user and by administrators, until it is granted', async (t) => {
  const { service, admin, ask, read } = await stage(t)
  const granted = await ask('alice')
  const [one, two] = [await ask('bob'), await ask('bob')]
  const withdraw = (made: Answer, who: string) => service.as(who).post(`/api/sut_request/${made.json._id}/withdraw`, {})
  t.is(codeOf(await withdraw(one, 'alice')), '403 not_your_request')
  t.is((await withdraw(one, 'bob')).json.status, 'withdrawn')
  t.is((await withdraw(one, 'admin')).json.status, 'withdrawn')
  const both = await Promise.all([withdraw(two, 'admin'), withdraw(two, 'bob')])
  t.deepEqual(
    both.map(({ status, json }) => [status, json.status]),
    Array(2).fill([200, 'withdrawn']),
  )
  const refused = await withdraw(granted, 'alice')
  t.is(codeOf(refused), '409 request_granted')
  t.is(refused.json.sut_reservation_id, granted.json.sut_reservation_id)
  t.is(codeOf(await admin.post(`/api/sut_request/${'0'.repeat(24)}/withdraw`, {})), '404 request_not_found')
  t.is((await read(one)).status, 'withdrawn')
})

test('a request expires, and one of a user who was removed is withdrawn', async (t) => {
  const { service, admin, ask, untilStatus } = await stage(t)
  await ask('alice')
  const [brief, long] = [await ask('bob', { wait: 1 }), await ask('bob')]
  service.clock.set('2030-05-02T05:58:12.400Z')
  await untilStatus(brief, 'expired')
  const over = await service.as('bob').post(`/api/sut_request/${brief.json._id}/withdraw`, {})
  t.is(codeOf(over), '409 request_over')
  await admin.post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  await untilStatus(long, 'withdrawn')
})

test('requests that make no sense or ask for too much are refused', async (t) => {
  const { admin, sut_id, ask } = await stage(t)
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { priority_max: 5 } })
  const refused = async (more: Body) => codeOf(await ask('alice', more))
  t.is(await refused({ sut_id }), '422 sut_ambiguous')
  t.is(await refused({ match: {} }), '422 invalid')
  const names = Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(256, 'x'))
  t.is(await refused({ match: { name: names } }), '422 invalid')
  t.is(await refused({ duration: 604_801 }), '422 window_too_long')
  t.is(await refused({ wait: 604_801 }), '422 invalid')
  t.is(await refused({ priority: 101 }), '422 invalid')
  t.is(await refused({ keepalive: 29 }), '422 invalid')
  t.is(await refused({ status: 'granted' }), '422 field_read_only')
  t.is(await refused({ start_in: 0 }), '422 field_unknown')
  t.is(await refused({ priority: 6 }), '403 priority_too_high')
  t.is(await refused({ user_id: idOf('bob') }), '403 not_your_request')
  const asAdmin = async (more: Body) => codeOf(await admin.post('/api/sut_request/create', { duration: 900, ...more }))
  t.is(await asAdmin({ sut_id: 'none' }), '404 sut_not_found')
  t.is(await asAdmin({ sut_id, user_id: 'nobody' }), '404 user_not_found')
  t.is(await asAdmin({ sut_id, user_id: idOf('audrey') }), '422 invalid')
  await admin.post(`/api/sut/${sut_id}/retire`, {})
  t.is(await asAdmin({ sut_id }), '410 sut_retired')
})

test('a repeated request is answered as the first was, and makes no other', async (t) => {
  const { ask, cancel, read } = await stage(t)
  const first = await ask('alice', {}, { 'Idempotency-Key': 'one' })
  const second = await ask('bob', {}, { 'Idempotency-Key': 'two' })
  await cancel(await read(first))
  for (const [who, made, key] of [
    ['alice', first, 'one'],
    ['bob', second, 'two'],
  ] as const) {
    const again = await ask(who, {}, { 'Idempotency-Key': key })
    t.is(again.status, 201)
    t.deepEqual(again.json, made.json)
  }
  t.is(codeOf(await ask('bob', { duration: 1_000 }, { 'Idempotency-Key': 'two' })), '422 idempotency_key_reused')
})
