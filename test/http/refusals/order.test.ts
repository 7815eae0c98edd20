import test from 'ava'
import { basic, type Headers } from '../client.ts'
import { idOf, type Running, start, tidyingLater } from '../harness.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
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

const later = tidyingLater()
let service: Running
let sut: string

test.before(async () => {
  service = await start(later, { now: NOW })
  sut = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut))
})
test.after.always(later.tidy)

const BODY_MAX = 256 * 1024

/** Faults of a request, in the order of precedence that behaviour/errors-and-retrying.md promises. */
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
    body: aReservation(sut),
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
