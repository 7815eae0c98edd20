import test, { type ExecutionContext } from 'ava'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeFit, profileOf } from '../../../src/domain/matching/fit.ts'
import { REQUEST_STATUSES } from '../../../src/domain/request/queue.ts'
import { fits } from '../../../src/domain/user/scope.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import type { SutRequestQuery } from '../../../src/read-models/lists/requests.ts'
import { furtherValues } from '../../../src/read-models/tables/schema.ts'
import type { EventRow, NewVersion } from '../../../src/read-models/tables/version.ts'
import { idOf, sutValues } from '../../domain/builders.ts'

const SUTS: readonly Pick<Sut, '_id' | 'os' | 'tags'>[] = [
  { _id: idOf(901), os: 'linux', tags: { rack: '1' } },
  { _id: idOf(902), os: 'linux', tags: { rack: '2' } },
  { _id: idOf(903), os: 'windows', tags: { rack: '2' } },
]
const RETIRED = { _id: idOf(904), os: 'plan9', tags: { rack: '1' } }

const TARGETS: readonly ({ readonly match: Criteria } | { readonly sut_id: string })[] = [
  { match: { os: 'linux' } },
  { match: { os: 'windows' } },
  { match: { tags: { rack: ['1', '2'] } } },
  { match: { os: 'plan9' } },
  ...[...SUTS, RETIRED].map(({ _id }) => ({ sut_id: _id })),
]

const REQUESTS = Array.from(
  { length: 200 },
  (_, n) =>
    ({
      ...{ _id: idOf(n), user_id: `user ${n % 7}`, status: REQUEST_STATUSES[n % 4] },
      ...TARGETS[n % TARGETS.length],
    }) as unknown as SutRequest,
)

/** Requests in a file. Each has a former version too. */
const given = () => {
  const file = openViewsFile(':memory:')
  const rows: EventRow[] = []
  let position = 0
  const add = (
    projection: 'sut' | 'sut_request',
    document: { readonly _id: string },
    internal: object,
    more: Partial<NewVersion> = {},
  ) => {
    const { _id: id } = document
    const made = { position: toPublicPosition(position), created: toPublicPosition(position), revision: 0, id }
    const nothing = { ended: null, observed: 0, isObserved: false, replaces: null }
    const texts = { document: JSON.stringify(document), internal: JSON.stringify(internal) }
    const further = furtherValues(projection, { document, internal })
    rows.push({ projection, version: { ...made, ...texts, further, ...nothing, ...more } })
    position++
  }
  for (const sut of [...SUTS, RETIRED]) {
    const internal = { folded_name: 'X', status: 'disabled', cause: null, began: true, time: 0, settings: {} }
    add('sut', { ...sutValues(), ...sut }, internal, { ended: sut === RETIRED ? 'retired' : null })
  }
  const first = position
  for (const request of REQUESTS) {
    const { match, sut_id = '' } = request
    const internal = { target: match ? canonicalJson(match) : sut_id }
    const created = toPublicPosition(position)
    add('sut_request', { ...request, status: 'waiting' } as SutRequest, internal)
    add('sut_request', request, internal, { created, replaces: created })
  }
  file.stage(rows)
  return { list: file.lists.sutRequests, first }
}

const fitsSut = ({ match, sut_id }: SutRequest, sut: (typeof SUTS)[number]): boolean =>
  match === undefined ? sut_id === sut._id : makeFit(match)(profileOf({ ...sutValues(), ...sut }, sut.tags))

/** What a query finds, looked at one by one. */
const expected = ({ status, user_id, sut, visibility }: Partial<SutRequestQuery>): readonly SutRequest[] =>
  REQUESTS.filter(
    (request) =>
      (status === undefined || request.status === status) &&
      (user_id === undefined || request.user_id === user_id) &&
      (sut === undefined ||
        request.sut_id === sut._id ||
        (sut.isSeen && SUTS.some((each) => each._id === sut._id && fitsSut(request, each)))) &&
      (visibility === undefined ||
        request.user_id === visibility.user_id ||
        SUTS.some((each) => fits(each.tags, visibility.scope) && fitsSut(request, each))),
  ).toReversed()

const check = (
  t: ExecutionContext,
  { list, first }: ReturnType<typeof given>,
  query: Partial<SutRequestQuery>,
): void => {
  const all = expected(query)
  const found = list({ limit: 1_000, offset: 0, ...query })
  t.deepEqual(
    found.documents.map((text) => (JSON.parse(text) as SutRequest)._id),
    all.map(({ _id }) => _id),
    JSON.stringify(query),
  )
  t.is(found.count, all.length)
  const half = list({ limit: 5, offset: 3, ...query })
  t.deepEqual([half.documents, half.count], [found.documents.slice(3, 8), all.length])
  const last = all[4]
  if (last === undefined) return
  const createdBefore = toPublicPosition(first + 2 * REQUESTS.findIndex(({ _id }) => _id === last._id))
  t.deepEqual(list({ limit: 5, offset: 0, createdBefore, ...query }).documents, found.documents.slice(5, 10))
}

const SIGHTS: readonly Partial<SutRequestQuery>[] = [
  {},
  ...['1', '2', '3'].map((rack) => ({ visibility: { scope: { rack }, user_id: 'user 3' } })),
]
const FILTERS: readonly Partial<SutRequestQuery>[] = [
  {},
  { status: 'waiting' },
  { user_id: 'user 3' },
  { user_id: 'nobody' },
  { status: 'granted', user_id: 'user 2' },
  ...[...SUTS, RETIRED].map(({ _id }) => ({ sut: { _id, isSeen: true } })),
  { sut: { _id: idOf(901), isSeen: false } },
  { sut: { _id: 'nothing', isSeen: false } },
  { sut: { _id: idOf(902), isSeen: true }, status: 'waiting', user_id: 'user 1' },
]

test('lists of requests have exactly those that a filter and a scope allow, newest first, in pages', (t) => {
  const setting = given()
  for (const sight of SIGHTS) for (const filter of FILTERS) check(t, setting, { ...sight, ...filter })
})
