import type * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../failure.ts'
import type { UsersState } from './state.ts'

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

/** Why a name is not available; undefined if it is. */
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
