import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { markPlain, orNull, rowsOf } from '../codec/codec.ts'
import { schemaOf, withSchema } from '../codec/json-schema.ts'
import { closed, dictionary } from '../codec/object-codec.ts'
import { sutFields, tagName, tagText } from './sut.ts'

/** Values of a criterion, one of which a SUT must have. */
const VALUES_MAX = 32
/** Tags of a set of criteria. */
const TAGS_MAX = 16

const SEVERAL = `must be a string, or an array of 1 to ${VALUES_MAX} strings`

type OneOrSeveral = string | readonly string[]

/** A string, or an array of some, one of which is enough. */
const oneOrSeveral = (value: t.Type<string>): t.Type<OneOrSeveral> => {
  const several = rowsOf(value, VALUES_MAX, 'strings') as t.Type<readonly string[], unknown, unknown>
  const codec = new t.Type<OneOrSeveral>(
    `${value.name} or several`,
    (u): u is OneOrSeveral => value.is(u) || E.isRight(several.decode(u)),
    (u, c) => {
      if (Array.isArray(u)) return several.validate(u, c)
      return typeof u === 'string' ? value.validate(u, c) : t.failure(u, c, SEVERAL)
    },
    t.identity,
  )
  return markPlain(withSchema(codec, () => ({ anyOf: [schemaOf(value), schemaOf(several)] })))
}

/** An object with at least one member. */
const notEmpty = <A extends object>(codec: t.Type<A, unknown, unknown>): t.Type<A, unknown, unknown> =>
  markPlain(
    withSchema(
      new t.Type<A, unknown, unknown>(
        codec.name,
        (u): u is A => codec.is(u) && Object.keys(u).length > 0,
        (u, c) => {
          const read = codec.validate(u, c)
          const isEmpty = E.isRight(read) && Object.keys(read.right).length === 0
          return isEmpty ? t.failure(u, c, 'must have at least one member') : read
        },
        t.identity,
      ),
      () => ({ ...schemaOf(codec), minProperties: 1 }),
    ),
  )

const { name, manufacturer, model, os, version } = sutFields

const members = {
  // Case does not matter, so it is not one of an enumeration.
  sut_type: oneOrSeveral(name),
  manufacturer: oneOrSeveral(manufacturer),
  model: oneOrSeveral(model),
  os: oneOrSeveral(os),
  version: oneOrSeveral(version),
  name: oneOrSeveral(name),
  tags: notEmpty(dictionary('tag criteria', tagName, orNull(oneOrSeveral(tagText)), TAGS_MAX)),
} as const

const Exclusion = notEmpty(closed('Exclusion', {}, members))

/**
 * What a SUT must be: every criterion must hold, and none of those under `not`. Fields are compared as names of users
 * are. Tags are exact; null is the absence of a tag.
 */
export const Criteria = notEmpty(closed('Criteria', {}, { ...members, not: Exclusion }))
export type Criteria = t.TypeOf<typeof Criteria>
export type Exclusion = t.TypeOf<typeof Exclusion>
