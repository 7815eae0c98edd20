import test from 'ava'
import { start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'

const FUTURE = [422, 'invalid', 'as_of'] as const
const position = (n: number): string => String(n).padStart(20, '0')

test('reads of users, requests, series and sessions refuse as_of by name, as the guide says', async (t) => {
  const { as } = await start(t, { now: NOW })
  const paths = ['user', 'user/me', 'user/x', 'sut_request', 'sut_request/x', 'sut_reservation_series', 'session']
  for (const path of [...paths, 'sut_reservation_series/x']) {
    t.deepEqual(refusalOf(await as('audrey').get(`/api/${path}?as_of=0`)), FUTURE, path)
  }
})

test('as of a time, an object not yet created is 404, one already cancelled 410, a retired SUT is shown', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, audrey] = [service.as('admin'), service.as('audrey')]
  const sut = await createSut(admin)
  service.clock.set('2030-05-02T05:58:12.400Z')
  const { location } = (await reserved(admin, aReservation(sut))).headers
  service.clock.set('2030-05-02T05:58:13.400Z')
  await admin.request('POST', `${location}/cancel`)
  service.clock.set('2030-05-02T05:58:14.400Z')
  const retired = await admin.request('POST', `/api/sut/${sut}/retire`)
  const read = async (path: string, as_of: string) => {
    const answer = await audrey.get(`${path}?as_of=${as_of}`)
    if (answer.status >= 400) t.deepEqual(faultsOf(answer), [])
    return answer.status === 200 ? 200 : refusalOf(answer)
  }
  for (const [as_of, ofSut, ofReservation] of [
    [position(0), [404, 'sut_not_found'], [404, 'reservation_not_found']],
    ['2030-05-02T05:58:11.399Z', [404, 'sut_not_found'], [404, 'reservation_not_found']],
    [position(6), 200, [404, 'reservation_not_found']],
    ['2030-05-02T07:58:11.400%2B02:00', 200, [404, 'reservation_not_found']],
    [position(7), 200, 200],
    ['2030-05-02T05:58:13.399999999Z', 200, 200],
    [position(9), 200, [410, 'reservation_cancelled']],
    ['2030-05-02T05:58:13.4Z', 200, [410, 'reservation_cancelled']],
    [position(10), 200, [410, 'reservation_cancelled']],
    ['2030-05-02T05:58:14.4Z', 200, [410, 'reservation_cancelled']],
    [position(11), FUTURE, FUTURE],
    ['2030-05-02T05:58:14.400000001Z', FUTURE, FUTURE],
  ] as const) {
    t.deepEqual(await read(`/api/sut/${sut}`, as_of), ofSut, as_of)
    t.deepEqual(await read(String(location), as_of), ofReservation, as_of)
    const inFuture = ofSut === 200 || ofSut[0] !== 422 ? 200 : ofSut
    for (const list of ['/api/sut', '/api/sut_reservation']) t.deepEqual(await read(list, as_of), inFuture, as_of)
  }
  const last = await audrey.get(`/api/sut/${sut}?as_of=${position(9)}`)
  t.is(last.text, retired.text)
  t.deepEqual([last.headers.etag, last.headers['berth-position']], ['"3"', position(9)])
  t.is((await audrey.get(`/api/sut/${sut}?as_of=${position(9)}`, { 'If-None-Match': '"3"' })).status, 304)
  for (const path of [`/api/sut/${sut}`, '/api/sut']) {
    const { headers } = await audrey.get(`${path}?as_of=2030-05-02T05:58:13.5Z`)
    t.is(headers['berth-position'], position(8), 'that of the last event by then')
  }
  t.is((await audrey.get('/api/sut?as_of=2030-05-02T05:58:11Z')).headers['berth-position'], undefined)
  t.is((await audrey.get(`/api/sut?as_of=${position(8)}`)).json.count, 1)
  t.is((await audrey.get(`/api/sut?as_of=${position(9)}`)).json.count, 0)
})

test('filters, pages and current=true of a list as of a time apply to the state at that time', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const suts = [await createSut(admin), await createSut(admin)]
  const ids: string[] = []
  for (const n of [0, 1, 2, 3, 4, 5]) {
    const window = { start_in: 900 * Math.floor(n / 2), duration: 1 }
    const { user_id, sut_id } = aReservation(String(suts[n % 2]))
    ids.push(String((await reserved(admin, { user_id, sut_id, ...window })).json._id))
  }
  const first = await admin.get('/api/sut_reservation?limit=2')
  const running = await admin.get('/api/sut_reservation?current=true')
  const ofOne = await admin.get(`/api/sut_reservation?sut_id=${suts[1]}&to=2030-05-02T06:10:00Z`)
  const afterEntry = await admin.get(`/api/sut_reservation?before=${ids[2]}&limit=1`)
  t.deepEqual([first.json.count, running.json.count, ofOne.json.count, afterEntry.json.count], [6, 2, 2, 6])
  const at = String(first.headers['berth-position'])
  for (const id of ids) await admin.request('POST', `/api/sut_reservation/${id}/cancel`)
  service.clock.set('2030-05-03T05:58:11.400Z')
  for (const as_of of [at, '2030-05-02T05:58:11.400Z']) {
    // As of the time, everything recorded in that millisecond counts, the cancellation included.
    const isThen = as_of === at
    const get = async (query: string) => (await admin.get(`/api/sut_reservation?${query}&as_of=${as_of}`)).text
    for (const [query, then] of [
      ['limit=2', first],
      ['current=true', running],
      [`sut_id=${suts[1]}&to=2030-05-02T06:10:00Z`, ofOne],
      [`before=${ids[2]}&limit=1`, afterEntry],
    ] as const) {
      t.is((await get(query)) === then.text, isThen, `${query} as of ${as_of}`)
    }
  }
  t.is((await admin.get('/api/sut_reservation')).json.count, 2)
})

test('as_of needs an administrator or auditor, and must be a date-time or a position', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  for (const path of ['/api/sut', `/api/sut/${sut}`, '/api/sut_reservation', `/api/sut_reservation/${sut}`]) {
    t.deepEqual(refusalOf(await service.as('alice').get(`${path}?as_of=0`)), [403, 'forbidden'])
    for (const wrong of [
      '9007199254740992',
      '1.5',
      'yesterday',
      '2030-05-02',
      '',
      '9'.repeat(20),
      '2030-05-02T05:58:00+00:00',
    ]) {
      const answer = await service.as('audrey').get(`${path}?as_of=${wrong}`)
      t.deepEqual(refusalOf(answer), [422, 'invalid', 'as_of'], wrong)
      t.deepEqual(faultsOf(answer), [])
    }
  }
})
