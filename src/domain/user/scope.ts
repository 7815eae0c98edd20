import * as E from 'fp-ts/lib/Either.js'
import { parsed } from '../codec/codec.ts'
import { tagName, tagText } from '../events/sut.ts'
import { SCOPE_MAX } from '../events/user.ts'
import { decodePercent } from '../values/text.ts'
import { parsePairs } from './pairs.ts'

/** Tags that a SUT must have, by name. */
export type Scope = Readonly<Record<string, string>>

const TAGS_MAX = 16

const SYNTAX = 'must be like site=berlin or site=berlin,rack=4, with %25, %2C and %3D for "%", "," and "=" in values'

const parseTag = (name: string, encoded: string): E.Either<string, readonly [name: string, value: string]> => {
  const value = decodePercent(encoded)
  if (value === undefined) return E.left(SYNTAX)
  if (!tagName.is(name)) return E.left('must have tag names of 1 to 64 of A-Z a-z 0-9 . _ -')
  return tagText.is(value)
    ? E.right([name, value])
    : E.left('must have tag values of at most 256 characters, without control characters or lone surrogates')
}

/**
 * Parses a tag selector: `team=qa1,rack=4`, all of which must match. Empty text matches every SUT. White space around
 * names and values is ignored. Left completes the sentence "the scope ..." and repeats nothing of it.
 */
export const parseScope = (text: string): E.Either<string, Scope> => {
  if (text === '') return E.right({})
  if (text.length > SCOPE_MAX) return E.left(`must be at most ${SCOPE_MAX} characters`)
  if (text.split(',').length > TAGS_MAX) return E.left(`must be at most ${TAGS_MAX} tags`)
  const tags = parsePairs(text, parseTag, { syntax: SYNTAX, twice: 'must have each name once' })
  return E.map(Object.fromEntries<string>)(tags)
}

/** What a value must not contain as it is: separators, and the white space at its ends that parsing ignores. */
const ENCODED = /^\s|\s$|[%,=]/g

/** The canonical text of a scope: sorted by name, with nothing encoded that need not be. */
export const formatScope = (scope: Scope): string =>
  Object.entries(scope)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value.replace(ENCODED, encodeURIComponent)}`)
    .join(',')

/** Decodes the text of a scope to its canonical text. */
export const scopeCodec = parsed(
  'scope',
  (text) => E.map(formatScope)(parseScope(text)),
  SYNTAX,
  // Looser than the codec: a pattern cannot compare names, nor count the characters of an encoded value.
  () => ({ type: 'string', maxLength: SCOPE_MAX, pattern: '^(?:[^,=]+=[^,=]*(?:,[^,=]+=[^,=]*){0,15})?$' }),
)

/** Whether tags match a scope: every name with its value. */
export const fits = (tags: Readonly<Record<string, string>>, scope: Scope): boolean =>
  Object.entries(scope).every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value)
