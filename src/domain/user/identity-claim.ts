import * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../failure.ts'
import type { UsersState } from './state.ts'

/** An identity at the provider of single sign-on, that no user may have yet. Known as names are. */
export interface IdentityClaim {
  readonly identity: string
  /** Identities by the id of the secret, also of removed users. */
  readonly known: ReadonlyMap<string, string>
}

/** Undefined if no user has this identity. If one has, nothing is to be recorded. */
export const decideIdentity = (
  { users }: UsersState,
  { identity, known }: IdentityClaim,
): E.Either<Failure, readonly []> | undefined => {
  const ids = users.flatMap(({ secrets }) => secrets.identity ?? [])
  if (ids.some((id) => known.get(id) === identity)) return E.right([])
  if (ids.every((id) => known.has(id))) return undefined
  return refuse('unavailable', 'The identities of all users are not known yet. Try again.')
}
