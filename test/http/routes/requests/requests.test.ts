import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { asks, said } from '../../lab.ts'
import { createSut, NOW } from '../../requests.ts'
import { requestLab } from './stage.ts'

type Body = Readonly<Record<string, unknown>>

const stage = async (t: ExecutionContext) => {
  const service = await requestLab(t)
  const admin = service.as('admin')
  const cancel = (granted: Body) => admin.post(`/api/sut_reservation/${granted.sut_reservation_id}/cancel`, {})
  return { ...service, admin, cancel }
}

test('a request is granted in its answer where a SUT is free, and the reservation says so', async (t) => {
  const { ask, recorded, sut, wish } = await stage(t)
  const made = await wish('alice', { keepalive: 60, duration: 1_000 })
  t.is(made.status, 201, made.text)
  const { _id, sut_reservation_id, ...shown } = made.json
  t.is(made.headers.location, `/api/sut_request/${_id}`)
  t.deepEqual(shown, {
    ...{ created_at: NOW, updated_at: NOW, user_id: idOf('alice'), user_name: 'alice' },
    ...{ match: { os: 'windows' }, duration: 1_000, expires_at: '2030-05-03T05:58:11.400Z', priority: 0 },
    ...{ keepalive: 60, status: 'granted' },
  })
  const reservation = await ask('alice', `GET /api/sut_reservation/${sut_reservation_id}`)
  t.is(reservation.headers['keepalive-until'], '2030-05-02T05:59:11.400Z')
  t.is(reservation.json.sut_id, sut)
  t.is(reservation.json.end_time, '2030-05-02T06:15:00+00:00')
  t.deepEqual(
    (await recorded())
      .slice(-4)
      .map(({ type, data }) => [type, 'sut_request_id' in data ? data.sut_request_id : data._id]),
    ['ReservationRequested', 'RequestOffered', 'ReservationCreated', 'RequestGranted'].map((type) => [type, _id]),
  )
})

test('a request waits for a SUT that is new, active again or renamed', async (t) => {
  const { admin, sut, untilStatus, wish } = await stage(t)
  await admin.post(`/api/sut/${sut}/update`, { is_active: false })
  const waits = await wish('alice', { match: undefined, sut_id: sut })
  t.is(waits.json.status, 'waiting')
  await admin.post(`/api/sut/${sut}/update`, { is_active: true })
  await untilStatus(waits, 'granted')
  const next = await wish('bob')
  await createSut(admin, { os: 'Windows' })
  await untilStatus(next, 'granted')
  const third = await wish('alice')
  const linux = await createSut(admin, { os: 'linux' })
  await admin.post(`/api/sut/${linux}/update`, { os: 'windows' })
  await untilStatus(third, 'granted')
})

test('what is used up of a quota makes a request wait, and what no week could grant is refused', async (t) => {
  const { admin, read, untilStatus, wish } = await stage(t)
  await createSut(admin, { os: 'windows' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { reservations_max: 1, hours_per_week: 2 } })
  const first = await wish('alice')
  const second = await wish('alice')
  t.is(second.json.status, 'waiting')
  t.is((await wish('bob')).json.status, 'granted')
  const refused = await wish('alice', { duration: 7_201 })
  t.is(said(refused), '403 quota_exceeded')
  t.deepEqual(refused.json.used, { hours: 0.25, reservations: 1 })
  t.is((await read(second)).status, 'waiting')
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { reservations_max: 2 } })
  const third = await createSut(admin, { os: 'windows' })
  await untilStatus(second, 'granted')
  t.truthy(third)
  t.is(first.json.status, 'granted')
})

test('now or never is granted, or refused with what could be had', async (t) => {
  const { sut, wish } = await stage(t)
  t.is((await wish('alice', { wait: 0 })).json.status, 'granted')
  const refused = await wish('bob', { wait: 0 })
  t.is(said(refused), '409 no_sut_free')
  t.is(refused.json.matching, 1)
  t.deepEqual(refused.json.next_available, {
    ...{ sut_id: sut, start_time: '2030-05-02T06:15:00+00:00', end_time: '2030-05-02T06:45:00+00:00' },
  })
})

