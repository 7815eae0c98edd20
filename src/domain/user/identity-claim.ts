import type { UsersState } from './state.ts'

/** An identity at the provider of single sign-on, that no user may have yet. Known as names are. */
export interface IdentityClaim {
  readonly identity: string
  /** Identities by the id of the secret, also of removed users. */
  readonly known: ReadonlyMap<string, string>
}

/** Whether a user has this identity: undefined if the claim does not know every identity. */
export const hasIdentity = ({ users }: UsersState, { identity, known }: IdentityClaim): boolean | undefined => {
  const ids = users.flatMap(({ secrets }) => secrets.identity ?? [])
  if (ids.some((id) => known.get(id) === identity)) return true
  return ids.every((id) => known.has(id)) ? false : undefined
}
