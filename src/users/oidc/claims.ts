import { fitUserName, visibleName } from '../../domain/user/names.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'

/** What the provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>

/** Somebody who signed in with the provider. */
export interface Person {
  /** Who it is for the provider: issuer and subject. Never changes. */
  readonly identity: string
  /** What the person is called there, made to fit the rules of names. */
  readonly name: string
  /** Values that bring roles. */
  readonly values: readonly string[]
}

/** Characters of a subject (OpenID Connect Core 1.0, section 2). */
const SUBJECT_MAX = 255

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null

/** A claim by its name, or by the names on the way to it, separated by dots: `realm_access.roles`. */
const find = (claims: Claims, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), claims)
}

/** The values of a claim: a list of text, or one text. Undefined if there is no such claim. */
export const claimValuesOf = (claims: Claims, claim: string): readonly string[] | undefined => {
  const values = find(claims, claim)
  if (values === undefined || values === null) return undefined
  return [values].flat().filter((value) => typeof value === 'string')
}

/**
 * Whether the claim is left out because it has too many values and is to be fetched elsewhere (OpenID Connect Core 1.0,
 * section 5.6.2), as Entra ID does with more than 200 groups.
 */
export const isElsewhere = (claims: Claims, claim: string): boolean => {
  const { _claim_names: names } = claims
  const [beginning = claim] = claim.split('.')
  const isNamed = isObject(names) && (Object.hasOwn(names, claim) || Object.hasOwn(names, beginning))
  return isNamed && claimValuesOf(claims, claim) === undefined
}

/** Claims for a name, the best first. */
const NAMES = ['preferred_username', 'email', 'sub'] as const

/** Whether the claims have a name that people know. */
export const hasName = ({ preferred_username, email }: Claims): boolean =>
  typeof (preferred_username ?? email) === 'string'

export const isSubject = (sub: unknown): sub is string =>
  typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_MAX

/** Undefined unless issuer and subject are as they must be. */
export const personOf = (claims: Claims, claim: string): Person | undefined => {
  const { iss, sub } = claims
  if (typeof iss !== 'string' || !isSubject(sub)) return undefined
  const names = NAMES.map((name) => claims[name]).flatMap((name) => (typeof name === 'string' ? [name] : []))
  const chosen = names.map(visibleName).find((name) => name !== undefined)
  const name = [chosen, sub].map((each) => each && fitUserName(each)).find((fitting) => fitting !== undefined)
  return { identity: canonicalJson([iss, sub]), name: name ?? 'user', values: claimValuesOf(claims, claim) ?? [] }
}
