import * as E from 'fp-ts/lib/Either.js'
import type { Removal } from '../../domain/events/user.ts'
import { tokensOwner, userOwner } from '../../domain/sealed-secret.ts'
import { tokenDecider } from '../../domain/token/decide.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { findUser } from '../../domain/user/state.ts'
import { tokenStream, USERS_STREAM } from '../../domain/values/ids.ts'
import { type SecretStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { CommandEnvelope, Runner } from '../command-envelope.ts'

/** One removal of a user, who may be restored and removed again. */
export interface RemovalOfUser {
  readonly user_id: string
  /** Of its event in the stream of users. */
  readonly revision: number
  readonly reservations: Removal
}

/** Whether the user is still removed by this removal, as recorded until now. @throws StoreUnavailable */
export const isRemovalInForce = (
  runner: Pick<Runner, 'inspect'>,
  { user_id, revision }: Pick<RemovalOfUser, 'user_id' | 'revision'>,
): Promise<boolean> =>
  runner.inspect(userDecider, USERS_STREAM, (state) => {
    const user = findUser(state, user_id)
    return user !== undefined && user.status !== 'present' && user.accessSince === revision
  })

/** Deletes a user's secrets and the names of its tokens. */
export const eraseUser = async (store: Pick<SecretStore, 'eraseSecrets'>, userId: string): Promise<void> => {
  await store.eraseSecrets(userOwner(userId))
  await store.eraseSecrets(tokensOwner(userId))
}

interface Revocation extends Pick<CommandEnvelope<unknown>, 'actor' | 'requestId' | 'client'> {
  /** Called when the tokens are known: if false, none is revoked. */
  readonly isStillDue?: () => Promise<boolean>
}

/**
 * Revokes all tokens that a user has now.
 *
 * @throws StoreUnavailable
 */
export const revokeTokens = async (
  runner: Pick<Runner, 'run' | 'inspect'>,
  user_id: string,
  { isStillDue = async () => true, ...rest }: Revocation,
): Promise<void> => {
  const stream = tokenStream(user_id)
  const ids = await runner.inspect(tokenDecider, stream, ({ tokens }) => new Set(tokens.map(({ _id }) => _id)))
  if (ids.size === 0 || !(await isStillDue())) return
  const envelope = { ...rest, command: { type: 'RevokeTokens', user_id, ids } } as const
  for (let isOver = false; !isOver; ) {
    const ended = await runner.run(tokenDecider, stream, envelope)
    if (E.isLeft(ended)) throw new StoreUnavailable(`tokens were not revoked: ${ended.left.detail}`)
    isOver = ended.right.kind === 'already'
  }
}
