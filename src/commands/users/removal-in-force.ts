import { tokensOwner, userOwner } from '../../domain/sealed-secret.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { findUser } from '../../domain/user/state.ts'
import { USERS_STREAM } from '../../domain/values/ids.ts'
import type { SecretStore } from '../../event-store/event-store.ts'
import type { Runner } from '../command-envelope.ts'

/** One removal of a user, who may be restored and removed again. */
export interface RemovalOfUser {
  readonly user_id: string
  /** Of its event in the stream of users. */
  readonly revision: number
}

/**
 * Whether the user is still removed by this removal, as recorded until now.
 *
 * @throws StoreUnavailable
 */
export type IsRemovalInForce = (removal: RemovalOfUser) => Promise<boolean>

export const makeIsRemovalInForce =
  (runner: Pick<Runner, 'inspect'>): IsRemovalInForce =>
  ({ user_id, revision }) =>
    runner.inspect(userDecider, USERS_STREAM, (state) => {
      const user = findUser(state, user_id)
      return user !== undefined && user.status !== 'present' && user.accessSince === revision
    })

/** Deletes a user's secrets and the names of its tokens. */
export const eraseUser = async (store: Pick<SecretStore, 'eraseSecrets'>, userId: string): Promise<void> => {
  await store.eraseSecrets(userOwner(userId))
  await store.eraseSecrets(tokensOwner(userId))
}
