import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { CsvList } from '../../read-models/lists/csv.ts'
import type { ListPage, PageQuery } from '../../read-models/lists/page.ts'
import { LIMIT, type Paging } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { CSV } from '../response/csv-lists.ts'
import type { Listed, Objects } from '../response/objects.ts'
import { visibleTo } from '../response/visibility.ts'
import type { Parts } from './parts.ts'

/** The envelope of a list, without an offset where the page is after an entry. Entries are JSON texts, inserted unchanged. */
export const listResponse = (
  name: string,
  { limit = LIMIT, offset = 0, before }: Omit<Paging, 'before'> & { readonly before?: unknown },
  { documents, count }: ListPage,
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

/** A list that was read. */
interface Reading extends ListResult<ListPage> {
  /** The same list as CSV, if there is one. */
  readonly csvList?: CsvList
  /** The documents as responses show them; as they are unless given. */
  readonly show?: (document: string, n: number) => string
}

/** Responds with a page of a list as JSON, or with all that match as CSV. */
export const respondWithList = async (
  { objects, csv }: Pick<Parts, 'objects' | 'csv'>,
  { query, user, mediaType }: Call<unknown, Paging>,
  [kind, name, seen = visibleTo(objects, user)]: readonly [kind: Listed, name: string, seen?: Pick<Objects, 'newest'>],
  read: (part: PageQuery) => Promise<E.Either<Refusal, Reading>>,
): RouteResult => {
  const refused = mediaType === CSV ? csv.refuse(query, kind) : undefined
  if (refused !== undefined) return refused
  const { limit = LIMIT, offset = 0, before } = query
  // The entry with this id may have left the list since.
  const last = before === undefined ? undefined : await seen.newest(kind, before)
  if (last !== undefined && E.isLeft(last)) return last
  if (last !== undefined && last.right === undefined) return E.left(unknownBefore(WORDS[kind] ?? kind))
  const part = mediaType === CSV ? csv.part : { limit, offset }
  const found = await read({ ...part, createdBefore: last?.right?.created })
  if (E.isLeft(found)) return found
  const { listed: page, position, csvList, show } = found.right
  if (csvList !== undefined && mediaType === CSV) return csv.respond(csvList, page, position, user._id)
  const documents = show === undefined ? page.documents : page.documents.map(show)
  return E.right({ ...listResponse(name, query, { ...page, documents }), position })
}
