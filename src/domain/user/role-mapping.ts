import * as E from 'fp-ts/lib/Either.js'
import { Role } from '../events/user.ts'
import { decodePercent } from '../values/text.ts'
import { parsePairs } from './pairs.ts'

/** Roles by the value that a sign-in brings for them. */
export type RoleMapping = ReadonlyMap<string, Role>

/** The first role that a sign-in brings counts. */
const PRECEDENCE = ['administrator', 'tester', 'auditor'] as const satisfies readonly Role[]

/** Values of a mapping, and characters of one. */
const [VALUES_MAX, VALUE_MAX] = [256, 256]

const SYNTAX =
  'must be like lab-admins=administrator or lab-admins=administrator,qa=tester, with %25, %2C and %3D for "%", "," and "=" in values'

const parseEntry = (encoded: string, role: string): E.Either<string, readonly [value: string, role: Role]> => {
  const value = decodePercent(encoded)
  if (value === undefined || value === '') return E.left(SYNTAX)
  if (value.length > VALUE_MAX) return E.left(`must have values of at most ${VALUE_MAX} characters`)
  return Role.is(role) ? E.right([value, role]) : E.left(`must have roles that are one of ${PRECEDENCE.join(', ')}`)
}

/**
 * Parses which values bring which roles: `lab-admins=administrator,qa=tester`. Left completes the sentence "the mapping
 * ..." and repeats nothing of it.
 */
export const parseRoleMapping = (text: string): E.Either<string, RoleMapping> =>
  text.split(',').length > VALUES_MAX
    ? E.left(`must have at most ${VALUES_MAX} values`)
    : parsePairs(text, parseEntry, { syntax: SYNTAX, twice: 'must have each value once' })

/** The role that these values bring; undefined if none does. */
export const roleOf = (mapping: RoleMapping, values: readonly string[]): Role | undefined => {
  const roles = values.map((value) => mapping.get(value))
  return PRECEDENCE.find((role) => roles.includes(role))
}