test('a request can be withdrawn by its user and by administrators, until it is granted', async (t) => {
  const { admin, ask, at, read, wish } = await stage(t)
  const granted = await wish('alice')
  const [one, two] = [await wish('bob'), await wish('bob')]
  const withdraw = (made: Answer, who: string) => ask(who, `POST ${at(made)}/withdraw`)
  t.is(said(await withdraw(one, 'alice')), '403 not_your_request')
  t.is((await withdraw(one, 'bob')).json.status, 'withdrawn')
  t.is((await withdraw(one, 'admin')).json.status, 'withdrawn')
  const both = await Promise.all([withdraw(two, 'admin'), withdraw(two, 'bob')])
  t.deepEqual(
    both.map(({ status, json }) => [status, json.status]),
    Array(2).fill([200, 'withdrawn']),
  )
  const refused = await withdraw(granted, 'alice')
  t.is(said(refused), '409 request_granted')
  t.is(refused.json.sut_reservation_id, granted.json.sut_reservation_id)
  t.is(said(await admin.post(`/api/sut_request/${'0'.repeat(24)}/withdraw`, {})), '404 request_not_found')
  t.is((await read(one)).status, 'withdrawn')
})

test('a request expires, and one of a user who was removed is withdrawn', async (t) => {
  const { admin, ask, at, clock, untilStatus, wish } = await stage(t)
  await wish('alice')
  const [brief, long] = [await wish('bob', { wait: 1 }), await wish('bob')]
  clock.set('2030-05-02T05:58:12.400Z')
  await untilStatus(brief, 'expired')
  const over = await ask('bob', `POST ${at(brief)}/withdraw`)
  t.is(said(over), '409 request_over')
  await admin.post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  await untilStatus(long, 'withdrawn')
})

test('requests that make no sense or ask for too much are refused', async (t) => {
  const { ask, sut, wish } = await stage(t)
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { quota: { priority_max: 5 } })
  const names = Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(256, 'x'))
  for (const [more, refusal] of [
    [{ sut_id: sut }, '422 sut_ambiguous #/match'],
    [{ match: {} }, '422 invalid #/match'],
    [{ match: { name: names } }, '422 invalid #/match'],
    [{ duration: 604_801 }, '422 window_too_long #/duration'],
    [{ wait: 604_801 }, '422 invalid #/wait'],
    [{ priority: 101 }, '422 invalid #/priority'],
    [{ keepalive: 29 }, '422 invalid #/keepalive'],
    [{ status: 'granted' }, '422 field_read_only #/status'],
    [{ start_in: 0 }, '422 field_unknown #/start_in'],
    [{ priority: 6 }, '403 priority_too_high'],
    [{ user_id: idOf('bob') }, '403 not_your_request'],
  ] as const)
    t.is(said(await wish('alice', more)), refusal)
  const create = 'POST /api/sut_request/create'
  await asks(t, { ask }, [
    ['admin', create, '404 sut_not_found #/sut_id', { sut_id: 'none', duration: 900 }],
    ['admin', create, '404 user_not_found #/user_id', { sut_id: sut, user_id: 'nobody', duration: 900 }],
    ['admin', create, '422 invalid #/user_id', { sut_id: sut, user_id: idOf('audrey'), duration: 900 }],
    ['admin', `POST /api/sut/${sut}/retire`, '200'],
    ['admin', create, '410 sut_retired', { sut_id: sut, duration: 900 }],
  ])
})

test('a repeated request is answered as the first was, and makes no other', async (t) => {
  const { cancel, read, wish } = await stage(t)
  const first = await wish('alice', {}, { 'Idempotency-Key': 'one' })
  const second = await wish('bob', {}, { 'Idempotency-Key': 'two' })
  await cancel(await read(first))
  for (const [who, made, key] of [
    ['alice', first, 'one'],
    ['bob', second, 'two'],
  ] as const) {
    const again = await wish(who, {}, { 'Idempotency-Key': key })
    t.is(again.status, 201)
    t.deepEqual(again.json, made.json)
  }
  t.is(
    said(await wish('bob', { duration: 1_000 }, { 'Idempotency-Key': 'two' })),
    '422 idempotency_key_reused Idempotency-Key',
  )
})
