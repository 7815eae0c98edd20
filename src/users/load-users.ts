import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { USER_SECRET_FIELDS } from '../domain/events/user.ts'
import { parseScope, type Scope } from '../domain/user/scope.ts'
import type { UserState, UsersState } from '../domain/user/state.ts'
import type { Member, User } from '../domain/user/user.ts'
import type { UserSecrets } from '../vault/vault.ts'
import { type PasswordHash, parsePasswordHash } from './passwords/password.ts'

/** A user and its password. The same object until something of the user changes. */
export interface Credential {
  readonly user: User
  /** Undefined if it cannot be read. */
  readonly hash: PasswordHash | undefined
}

export interface LoadOptions {
  readonly readState: () => Promise<UsersState>
  readonly readSecrets: (userIds: readonly string[]) => Promise<readonly UserSecrets[]>
}

/** Users whose secrets are read at a time. */
const AT_A_TIME = 32

export interface UserEntry {
  readonly secrets: UserSecrets
  readonly member: Member
  readonly user: User | undefined
  readonly credential: Credential | undefined
}

/** Whether all secrets that events name are known. */
const areKnown = (recorded: UserState['secrets'], secrets: UserSecrets): boolean =>
  USER_SECRET_FIELDS.every((field) => {
    const { id, clear } = secrets[field] ?? {}
    return id === recorded[field] && (id === undefined || clear !== undefined)
  })

/** No tag has this name. */
const NO_SUT: Scope = { '': '' }

/** Undefined for every SUT. A scope that cannot be read, which no command records, has none. */
const scopeOf = ({ scope }: UserState): Scope | undefined =>
  scope === '' ? undefined : E.getOrElse(() => NO_SUT)(parseScope(scope))

/** None, if one by which users are found was altered. */
const withReadableNames = (secrets: UserSecrets): UserSecrets => {
  const { name, identity } = secrets
  return [name, identity].some((secret) => secret !== undefined && secret.clear === undefined) ? {} : secrets
}

const entryOf = (state: UserState, secrets: UserSecrets): UserEntry => {
  const { _id, role, status, accessSince } = state
  const name = secrets.name?.clear ?? _id
  const entry = { secrets, member: { ...state, name } }
  if (status !== 'present') return { ...entry, user: undefined, credential: undefined }
  const scope = scopeOf(state)
  const user: User = { _id, name, role, accessSince, ...(scope !== undefined && { scope }) }
  const hasPassword = secrets.name !== undefined && secrets.password !== undefined
  const hash = parsePasswordHash(secrets.password?.clear ?? '')
  return { ...entry, user, credential: hasPassword ? { user, hash } : undefined }
}

/** Whether a user is not known with the secrets that its events name. */
const needsSecrets = ({ status, secrets }: UserState, former: UserEntry | undefined): boolean =>
  status !== 'erased' && !(former !== undefined && areKnown(secrets, former.secrets))

/** Reads users and their secrets, reusing what has not changed. */
export const makeLoad = ({ readState, readSecrets }: LoadOptions) => {
  const load = async (
    states: readonly UserState[],
    before: ReadonlyMap<string, UserEntry>,
  ): Promise<readonly UserEntry[]> => {
    // Secrets that could not be opened are read again: their key may have come since.
    const needed = states.filter((state) => needsSecrets(state, before.get(state._id))).map(({ _id }) => _id)
    // Many are decrypted, so not all in one turn of the event loop.
    if (needed.length === AT_A_TIME) await nextTurn()
    const contents = needed.length === 0 ? [] : await readSecrets(needed)
    const read = new Map(needed.map((id, n) => [id, withReadableNames(contents[n] ?? {})]))
    return states.map((state) => {
      const former = before.get(state._id)
      const secrets = read.get(state._id) ?? (state.status === 'erased' ? {} : (former?.secrets ?? {}))
      const isSame = former?.member.revision === state.revision && isDeepStrictEqual(former.secrets, secrets)
      return isSame ? former : entryOf(state, secrets)
    })
  }
  return async (before: ReadonlyMap<string, UserEntry>): Promise<readonly UserEntry[]> => {
    const { users } = await readState()
    const entries: UserEntry[] = []
    while (entries.length < users.length) {
      entries.push(...(await load(users.slice(entries.length, entries.length + AT_A_TIME), before)))
    }
    return entries
  }
}
