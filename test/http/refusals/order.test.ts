/** Which of several faults is named. */

import test from 'ava'
import { basic, type Headers } from '../client.ts'
import { idOf } from '../harness.ts'
import { type Asked, asks, lab } from '../lab.ts'
import { aReservation, createSut } from '../requests.ts'
import { shared } from '../shared.ts'
import { faultsOf } from './problems.ts'

/** A request to be refused, before it is sent. */
interface Draft {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  /** A change of the body's text. */
  readonly written: (json: string) => string
}

const service = shared(async (scope) => {
  const service = await lab(scope)
  await service.book('alice')
  return service
})

const BODY_MAX = 256 * 1024

/** Faults of a request, in the order of precedence that the guide promises. */
const faults: readonly (readonly [what: string, code: string, commit: (draft: Draft) => Draft])[] = [
  ['no credentials', 'unauthenticated', (draft) => ({ ...draft, headers: without(draft.headers, 'Authorization') })],
  ['an unknown path', 'not_found', (draft) => ({ ...draft, path: '/api/sut_reservation/create/now' })],
  ['an unsupported method', 'method_not_allowed', (draft) => ({ ...draft, method: 'PUT' })],
  [
    'a forbidden role',
    'forbidden',
    // Without credentials there is no role.
    (draft) => (draft.headers.Authorization ? withHeader(draft, 'Authorization', basic('audrey')) : draft),
  ],
  [
    'a body that is too large',
    'body_too_large',
    (draft) => ({ ...draft, written: (json) => draft.written(json.padEnd(BODY_MAX + 1)) }),
  ],
  [
    'a body of another media type',
    'unsupported_media_type',
    (draft) => withHeader(draft, 'Content-Type', 'text/plain'),
  ],
  [
    'broken JSON',
    'malformed_json',
    (draft) => ({ ...draft, written: (json) => draft.written(json.replace('{', '[')) }),
  ],
  ['an unknown field', 'field_unknown', (draft) => withField(draft, 'color', 'red')],
  ['another’s user_id', 'not_your_reservation', (draft) => withField(draft, 'user_id', idOf('bob'))],
  ['an unknown SUT', 'sut_not_found', (draft) => withField(draft, 'sut_id', '58c38f5d444553252cce0000')],
  ['a window that is taken', 'reservation_conflict', (draft) => draft],
]

const without = (headers: Headers, name: string): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
const withHeader = (draft: Draft, name: string, value: string): Draft => ({
  ...draft,
  headers: { ...draft.headers, [name]: value },
})
const withField = (draft: Draft, name: string, value: unknown): Draft => ({
  ...draft,
  body: { ...draft.body, [name]: value },
})

/** The error code of a request with the faults at these indexes. */
const refusedWith = async (places: readonly number[]): Promise<string> => {
  const clean: Draft = {
    method: 'POST',
    path: '/api/sut_reservation/create',
    headers: { Authorization: basic('alice'), 'Content-Type': 'application/json' },
    body: aReservation(service.sut),
    written: (json) => json,
  }
  const draft = places.reduce((draft, place) => faults[place]?.[2](draft) ?? draft, clean)
  const body = draft.written(JSON.stringify(draft.body))
  const answer = await service.anyone.request(draft.method, draft.path, draft.headers, body)
  return [answer.json.code, ...faultsOf(answer)].join()
}

faults.forEach(([what, code], place) => {
  const laterOnes = faults.map((_, other) => other).filter((other) => other > place)

  test(`${what} is refused as ${code}, together with any later fault too`, async (t) => {
    t.is(await refusedWith([place]), code)
    for (const other of laterOnes) t.is(await refusedWith([place, other]), code, `with ${faults[other]?.[0]}`)
    t.is(await refusedWith([place, ...laterOnes]), code, 'with all of them')
  })
})

/** Pairs of faults that a reservation request cannot have. */

const UNKNOWN = '58c38f5d444553252cce0000'
const STALE: Headers = { 'If-Match': '"9"' }
const BROKEN = Buffer.from('{')

