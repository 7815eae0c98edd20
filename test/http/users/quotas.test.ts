import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows what quotas refuse. `NOW` is a Thursday, in the week 2030-W18. */

const given = async (t: ExecutionContext, limits: object, environment: Readonly<Record<string, string>> = {}) => {
  const service = await start(t, { now: NOW, environment })
  const sut_id = await createSut(service.as('admin'))
  await setQuota(service, limits)
  return { service, sut_id }
}

const setQuota = async (service: Running, quota: object | null, name = 'alice'): Promise<void> => {
  const { status, text } = await service.as('admin').post(`/api/user/${idOf(name)}/update`, { quota })
  if (status !== 200) throw new Error(text)
}

/** A window of the tests' day, or another one. */
const windowAt = (from: string, to: string, day = '2030-05-02') => ({
  start_time: `${day}T${from}:00+00:00`,
  end_time: `${day}T${to}:00+00:00`,
})

const book = (
  service: Running,
  sut_id: string,
  window: Readonly<Record<string, string>>,
  by = 'alice',
): Promise<Answer> => reserve(service.as(by), aReservation(sut_id, window))

const codeOf = ({ status, json }: Answer): unknown => (status < 300 ? status : json.code)

const change = (service: Running, by: string, { json }: Answer, what: string, body: object = {}): Promise<Answer> =>
  service.as(by).post(`/api/sut_reservation/${json._id}/${what}`, body)

/** What counts for a quota of Alice's in a week, as the refusal of a quota of nothing says. */
const usedBy = async (service: Running, sut_id: string, day = '2030-05-04'): Promise<unknown> => {
  const { quota } = (await service.as('alice').get('/api/user/me')).json as { quota: object }
  await setQuota(service, { reservations_max: 0 })
  const { json } = await book(service, sut_id, windowAt('22:00', '22:15', day))
  await setQuota(service, quota)
  return json.used
}

test('hours beyond the quota of a week are refused, and another week is free', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 2 })
  t.is(codeOf(await book(service, sut_id, windowAt('08:00', '09:30'))), 201)
  const refused = await book(service, sut_id, windowAt('10:00', '10:31'))
  t.is(refused.status, 403)
  const quota = { hours_per_week: 2, reservations_max: null, priority_max: null }
  t.like(refused.json, { code: 'quota_exceeded', used: { hours: 1.5, reservations: 1 }, quota, week: '2030-W18' })
  t.is(codeOf(await book(service, sut_id, windowAt('10:00', '10:30'))), 201)
  t.is(codeOf(await book(service, sut_id, windowAt('23:45', '23:59', '2030-05-05'))), 'quota_exceeded')
  t.is(codeOf(await book(service, sut_id, windowAt('00:00', '02:00', '2030-05-06'))), 201)
})

test('reservations beyond the quota are refused until one is over', async (t) => {
  const { service, sut_id } = await given(t, { reservations_max: 2 })
  t.is(codeOf(await book(service, sut_id, windowAt('06:00', '06:15'))), 201)
  t.is(codeOf(await book(service, sut_id, windowAt('07:00', '07:15'))), 201)
  const refused = await book(service, sut_id, windowAt('08:00', '08:15'))
  t.like(refused.json, { code: 'quota_exceeded', used: { hours: 0.5, reservations: 2 }, week: null })
  service.clock.set('2030-05-02T06:14:59.999Z')
  t.is(codeOf(await book(service, sut_id, windowAt('08:00', '08:15'))), 'quota_exceeded')
  service.clock.set('2030-05-02T06:15:00.000Z')
  t.is(codeOf(await book(service, sut_id, windowAt('08:00', '08:15'))), 201)
})

test('after the clock was set back, a reservation that was over counts again', async (t) => {
  const { service, sut_id } = await given(t, { reservations_max: 1 })
  const other = await createSut(service.as('admin'))
  t.is(codeOf(await book(service, sut_id, windowAt('06:00', '06:15'))), 201)
  service.clock.set('2030-05-02T06:20:00.000Z')
  const later = await book(service, sut_id, windowAt('07:00', '07:15'))
  t.is(codeOf(await change(service, 'alice', later, 'cancel')), 200)
  service.clock.set(NOW)
  t.like((await book(service, other, windowAt('08:00', '08:15'))).json, { used: { hours: 0.25, reservations: 1 } })
})

test('released reservations count to their end, cancelled ones not, extended ones in the week of their start', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 100 })
  const released = await book(service, sut_id, windowAt('05:45', '09:45'))
  const cancelled = await book(service, sut_id, windowAt('12:00', '14:00'))
  const extended = await book(service, sut_id, windowAt('23:00', '23:30', '2030-05-05'))
  t.deepEqual(await usedBy(service, sut_id), { hours: 6.5, reservations: 3 })
  await change(service, 'alice', cancelled, 'cancel')
  await change(service, 'alice', extended, 'extend', { duration: 7_200 })
  service.clock.set('2030-05-02T06:45:00.100Z')
  await change(service, 'alice', released, 'cancel')
  t.deepEqual(await usedBy(service, sut_id), { hours: 3, reservations: 1 })
  t.deepEqual(await usedBy(service, sut_id, '2030-05-06'), { hours: 0, reservations: 1 })
})

