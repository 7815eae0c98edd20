import test from 'ava'
import { aUser } from '../../users/builders.ts'
import { passwordOf } from '../client.ts'
import { people, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: identifiers. */

const NO_ID = '58c38f5d444553252cce0000'
/** Without slashes, which would make another path. */
const UNHEARD_OF = ['a', '7', 'Zoë  von & zu', '%2F', '__proto__', 'x'.repeat(128), '\u{1f5a5}'.repeat(64)]
const MALFORMED = [
  '',
  'a/b',
  '/',
  'x'.repeat(129),
  'a\nb',
  '\u0000',
  '\u007f',
  '\u0085',
  'a\u200bb',
  '\u2028',
  '\ud83d',
]

test('an _id is the creation second in 8 lower-case hex digits, then 16 random ones', async (t) => {
  const service = await start(t, { now: NOW })
  const ids: string[] = []
  for (const [now, second] of [
    [NOW, '717bb1f3'],
    ['2030-05-02T05:58:11.999Z', '717bb1f3'],
    ['2030-05-02T05:58:12.000Z', '717bb1f4'],
  ] as const) {
    service.clock.set(now)
    const sut_id = await createSut(service.as('admin'))
    const reservation = await reserved(service.as('alice'), aReservation(sut_id))
    for (const id of [sut_id, String(reservation.json._id)]) {
      t.regex(id, new RegExp(`^${second}[0-9a-f]{16}$`))
      ids.push(id)
    }
  }
  t.is(new Set(ids.map((id) => id.slice(8))).size, ids.length, 'ids of one second differ in the rest')
})

test('an unknown id in a body is 404 with errors and the pointer', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  for (const id of [NO_ID, ...UNHEARD_OF]) {
    const answers = [
      [await reserve(admin, aReservation(id)), 'sut_not_found', '#/sut_id'],
      [await reserve(admin, aReservation(sut_id, { user_id: id })), 'user_not_found', '#/user_id'],
    ] as const
    for (const [answer, code, pointer] of answers) {
      t.deepEqual(refusalOf(answer), [404, code, pointer], id)
      t.deepEqual(faultsOf(answer), [])
    }
  }
})

test('a malformed id in a body is 422 with the pointer', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  for (const id of [...MALFORMED, 7, null, true, [NO_ID], { _id: NO_ID }]) {
    for (const field of ['sut_id', 'user_id']) {
      const answer = await reserve(admin, aReservation(sut_id, { [field]: id }))
      t.deepEqual(refusalOf(answer), [422, 'invalid', `#/${field}`], JSON.stringify(id))
      t.deepEqual(faultsOf(answer), [])
    }
  }
})

const ADDRESSES = [
  ['GET', '/api/sut/', ''],
  ['GET', '/api/sut/', '/availability?from=2030-05-02T06:00:00Z&to=2030-05-02T07:00:00Z'],
  ['POST', '/api/sut/', '/update'],
  ['POST', '/api/sut/', '/tags'],
  ['POST', '/api/sut/', '/retire'],
  ['GET', '/api/sut_reservation/', ''],
  ['POST', '/api/sut_reservation/', '/cancel'],
  ['POST', '/api/sut_reservation/', '/extend', { duration: 7200 }],
  ['POST', '/api/sut_reservation/', '/shorten', { end_time: '2030-05-02T06:15:00Z' }],
] as const

for (const [method, before, after, body = {}] of ADDRESSES) {
  test(`an unknown or malformed id in the path of ${method} ${before}<id>${after} is 404`, async (t) => {
    const service = await start(t, { now: NOW })
    const admin = service.as('admin')
    const code = before === '/api/sut/' ? 'sut_not_found' : 'reservation_not_found'
    // An empty id makes another path, and a lone surrogate cannot be encoded in one.
    const ids = [NO_ID, ...UNHEARD_OF, ...MALFORMED.filter((id) => id !== '' && id.isWellFormed())]
    for (const id of ids) {
      const path = `${before}${encodeURIComponent(id)}${after}`
      const answer = method === 'GET' ? await admin.get(path) : await admin.post(path, body)
      // A path with a control character is malformed.
      const expected = /\p{Cc}/u.test(id) ? [400, 'malformed_request'] : [404, code]
      t.deepEqual(refusalOf(answer), expected, id)
      t.deepEqual(faultsOf(answer), [])
    }
  })
}

test('ids are opaque: a user with an id of any form can reserve with it', async (t) => {
  const zoe = await aUser('zoe', passwordOf('zoe'), { role: 'tester', _id: 'Zoë von & zu' })
  const service = await start(t, { now: NOW, firstUsers: [...(await people()), zoe] })
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(service.as('zoe'), aReservation(sut_id, { user_id: zoe._id }))
  t.is(made.json.user_id, zoe._id)
  t.is((await service.as('zoe').get(String(made.headers.location))).text, made.text)
})

test("event ids are version 7 UUIDs that begin with the event's time", async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const path = String((await admin.post('/api/sut/create', aSut())).headers.location)
  service.clock.set('2030-05-02T06:10:00.123Z')
  await admin.post(`${path}/update`, { os: 'linux' })
  await admin.request('POST', `${path}/retire`)
  const events = await eventsOf(service)
  t.is(events.length, 5)
  for (const { id, metadata } of events) {
    t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    t.is(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(metadata.time))
  }
  t.is(new Set(events.map(({ id }) => id)).size, events.length)
})
