import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { ListPage } from '../../read-models/lists/lists.ts'
import type { Paging } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { RouteResponse } from '../protocol/route.ts'
import type { Listed, Objects } from '../response/objects.ts'

/** The envelope of a list. Entries are JSON texts, inserted unchanged. */
export const listResponse = (
  name: string,
  { limit, offset }: Pick<Paging, 'limit' | 'offset'>,
  { documents, count }: ListPage,
): RouteResponse => ({
  status: 200,
  body: `{"limit":${limit},"offset":${offset},"count":${count},"${name}":[${documents.join(',')}]}`,
})

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

export const unknownBefore = (kind: string): Refusal => invalid([inQuery('before', `is not the id of a ${kind}`)])

/** Resolves the id in `before` to the position at which that entry was created. It may have left the list since. */
export const resolveBefore = async (
  objects: Pick<Objects, 'newest'>,
  kind: Listed,
  before: string | undefined,
): Promise<E.Either<Refusal, PublicPosition | undefined>> => {
  if (before === undefined) return E.right(undefined)
  const found = await objects.newest(kind, before)
  if (E.isLeft(found)) return found
  return found.right === undefined ? E.left(unknownBefore(WORDS[kind] ?? kind)) : E.right(found.right.created)
}