test('after a restart the same is used, however it was changed before', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 100 })
  const released = await book(service, sut_id, windowAt('05:45', '06:45'))
  const beyond = await reserved(
    service.as('admin'),
    aReservation(sut_id, { ...windowAt('12:00', '14:00'), beyond_quota: true }),
  )
  await change(service, 'admin', await book(service, sut_id, windowAt('15:00', '16:00')), 'extend', {
    duration: 7_200,
    beyond_quota: true,
  })
  await change(service, 'alice', await book(service, sut_id, windowAt('18:00', '19:00')), 'extend', { duration: 7_200 })
  await change(service, 'alice', await book(service, sut_id, windowAt('21:00', '22:00')), 'cancel')
  service.clock.set('2030-05-02T06:15:00.100Z')
  await change(service, 'alice', released, 'cancel')
  t.is(beyond.status, 201)
  const used = await usedBy(service, sut_id)
  t.deepEqual(used, { hours: 2.5, reservations: 1 })
  await service.stop()
  const again = await start(t, { now: '2030-05-02T06:15:00.200Z', data: service.data })
  t.deepEqual(await usedBy(again, sut_id), used)
  again.clock.set('2030-05-02T19:00:00.000Z')
  await again.stop()
  const late = await start(t, { now: '2030-05-02T20:01:00.000Z', data: service.data })
  t.deepEqual(await usedBy(late, sut_id), { hours: 2.5, reservations: 0 })
})

test('an extension that exceeds the quota is refused, and a shorter one is made', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 2, reservations_max: 1 })
  const made = await book(service, sut_id, windowAt('08:00', '09:00'))
  const refused = await change(service, 'alice', made, 'extend', { duration: 8_100 })
  t.like(refused.json, { code: 'quota_exceeded', used: { hours: 1, reservations: 1 }, week: '2030-W18' })
  t.is(codeOf(await change(service, 'alice', made, 'extend', { duration: 7_200 })), 200)
})

test('reserving for a tester counts for the tester, unless an administrator says otherwise', async (t) => {
  const { service, sut_id } = await given(t, { reservations_max: 1 })
  t.is(codeOf(await book(service, sut_id, windowAt('06:00', '07:00'), 'admin')), 201)
  t.is(codeOf(await book(service, sut_id, windowAt('08:00', '09:00'))), 'quota_exceeded')
  t.is(codeOf(await book(service, sut_id, windowAt('08:00', '09:00'), 'admin')), 'quota_exceeded')
  const body = aReservation(sut_id, { ...windowAt('08:00', '09:00'), beyond_quota: true })
  t.is(codeOf(await reserve(service.as('alice'), body)), 'forbidden')
  const beyond = await reserve(service.as('admin'), body)
  t.is(beyond.status, 201)
  t.false('beyond_quota' in beyond.json)
  const events = (await logOf(service)).filter(({ type }) => type === 'ReservationCreated')
  t.deepEqual(
    events.map(({ data }) => 'beyond_quota' in data && data.beyond_quota),
    [false, true],
  )
  t.deepEqual(await usedBy(service, sut_id), { hours: 1, reservations: 1 })
})

test('a reservation beyond the quota is extended beyond it by administrators, and counts once its holder extends it', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 3 })
  const beyond = await reserved(
    service.as('admin'),
    aReservation(sut_id, { ...windowAt('08:00', '10:00'), beyond_quota: true }),
  )
  const longer = { duration: 10_800 }
  t.is(codeOf(await change(service, 'alice', beyond, 'extend', { ...longer, beyond_quota: true })), 'forbidden')
  t.is(codeOf(await change(service, 'admin', beyond, 'extend', { ...longer, beyond_quota: true })), 200)
  t.deepEqual(await usedBy(service, sut_id), { hours: 0, reservations: 0 })
  t.is(codeOf(await change(service, 'alice', beyond, 'extend', { duration: 11_700 })), 'quota_exceeded')
  await setQuota(service, { hours_per_week: 4 })
  t.is(codeOf(await change(service, 'alice', beyond, 'extend', { duration: 11_700 })), 200)
  t.deepEqual(await usedBy(service, sut_id), { hours: 3.25, reservations: 1 })
})

