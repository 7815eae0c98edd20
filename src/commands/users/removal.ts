/** What ends with a removal, an erasure or a password. */

import * as E from 'fp-ts/lib/Either.js'
import type { Removal } from '../../domain/events/user.ts'
import { type ReservationCommand, reservationDecider } from '../../domain/reservation/decide.ts'
import { tokensOwner, userOwner } from '../../domain/sealed-secret.ts'
import { tokenDecider } from '../../domain/token/decide.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { findUser } from '../../domain/user/state.ts'
import { sutStream, tokenStream, USERS_STREAM } from '../../domain/values/ids.ts'
import { type SecretStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { CommandEnvelope, Runner } from '../command-envelope.ts'
import { BERTH } from '../listen-ports.ts'

/** One removal of a user, who may be restored and removed again. */
interface RemovalOfUser {
  readonly user_id: string
  /** Of its event in the stream of users. */
  readonly revision: number
  readonly reservations: Removal
}

/**
 * Ends what a removed user has left: revokes its tokens, and, if the removal says so, ends the reservations that are not
 * over. Running ones are released, later ones cancelled. Stops if the user is restored.
 */
export type FinishRemoval = (removal: RemovalOfUser, requestId: string) => Promise<void>

/** Ends the bindings of a user's running reservations. */
export type EndBindings = (userId: string, requestId: string) => Promise<void>

interface Unfinished {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
}

interface EndOptions {
  /** A user's reservations that are not over, or only those that run, in pages. */
  readonly unfinished: (userId: string, isRunning?: boolean) => AsyncIterable<readonly Unfinished[]>
  readonly runner: Runner
}

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
  runner: Runner,
  user_id: string,
  { isStillDue = async () => true, ...rest }: Revocation,
): Promise<void> => {
  const stream = tokenStream(user_id)
  const ids = await runner.inspect(tokenDecider, stream, ({ tokens }) => new Set(tokens.map(({ _id }) => _id)))
  if (ids.size === 0 || !(await isStillDue())) return
  const envelope = { ...rest, command: { type: 'RevokeTokens', user_id, ids } } as const
  for (let isOver = false; !isOver; ) {
    const result = await runner.run(tokenDecider, stream, envelope)
    if (E.isLeft(result)) throw new StoreUnavailable(`tokens were not revoked: ${result.left.detail}`)
    isOver = result.right.kind === 'already'
  }
}

/** Runs a command of the service itself on each of some reservations. @throws StoreUnavailable if not all could be run */
const runOnEach = async (
  runner: Runner,
  reservations: readonly Unfinished[],
  requestId: string,
  commandFor: (reservation: Unfinished) => ReservationCommand,
): Promise<void> => {
  const run = async (reservation: Unfinished): Promise<void> => {
    const envelope = { command: commandFor(reservation), actor: BERTH, requestId }
    const result = await runner.run(reservationDecider, sutStream(reservation.sut_id), envelope)
    if (E.isLeft(result)) throw new StoreUnavailable(`a reservation of a user was not ended: ${result.left.detail}`)
  }
  await Promise.all(reservations.map(run))
}

/** @throws StoreUnavailable if not all could be ended; what is left can be ended later */
export const makeFinishRemoval =
  ({ unfinished, runner }: EndOptions): FinishRemoval =>
  async ({ user_id, revision, reservations: whatOf }, requestId) => {
    const isStillDue = (): Promise<boolean> =>
      runner.inspect(userDecider, USERS_STREAM, (state) => {
        const user = findUser(state, user_id)
        return user !== undefined && user.status !== 'present' && user.accessSince === revision
      })
    await revokeTokens(runner, user_id, { actor: BERTH, requestId, isStillDue })
    if (whatOf === 'keep') return
    for await (const reservations of unfinished(user_id)) {
      // Checked after the page was read, so no page that is ended has reservations made after a restoration.
      if (!(await isStillDue())) return
      await runOnEach(runner, reservations, requestId, ({ _id, user_id }) => {
        return { type: 'CancelReservation', actor: BERTH, _id, user_id }
      })
    }
  }

/** @throws StoreUnavailable if not all could be ended */
export const makeEndBindings =
  ({ unfinished, runner }: EndOptions): EndBindings =>
  async (userId, requestId) => {
    for await (const reservations of unfinished(userId, true))
      await runOnEach(runner, reservations, requestId, ({ _id }) => ({ type: 'UnbindReservation', _id }))
  }
