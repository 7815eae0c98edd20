import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../domain/failure.ts'

/**
 * Conditional requests (RFC 9110, section 13). A SUT's entity tag begins with the revision of its record. If-Match
 * compares only that: neither what probes found since nor the coding of the response makes a write stale.
 */

/** A list of entity tags, with empty elements. Tags may contain commas. */
const LIST = /^(?:[ \t,]*(?:W\/)?"[\x21\x23-\x7e\u0080-\u00ff]*"[ \t]*(?:,|$))+[ \t,]*$/
const TAG = /(?:W\/)?"[^"]*"/g
/** The record's revision, the number of changes that probes found unless there are none, and the coding. */
const SUT_TAG = /^"(0|[1-9]\d{0,15})(?:\.[1-9]\d{0,15})?(?:-(?:gzip|zstd))?"$/
/** Entity tags read from a list. */
const TAGS_MAX = 100

/** The revisions that If-Match allows; undefined for any. Weak and foreign tags match nothing. */
export const parseIfMatch = (header: string | undefined): E.Either<Problem, readonly number[] | undefined> => {
  if (header === undefined || header.trim() === '*') return E.right(undefined)
  const tags = LIST.test(header) ? (header.match(TAG) ?? []) : []
  if (tags.length === 0 || tags.length > TAGS_MAX) {
    const detail = `must be * or a list of at most ${TAGS_MAX} quoted entity tags, as in ETag`
    return E.left({ code: 'invalid', path: ['If-Match'], in: 'header', detail })
  }
  return E.right(
    tags.flatMap((tag) => {
      const [, revision] = SUT_TAG.exec(tag) ?? []
      return revision === undefined ? [] : [Number(revision)]
    }),
  )
}
