import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../domain/failure.ts'

/**
 * Conditional requests (RFC 9110, section 13). A SUT's entity tag begins with the revision of its record. If-Match
 * compares only that: neither what probes found since nor the coding of the response makes a write stale.
 */

/** One list element up to its comma or the end, after any empty elements. Tags may contain commas. */
const ELEMENT = /[ \t,]*(?:(W\/)?"([\x21\x23-\x7e\u0080-\u00ff]*)"[ \t]*(?:,|$)|$)/y
/** The record's revision, the number of changes that probes found unless there are none, and the coding. */
const SUT_TAG = /^(0|[1-9]\d{0,15})(?:\.[1-9]\d{0,15})?(?:-(?:gzip|zstd))?$/
/** Entity tags read from a list. */
const TAGS_MAX = 100

interface EntityTag {
  readonly isWeak: boolean
  readonly value: string
}

/** Undefined if the header is not a list of entity tags, or too long. */
const entityTags = (header: string): readonly EntityTag[] | undefined => {
  const tags: EntityTag[] = []
  for (ELEMENT.lastIndex = 0; ELEMENT.lastIndex < header.length; ) {
    const match = ELEMENT.exec(header)
    if (match === null || tags.length === TAGS_MAX) return undefined
    if (match[2] !== undefined) tags.push({ isWeak: match[1] !== undefined, value: match[2] })
  }
  return tags.length > 0 ? tags : undefined
}

/** The revisions that If-Match allows; undefined for any. Weak and foreign tags match nothing. */
export const parseIfMatch = (header: string | undefined): E.Either<Problem, readonly number[] | undefined> => {
  if (header === undefined || header.trim() === '*') return E.right(undefined)
  const tags = entityTags(header)
  if (tags === undefined) {
    const detail = `must be * or a list of at most ${TAGS_MAX} quoted entity tags, as in ETag`
    return E.left({ code: 'invalid', path: ['If-Match'], in: 'header', detail })
  }
  return E.right(
    tags.flatMap(({ isWeak, value }) => {
      const [, revision] = SUT_TAG.exec(value) ?? []
      return isWeak || revision === undefined ? [] : [Number(revision)]
    }),
  )
}
