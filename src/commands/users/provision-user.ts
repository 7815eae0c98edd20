import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../../domain/decider.ts'
import { EPOCH_BYTES, type Role } from '../../domain/events/user.ts'
import { type Failure, refuse } from '../../domain/failure.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { freeName } from '../../domain/user/names.ts'
import type { UserState } from '../../domain/user/state.ts'
import { makeId, type RandomHex, USERS_STREAM } from '../../domain/values/ids.ts'
import type { Vault } from '../../vault/vault.ts'
import { type KnownNames, runWithName } from '../claim-name.ts'
import type { Runner } from '../command-envelope.ts'

/** Single sign-on, as the actor of what it records. */
const OIDC: Actor = { _id: 'oidc', role: 'system' }

/** The names and identities of users, which events do not have. */
export interface KnownPeople extends KnownNames {
  /** Identities by the id of their secret, also of removed users. */
  readonly identities: () => ReadonlyMap<string, string>
  readonly byIdentity: (identity: string) => Pick<UserState, '_id' | 'role' | 'status'> | undefined
}

export interface ProvisionOptions {
  readonly runner: Runner
  readonly people: KnownPeople
  readonly vault: Pick<Vault, 'sealUser'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

/** Somebody who signed in with the provider. */
export interface ProviderUser {
  readonly identity: string
  readonly name: string
  readonly role: Role
}

export interface ProvisionedUser {
  readonly _id: string
  /** Whether it keeps the role of an administrator, which the provider gives it no more, because it is the last one. */
  readonly isLastAdministrator: boolean
}

/** How often another user may get the name meanwhile. */
const NAMES_MAX = 16

/** Adds a user for an identity that none has. Nothing is recorded if one has it by now. */
const makeAdd = ({ runner, people, vault, clock, randomHex }: ProvisionOptions) => {
  return async (person: ProviderUser, requestId: string): Promise<E.Either<Failure, unknown>> => {
    const { identity, role } = person
    for (let attempt = 1; ; attempt++) {
      const name = freeName(person.name, new Set(people.names().values()))
      const _id = makeId(clock(), randomHex(8))
      const { credentials, secrets } = vault.sealUser(_id, { epoch: randomHex(EPOCH_BYTES), identity, name })
      const added = await runWithName(runner, people, name, {
        ...{ actor: OIDC, requestId, secrets },
        command: (claim) => ({
          ...{ type: 'AddUser', _id, role, credentials, claim },
          identity: { identity, known: people.identities() },
        }),
      })
      await people.refresh()
      if (E.isRight(added) || added.left.code !== 'user_name_taken' || attempt === NAMES_MAX) return added
    }
  }
}

/**
 * Finds the user of somebody who signed in with the provider, adds one at the first time, and gives it the role that the
 * sign-in brings.
 *
 * @throws StoreUnavailable
 */
export const makeProvisionUser = (options: ProvisionOptions) => {
  const { runner, people } = options
  const add = makeAdd(options)
  return async (person: ProviderUser, requestId: string): Promise<E.Either<Failure, ProvisionedUser>> => {
    const { identity, role } = person
    await people.refresh()
    const added = people.byIdentity(identity) === undefined ? await add(person, requestId) : E.right(undefined)
    if (E.isLeft(added)) return added
    const user = people.byIdentity(identity)
    if (user === undefined) return refuse('unavailable', 'The new user is not known yet. Try again.')
    const { _id, status } = user
    if (status !== 'present') return refuse('user_removed', 'The user has been removed.')
    if (user.role === role) return E.right({ _id, isLastAdministrator: false })
    const envelope = { actor: OIDC, requestId, command: { type: 'ChangeUser', _id, role } } as const
    const changed = await runner.run(userDecider, USERS_STREAM, envelope)
    if (E.isLeft(changed) && changed.left.code !== 'last_administrator') return changed
    await people.refresh()
    return E.right({ _id, isLastAdministrator: E.isLeft(changed) })
  }
}
