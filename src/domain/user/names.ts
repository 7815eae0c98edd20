import type * as E from 'fp-ts/lib/Either.js'
import { scalar } from '../codec/codec.ts'
import { patternOf } from '../codec/json-schema.ts'
import { type Failure, refuse } from '../failure.ts'
import { classExcluding } from '../values/characters.ts'
import { foldName, isNewUserName, NEW_USER_NAME, REFUSED_IN_NAMES, TOKEN_PREFIX } from '../values/user-name.ts'
import type { UsersState } from './state.ts'

const RULE =
  'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic'

export const NewUserName = scalar(
  'user name',
  (u): u is string => typeof u === 'string' && isNewUserName(u),
  RULE,
  () => ({
    ...{ type: 'string', pattern: patternOf(NEW_USER_NAME), not: { pattern: patternOf(TOKEN_PREFIX) } },
    description: 'Does not mix scripts, such as Latin and Cyrillic.',
  }),
)

const REFUSED = new RegExp(`[^${classExcluding(REFUSED_IN_NAMES)}]+`, 'gu')

/** Characters of a fitted name, which leaves room for a number. */
const LENGTH_MAX = 120

/** A name given elsewhere, in which characters that a name cannot have became `-`. Undefined if nothing is left. */
export const visibleName = (text: string): string | undefined => {
  const visible = text.toWellFormed().normalize('NFC').replace(REFUSED, '-').trim()
  return [...visible].slice(0, LENGTH_MAX).join('').trim() || undefined
}

/** A name given elsewhere, made to fit the rules of user names. Undefined if nothing is left, or it mixes scripts. */
export const fitUserName = (text: string): string | undefined => {
  const visible = visibleName(text)
  if (visible === undefined) return undefined
  const name = TOKEN_PREFIX.test(visible.normalize('NFKC')) ? `user-${visible}` : visible
  return isNewUserName(name) ? name : undefined
}

/** The name, or the first of `name-2`, `name-3` and so on that is none of these folded names. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(foldName(name))) return name
  for (let n = 2; ; n++) if (!taken.has(foldName(`${name}-${n}`))) return `${name}-${n}`
}

/**
 * A name that must be free. Events have no names, so the command brings those of the users it knows, by the ids of
 * their secrets. The decision is made again with more of them if a user is missing.
 */
export interface NameClaim {
  /** The name case-folded; see values/user-name.ts. */
  readonly folded: string
  /** Folded names by the id of the secret. */
  readonly known: ReadonlyMap<string, string>
}

export const refuseName = (
  { users }: UsersState,
  { folded, known }: NameClaim,
  ownId: string,
): E.Either<Failure, never> | undefined => {
  const others = users.filter(({ _id, status }) => status === 'present' && _id !== ownId)
  const names = others.map(({ secrets }) => known.get(secrets.name ?? ''))
  if (names.includes(folded))
    return refuse('user_name_taken', 'Another user has this name. Upper and lower case count as the same.')
  if (!names.includes(undefined)) return undefined
  return refuse('unavailable', 'The names of all users are not known yet. Try again.')
}
