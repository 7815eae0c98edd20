import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../domain/failure.ts'

/** Conditional requests after RFC 9110, section 13. A SUT's entity tag is the revision of its record in quotes. */

/** One element of a list up to its comma or the end, with empty ones before it. A tag may hold a comma itself. */
const ELEMENT = /[ \t,]*(?:(W\/)?"([\x21\x23-\x7e\u0080-\u00ff]*)"[ \t]*(?:,|$)|$)/y
/** Entity tags of a list; nobody has so many versions of one thing. */
const TAGS_MAX = 100

interface EntityTag {
  readonly isWeak: boolean
  readonly value: string
}

/** Undefined where the header is not a list of entity tags, or of more than are read. */
const entityTags = (header: string): readonly EntityTag[] | undefined => {
  const tags: EntityTag[] = []
  for (ELEMENT.lastIndex = 0; ELEMENT.lastIndex < header.length; ) {
    const match = ELEMENT.exec(header)
    if (match === null || tags.length === TAGS_MAX) return undefined
    if (match[2] !== undefined) tags.push({ isWeak: match[1] !== undefined, value: match[2] })
  }
  return tags.length > 0 ? tags : undefined
}

/**
 * The revisions of which the SUT's record must be at one; undefined where any will do. Weak tags and those that Berth
 * never gave match nothing.
 */
export const parseIfMatch = (header: string | undefined): E.Either<Problem, readonly number[] | undefined> => {
  if (header === undefined || header.trim() === '*') return E.right(undefined)
  const tags = entityTags(header)
  if (tags === undefined) {
    const detail = `must be * or a list of at most ${TAGS_MAX} entity tags in quotes, as ETag gives them`
    return E.left({ code: 'invalid', path: ['If-Match'], in: 'header', detail })
  }
  return E.right(
    tags.filter(({ isWeak, value }) => !isWeak && /^(0|[1-9]\d{0,15})$/.test(value)).map((tag) => Number(tag.value)),
  )
}

/** Whether If-None-Match says that the client has this representation already. A malformed one says nothing. */
export const isKnownToClient = (header: string | undefined, entityTag: string): boolean => {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return entityTags(header)?.some(({ value }) => `"${value}"` === entityTag) ?? false
}
