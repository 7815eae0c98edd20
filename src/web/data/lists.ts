/** Lists of the interface, in as few requests as it allows. */

import type { Stretch } from '../features/schedule/calendar.ts'
import { compareNames, toIso } from '../format/format.ts'
import type { Readable } from '../service/api.ts'
import type { Person, Reservation, Sut, SutRequest } from './objects.ts'
import { ofKinds, type Query } from './query.ts'

const PAGE = 1_000
/** Machines of a request, at most. */
const SUTS = 100

/** All of a list, or as many as are wanted of its newest. */
export const readAll = async <A extends { readonly _id: string }>(
  api: Readable,
  path: string,
  name: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly A[]> => {
  const all: A[] = []
  for (let before = ''; ; ) {
    const limit = Math.min(PAGE, most - all.length)
    const { value } = await api.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${before}`)
    const page = (value as Readonly<Record<string, readonly A[]>>)[name] ?? []
    all.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < limit || all.length >= most) return all
    before = `&before=${encodeURIComponent(last._id)}`
  }
}

/** The reservations that parameters ask for: of some machines, or of all. */
export const readReservations = async (
  api: Readable,
  parameters: Readonly<Record<string, string>>,
  sutIds?: readonly string[],
): Promise<readonly Reservation[]> => {
  const all: Reservation[] = []
  for (let n = 0; n === 0 || n < (sutIds?.length ?? 0); n += SUTS) {
    const ids = (sutIds ?? []).slice(n, n + SUTS).map((id) => ['sut_id', id])
    const query = new URLSearchParams([...Object.entries(parameters), ...ids])
    all.push(...(await readAll<Reservation>(api, `/api/sut_reservation?${query}`, 'sut_reservations')))
  }
  return all
}

/** What is asked for of a span. */
export const spanOf = ({ from, to }: Stretch) => ({ from: toIso(from), to: toIso(to) })

/** By id, in the order of their names. */
export const byId = <A extends { readonly _id: string; readonly name: string }>(
  all: readonly A[],
): ReadonlyMap<string, A> =>
  new Map(all.toSorted((a, b) => compareNames(a.name, b.name)).map((each) => [each._id, each]))

/** All machines that one sees, by id, in the order of their names. */
export const MACHINES: Query<ReadonlyMap<string, Sut>> = {
  ...{ key: 'machines', isKept: true, ...ofKinds('sut') },
  read: async (api) => byId(await readAll<Sut>(api, '/api/sut?include=settings', 'suts')),
}

/** All people, by id, in the order of their names. */
export const PEOPLE: Query<ReadonlyMap<string, Person>> = {
  ...{ key: 'people', isKept: true, ...ofKinds('user') },
  read: async (api) => byId(await readAll<Person>(api, '/api/user', 'users')),
}

interface OwnRequests {
  /** The oldest first. */
  readonly waiting: readonly SutRequest[]
  /** Those that were granted while the page was open. */
  readonly granted: readonly SutRequest[]
}

export const OWN_REQUESTS = 'own requests'

export const ownRequests = (userId: string): Query<OwnRequests> => ({
  ...{ key: OWN_REQUESTS, isKept: true, ...ofKinds('sut_request') },
  read: async (source, _ids, before = { waiting: [], granted: [] }) => {
    const path = `/api/sut_request?user_id=${userId}&status=waiting`
    const waiting = (await readAll<SutRequest>(source, path, 'sut_requests')).toReversed()
    const gone = before.waiting.filter(({ _id }) => !waiting.some((each) => each._id === _id))
    const ended = await Promise.all(gone.map(async ({ _id }) => (await source.get(`/api/sut_request/${_id}`)).value))
    return { waiting, granted: [...before.granted, ...ended.filter(({ status }) => status === 'granted')] }
  },
})
