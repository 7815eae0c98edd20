import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { markPlain, matching, orNull, rowsOf, text } from '../codec/codec.ts'
import { schemaOf, withSchema } from '../codec/json-schema.ts'
import { closed, dictionary, type Fields } from '../codec/object-codec.ts'
import { sutFields, tagName, tagText } from './sut.ts'

/** Values of a criterion, one of which a SUT must have. */
const VALUES_MAX = 32
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

const tags = notEmpty(dictionary('tag criteria', tagName, orNull(oneOrSeveral(tagText)), TAGS_MAX))

/** A field that a SUT may lack: null, and in logs of before 2.0 an empty string, is its absence. */
const lacking = (value: t.Type<string>) => orNull(oneOrSeveral(value))

const members = {
  sut_type: oneOrSeveral(name),
  manufacturer: lacking(manufacturer),
  model: lacking(model),
  os: lacking(os),
  version: lacking(version),
  name: oneOrSeveral(name),
  tags,
} as const

const criteriaOf = <F extends Fields>(fields: F) =>
  notEmpty(closed('Criteria', {}, { ...fields, not: notEmpty(closed('Exclusion', {}, fields)) }))

/**
 * What a SUT must be: every criterion must hold, and none of those under `not`. Fields are compared as names of users
 * are. Tags are exact; null is the absence of a tag.
 */
export const Criteria = criteriaOf(members)
export type Criteria = t.TypeOf<typeof Criteria>
export type Exclusion = NonNullable<Criteria['not']>

/** In any case, as other fields. */
const sutType = matching('sut_type', /^(?:[vV][nN][cC]|[rR][dD][pP]|[tT][cC][pP])$/, 'must be vnc, rdp or tcp')
/** An empty string is more often a variable that is not set than a SUT without that field. */
const filled = text(1, 4096)

const fields = {
  ...members,
  sut_type: oneOrSeveral(sutType),
  manufacturer: lacking(filled),
  model: lacking(filled),
  os: lacking(filled),
  version: lacking(filled),
}

/** Criteria as requests may have them. */
export const AskedCriteria = criteriaOf(fields)
