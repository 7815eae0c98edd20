import test from 'ava'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../requests.ts'

/** Shows behaviour/time-and-windows.md: the formats of times, and the clock that counts. */

const TIMES: readonly (readonly [now: string, reservation: string, sut: string, monitoring: string])[] = [
  [
    '2030-05-02T05:58:11.400Z',
    '2030-05-02T05:58:11.400Z',
    '2030-05-02T05:58:11.400+00:00',
    '2030-05-02T05:58:11+00:00',
  ],
  [
    '2030-05-02T05:58:11.000Z',
    '2030-05-02T05:58:11.000Z',
    '2030-05-02T05:58:11.000+00:00',
    '2030-05-02T05:58:11+00:00',
  ],
  // Seconds are truncated, not rounded.
  [
    '2030-05-02T05:58:11.999Z',
    '2030-05-02T05:58:11.999Z',
    '2030-05-02T05:58:11.999+00:00',
    '2030-05-02T05:58:11+00:00',
  ],
]

for (const [now, ofReservation, ofSut, ofMonitoring] of TIMES) {
  test(`at ${now} every assigned time has its documented format`, async (t) => {
    const service = await start(t, { now })
    const sut = await service.as('admin').post('/api/sut/create', aSut())
    const reservation = await reserved(service.as('alice'), aReservation(String(sut.json._id)))
    t.like(sut.json, { created_at: ofSut, updated_at: ofSut })
    t.like(sut.json.monitoring, { last_updated: ofMonitoring })
    t.like(reservation.json, { created_at: ofReservation, updated_at: ofReservation })
  })
}

const LATEST = '2030-05-02T06:10:00.000Z'

for (const [behind, now, isTaken] of [
  ['a minute', '2030-05-02T06:09:00.000Z', true],
  ['a minute and a millisecond', '2030-05-02T06:08:59.999Z', false],
] as const) {
  test(`with a clock ${behind} behind the last event every write is ${isTaken ? 'recorded at that event’s time' : '503 clock_behind'}`, async (t) => {
    const service = await start(t, { now: LATEST })
    const [admin, alice] = [service.as('admin'), service.as('alice')]
    const sut_id = await createSut(admin)
    const path = `/api/sut/${sut_id}`
    const during = (hour: string) => ({
      start_time: `2030-05-02T${hour}:00:00Z`,
      end_time: `2030-05-02T${hour}:15:00Z`,
    })
    const standing = await reserved(alice, aReservation(sut_id, during('08')))
    const location = String(standing.headers.location)
    service.clock.set(now)
    const answers = [
      await admin.post('/api/sut/create', aSut()),
      await admin.post(`${path}/update`, { os: 'linux' }),
      await admin.post(`${path}/tags`, { a: '1' }),
      await reserve(alice, aReservation(sut_id, during('09'))),
      await alice.post(`${location}/extend`, { duration: 1800 }),
      await alice.request('POST', `${location}/cancel`),
    ]
    for (const [i, answer] of answers.entries()) {
      if (isTaken) {
        t.true(answer.status < 300, `${i}`)
        t.is(Date.parse(String(answer.json.updated_at)), Date.parse(LATEST), `${i}`)
      } else {
        t.deepEqual(refusalOf(answer), [503, 'clock_behind'], `${i}`)
        t.deepEqual(faultsOf(answer), [])
      }
    }
    t.is((await alice.get(path)).status, 200)
  })
}

test('the server’s clock decides, not the Date of a request', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const headers = { Date: 'Thu, 02 May 2030 01:00:00 GMT' }
  const past = { start_time: '2030-05-02T01:00:00Z', end_time: '2030-05-02T02:00:00Z' }
  t.deepEqual(refusalOf(await reserve(service.as('alice'), aReservation(sut_id, past), headers)), [
    422,
    'window_over',
    '#/end_time',
  ])
  t.is((await reserve(service.as('alice'), aReservation(sut_id), headers)).json.created_at, NOW)
})

test('-00:00 and Z are returned as +00:00, for both ends and in extensions', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const [zone, hour] of [
    ['-00:00', '07'],
    ['Z', '08'],
    ['z', '09'],
  ] as const) {
    const ends = { start_time: `2030-05-02T${hour}:00:00${zone}`, end_time: `2030-05-02T${hour}:15:00${zone}` }
    const made = await reserved(service.as('alice'), aReservation(sut_id, ends))
    t.is(made.json.start_time, `2030-05-02T${hour}:00:00+00:00`)
    t.is(made.json.end_time, `2030-05-02T${hour}:15:00+00:00`)
    const body = { end_time: `2030-05-02T${hour}:30:00${zone}` }
    const extended = await service.as('alice').post(`${made.headers.location}/extend`, body)
    t.is(extended.json.end_time, `2030-05-02T${hour}:30:00+00:00`)
  }
})
