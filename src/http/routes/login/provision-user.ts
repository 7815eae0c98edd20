import * as E from 'fp-ts/lib/Either.js'
import { runKnowingNames } from '../../../commands/claim-name.ts'
import type { Actor } from '../../../domain/decider.ts'
import { EPOCH_BYTES, type Role } from '../../../domain/events/user.ts'
import { type Failure, failure, refuse } from '../../../domain/failure.ts'
import { userDecider } from '../../../domain/user/decide.ts'
import { freeName } from '../../../domain/user/names.ts'
import { makeId, USERS_STREAM } from '../../../domain/values/ids.ts'
import { foldName } from '../../../domain/values/user-name.ts'
import type { Person } from '../../../users/oidc/claims.ts'
import type { Parts, SingleSignOn } from '../parts.ts'

/** Single sign-on, as the actor of what it records. */
const OIDC: Actor = { _id: 'oidc', role: 'system' }

/** How often another user may get the name meanwhile. */
const NAMES_MAX = 16

export const REMOVED = failure('user_removed', 'The user has been removed.')

/** Adds a user for an identity that none has. Nothing is recorded if one has it by now. */
const add = async (
  parts: Parts,
  person: Person,
  role: Role,
  requestId: string,
): Promise<E.Either<Failure, unknown>> => {
  const { runner, users, vault, clock, randomHex } = parts
  const { identity } = person
  for (let attempt = 1; ; attempt++) {
    const name = freeName(person.name, new Set(users.names().values()))
    const _id = makeId(clock(), randomHex(8))
    const { credentials, secrets } = vault.sealUser(_id, { epoch: randomHex(EPOCH_BYTES), identity, name })
    const user = { _id, role, credentials, folded: foldName(name) }
    const added = await runKnowingNames(users, (known) =>
      runner.run(userDecider, USERS_STREAM, {
        ...{ actor: OIDC, requestId, secrets },
        command: { type: 'AddUsers', users: [user], known, identity: { identity, known: users.identities() } },
      }),
    )
    await users.refresh()
    if (E.isRight(added) || added.left.code !== 'user_name_taken' || attempt === NAMES_MAX) return added
  }
}

/**
 * Finds the user of somebody who signed in with the provider, adds one at the first time, and gives it the role that the
 * sign-in brings. The last administrator stays one.
 *
 * @throws StoreUnavailable
 */
export const provisionUser = async (
  parts: Parts,
  person: Person,
  role: Role,
  requestId: string,
  { warn }: SingleSignOn,
): Promise<E.Either<Failure, string>> => {
  const { runner, users } = parts
  const { identity } = person
  await users.refresh()
  const added =
    users.byIdentity(identity) === undefined ? await add(parts, person, role, requestId) : E.right(undefined)
  if (E.isLeft(added)) return added
  const user = users.byIdentity(identity)
  if (user === undefined) return refuse('unavailable', 'The new user is not known yet. Try again.')
  const { _id, status } = user
  if (status !== 'present') return E.left(REMOVED)
  if (user.role === role) return E.right(_id)
  const envelope = { actor: OIDC, requestId, command: { type: 'ChangeUser', _id, role } } as const
  const changed = await runner.run(userDecider, USERS_STREAM, envelope)
  if (E.isLeft(changed) && changed.left.code !== 'last_administrator') return changed
  if (E.isLeft(changed)) {
    const facts = { user: _id, request_id: requestId }
    warn(facts, 'the provider makes the last administrator none any more, who stays it')
  }
  await users.refresh()
  return E.right(_id)
}