test('the default counts for testers without a quota, and for nobody else', async (t) => {
  const { service, sut_id } = await given(t, {}, { BERTH_QUOTA_DEFAULT: 'reservations_max=1' })
  t.is(codeOf(await book(service, sut_id, windowAt('06:00', '07:00'))), 201)
  t.is(codeOf(await book(service, sut_id, windowAt('07:00', '08:00'))), 201, 'a quota without limits')
  await setQuota(service, null)
  t.like((await book(service, sut_id, windowAt('09:00', '10:00'))).json, { quota: { reservations_max: 1 }, week: null })
  for (const hour of ['10', '11', '12']) {
    const window = { ...windowAt(`${hour}:00`, `${hour}:30`), user_id: idOf('admin') }
    t.is(codeOf(await book(service, sut_id, window, 'admin')), 201)
  }
})

test('a lower quota cancels nothing', async (t) => {
  const { service, sut_id } = await given(t, { reservations_max: 3 })
  const made = await book(service, sut_id, windowAt('06:00', '07:00'))
  await book(service, sut_id, windowAt('07:00', '08:00'))
  await setQuota(service, { reservations_max: 1 })
  t.is((await service.as('alice').get('/api/sut_reservation')).json.count, 2)
  t.like((await book(service, sut_id, windowAt('09:00', '10:00'))).json, { used: { hours: 2, reservations: 2 } })
  t.is(codeOf(await change(service, 'alice', made, 'cancel')), 200)
})

test('a conflict is told before the quota, and a create that was made is answered again whatever the quota is', async (t) => {
  const { service, sut_id } = await given(t, { reservations_max: 1 })
  const key = { 'Idempotency-Key': 'once' }
  const body = aReservation(sut_id)
  const first = await reserve(service.as('alice'), body, key)
  await setQuota(service, { reservations_max: 0 })
  const again = await reserve(service.as('alice'), body, key)
  t.deepEqual([again.status, again.text], [201, first.text])
  t.is(codeOf(await reserve(service.as('alice'), body)), 'reservation_conflict')
})

test('of requests at the same moment exactly as many are accepted as the quota has', async (t) => {
  const { service } = await given(t, { reservations_max: 5 })
  const suts = await Promise.all(Array.from({ length: 16 }, () => createSut(service.as('admin'))))
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(suts.map((sut_id) => book(service, sut_id, windowAt('06:00', '07:00'))))
    const codes = answers.map(codeOf)
    t.is(codes.filter((code) => code === 201).length, 5)
    t.is(codes.filter((code) => code === 'quota_exceeded').length, 11)
    const made = answers.filter(({ status }) => status === 201)
    await Promise.all(made.map((answer) => change(service, 'alice', answer, 'cancel')))
  }
})

test('what is asked for by its length counts as asked, and used says the same to those who may know', async (t) => {
  const { service, sut_id } = await given(t, { hours_per_week: 10 })
  const ask = (body: object) => reserve(service.as('alice'), { sut_id, user_id: idOf('alice'), start_in: 0, ...body })
  const first = await ask({ duration: 1_800 })
  t.is(codeOf(first), 201)
  const readers = { alice: 'me', admin: idOf('alice'), audrey: idOf('alice') }
  const usedOf = async (name: string, id: string) => {
    const { headers, json } = await service.as(name).get(`/api/user/${id}?include=used`)
    t.is(headers.etag, undefined)
    return json.used
  }
  const quota = { hours_per_week: 10, reservations_max: null, priority_max: null }
  for (const [name, id] of Object.entries(readers)) {
    t.deepEqual(await usedOf(name, id), { hours: 0.5, reservations: 1, week: '2030-W18', quota }, name)
  }
  t.like(await usedOf('admin', 'me'), { quota: null }, 'administrators have none')
  t.is(await usedOf('bob', idOf('alice')), undefined)
  t.is((await service.as('alice').get('/api/user/me')).json.used, undefined)
  service.clock.set('2030-05-02T06:02:00.000Z')
  t.is(codeOf(await change(service, 'alice', first, 'cancel')), 200)
  t.deepEqual(await usedOf('alice', 'me'), { hours: 0.25, reservations: 0, week: '2030-W18', quota })
  t.is(codeOf(await ask({ duration: 35_100 })), 201, 'all the rest')
  t.is(codeOf(await ask({ start_in: 72_000, duration: 1 })), 'quota_exceeded')
  const { json } = await service.as('audrey').get('/api/user?include=used')
  const listed = json.users as readonly { name: string; used: { hours: number; reservations: number } }[]
  t.deepEqual(
    listed.map(({ name, used }) => [name, used.hours, used.reservations]),
    [
      ['audrey', 0, 0],
      ['bob', 0, 0],
      ['alice', 10, 1],
      ['admin', 0, 0],
    ],
  )
  const toBob = (await service.as('bob').get('/api/user?include=used')).json.users as readonly object[]
  t.is(toBob.filter((user) => 'used' in user).length, 1)
  service.clock.set('2030-05-09T06:02:00.000Z')
  t.deepEqual(await usedOf('alice', 'me'), { hours: 0, reservations: 0, week: '2030-W19', quota })
})
