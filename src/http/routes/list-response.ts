import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import type { Lists } from '../../read-models/lists/lists.ts'
import type { ListPage, ListRows } from '../../read-models/lists/page.ts'
import { LIMIT_DEFAULT, type Paging } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { CSV, type CsvList } from '../response/csv-lists.ts'
import type { Listed } from '../response/objects.ts'
import { visibleTo } from '../response/visibility.ts'
import type { Parts } from './parts.ts'

/** The envelope of a list, without an offset where the page is after an entry. Entries are JSON texts, inserted unchanged. */
export const listResponse = (
  name: string,
  { limit = LIMIT_DEFAULT, offset = 0, before }: Omit<Paging, 'before'> & { readonly before?: unknown },
  { documents, count }: Pick<ListPage, 'documents' | 'count'>,
): RouteResponse => {
  const place = before !== undefined ? '' : `"offset":${offset},`
  return { status: 200, body: `{"limit":${limit},${place}"count":${count},"${name}":[${documents.join(',')}]}` }
}

/** The response to an import: JSON texts of what was created, or only how many it would be. */
export const importResponse = (
  name: 'suts' | 'users',
  created: readonly string[] | undefined,
  count = created?.length ?? 0,
): RouteResponse => ({
  status: 200,
  body: created === undefined ? `{"count":${count}}` : `{"count":${count},"${name}":[${created.join(',')}]}`,
})

/** What people call kinds, where that is not their name. */
const WORDS: Readonly<Partial<Record<Listed, string>>> = { sut: 'SUT', sut_request: 'request' }

const unknownBefore = (kind: string): Refusal => invalid([inQuery('before', `is not the id of a ${kind}`)])

/** The entries of a list in memory after the one with the id in `before`. */
export const entriesAfter = <A extends { readonly _id: string }>(
  all: readonly A[],
  kind: string,
  before: string | undefined,
): E.Either<Refusal, readonly A[]> => {
  const index = before === undefined ? -1 : all.findIndex(({ _id }) => _id === before)
  return before !== undefined && index === -1 ? E.left(unknownBefore(kind)) : E.right(all.slice(index + 1))
}

type PagedLists = Pick<Lists, 'suts' | 'reservations' | 'series' | 'sessions' | 'sutRequests'>
type DetailsOf<Name extends keyof PagedLists> = ReturnType<Lists[Name]> extends ListPage<infer D> ? D : never

interface Listing<Name extends keyof PagedLists> {
  readonly query: Omit<Parameters<Lists[Name]>[0], 'limit' | 'offset'>
  /** Those of the list as CSV, if there is one. */
  readonly columns?: readonly string[]
  /** A document as responses show it; as it is stored unless given. */
  readonly show?: (document: string, details: DetailsOf<Name> | undefined) => string
}

/** Refuses parameters that are not for CSV. It has no settings of SUTs either. */
const refuseForCsv = (query: Paging, kind: Listed): E.Either<Refusal, never> | undefined => {
  const ofPages = ['limit', 'offset', ...(kind === 'sut' ? ['include'] : [])]
  const given = ofPages.filter((name) => query[name as keyof Paging] !== undefined)
  if (given.length === 0) return undefined
  return E.left(invalid(given.map((name) => inQuery(name, 'is only for pages; CSV has all that match'))))
}

/** Responds with a page of a list as JSON, or with all that match as CSV. */
export const respondWithList = async <Name extends keyof PagedLists>(
  parts: Pick<Parts, 'objects' | 'suts' | 'views' | 'csv'>,
  { query, user, mediaType }: Call<unknown, Paging>,
  [kind, list, name]: readonly [kind: Listed, list: Name, name: string],
  listing: () => Promise<E.Either<Refusal, Listing<Name>>>,
): RouteResult => {
  const { objects, views, csv } = parts
  const refused = mediaType === CSV ? refuseForCsv(query, kind) : undefined
  if (refused !== undefined) return refused
  const { limit = LIMIT_DEFAULT, offset = 0, before } = query
  // The entry with this id may have left the list since.
  const last = before === undefined ? undefined : await visibleTo(parts, user).newest(kind, before)
  if (last !== undefined && E.isLeft(last)) return last
  if (last !== undefined && last.right === undefined) return E.left(unknownBefore(WORDS[kind] ?? kind))
  const result = await listing()
  if (E.isLeft(result)) return result
  const { query: filters, columns, show = (document) => document } = result.right
  const part = { createdBefore: last?.right?.created, ...(mediaType === CSV ? csv.part : { limit, offset }) }
  const listQuery = { ...filters, ...part } as unknown as Parameters<Lists[Name]>[0]
  const read = await objects.showList(list, ...([listQuery] as Parameters<Lists[Name]>))
  if (E.isLeft(read)) return read
  const page: ListPage = read.right.listed
  const position = filters.asOf ?? read.right.position
  const entriesOf = ({ documents, details }: ListRows): readonly string[] =>
    documents.map((document, n) => show(document, details?.[n] as DetailsOf<Name> | undefined))
  if (columns !== undefined && mediaType === CSV) {
    const readEntries: CsvList['readEntries'] = async (some) => entriesOf(await views.readRows(list, listQuery, some))
    return csv.respond({ columns, positions: page.positions ?? [], readEntries }, position, user._id)
  }
  return E.right({ ...listResponse(name, query, { documents: entriesOf(page), count: page.count }), position })
}