test('of two faults of a body, an id, a state or a header the first is named', async (t) => {
  const service = await lab(t)
  const { ask, book, sut } = service
  const retired = await createSut(service.as('admin'))
  t.is((await ask('admin', `POST /api/sut/${retired}/retire`)).status, 200)
  const cancelled = String((await book('admin', {}, { user_id: idOf('alice') })).headers.location)
  t.is((await ask('admin', `POST ${cancelled}/cancel`)).status, 200)
  t.is((await book('alice', '05:45-06:15')).status, 201)
  const [update, updateRetired] = [`POST /api/sut/${sut}/update`, `POST /api/sut/${retired}/update`]
  const updateUnknown = `POST /api/sut/${UNKNOWN}/update`
  const text = { ...STALE, 'Content-Type': 'text/plain' }
  const rows: Readonly<Record<string, Asked>> = {
    '415 before 400, 410 and 412': ['admin', updateRetired, '415 unsupported_media_type', BROKEN, text],
    '400 before 404 of an id': ['admin', updateUnknown, '400 malformed_json', BROKEN],
    '400 before a wrong parameter and a wrong header, which are 422': [
      'admin',
      `${update}?a=1`,
      '400 malformed_json',
      BROKEN,
      { 'If-Match': 'x' },
    ],
    '403 by role before a wrong parameter, which is 422': ['alice', 'GET /api/events?a=1', '403 forbidden'],
    '422 before 403 by owner, of another’s reservation': [
      'bob',
      `POST ${cancelled}/extend`,
      '422 field_unknown #/color',
      { color: 'red' },
    ],
    '422 before 404 of an id': ['admin', updateUnknown, '422 invalid #/port', { port: 0 }],
    '422 before 410': ['admin', updateRetired, '422 invalid #/port', { port: 0 }],
    '422 before 412': ['admin', update, '422 invalid #/port', { port: 0 }, STALE],
    '422 before 409': ['admin', `POST /api/sut/${sut}/retire`, '422 field_unknown #/now', { now: true }],
    'a parameter’s 422 before 404 of an id': ['admin', `GET /api/sut/${UNKNOWN}?a=1`, '422 invalid a'],
    '403 by owner before 410 of the reservation': [
      'bob',
      `POST ${cancelled}/extend`,
      '403 not_your_reservation',
      { duration: 7200 },
    ],
    '404 of an id before 412': ['admin', updateUnknown, '404 sut_not_found', {}, STALE],
    '410 before 412': ['admin', updateRetired, '410 sut_retired', {}, STALE],
    '410 before 409, of a reservation that is cancelled and whose end is taken': [
      'admin',
      `POST ${cancelled}/extend`,
      '410 reservation_cancelled',
      { duration: 7200 },
    ],
    '412 before 409': ['admin', `POST /api/sut/${sut}/retire`, '412 stale', undefined, STALE],
  }
  await asks(t, service, Object.values(rows))
})

test('of two faults of a change of a user the first is named', async (t) => {
  const service = await lab(t)
  const [admin, bob, nobody] = [idOf('admin'), idOf('bob'), UNKNOWN].map((id) => `POST /api/user/${id}`)
  const tester = { role: 'tester' }
  const rows: Readonly<Record<string, Asked>> = {
    '422 before 404 of a user': ['admin', `${nobody}/update`, '422 invalid #/role', { role: 'root' }],
    '404 of a user before 412': ['admin', `${nobody}/update`, '404 user_not_found', tester, STALE],
    '412 before 409 of the last administrator': ['admin', `${admin}/update`, '412 stale', tester, STALE],
    '409 of the last administrator before that of a name': [
      'admin',
      `${admin}/update`,
      '409 last_administrator',
      { ...tester, name: 'ALICE' },
    ],
    'a new name': ['admin', `${bob}/update`, '200', { name: 'robert' }],
    '409 of a restored user before that of its name': ['admin', `${bob}/restore`, '409 user_not_removed'],
    'a removal': ['admin', `${bob}/remove`, '200', { reservations: 'keep' }],
    '410 of a user before 412': ['admin', `${bob}/update`, '410 user_removed', { role: 'auditor' }, STALE],
  }
  await asks(t, service, Object.values(rows))
})
