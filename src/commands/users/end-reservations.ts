import * as E from 'fp-ts/lib/Either.js'
import type { Event } from '../../domain/event.ts'
import { type ReservationCommand, reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Runner } from '../command-envelope.ts'
import { BERTH } from '../listen-ports.ts'
import { isRemovalInForce, type RemovalOfUser, revokeTokens } from './removal.ts'

/** Reservations that were ended before their end. */
interface EndedEarly {
  readonly cancelled: number
  readonly released: number
}

/**
 * Ends what a removed user has left: revokes its tokens, and, if the removal says so, ends the reservations that are not
 * over. Running ones are released, later ones cancelled. Stops if the user is restored.
 */
export type FinishRemoval = (removal: RemovalOfUser, requestId: string) => Promise<EndedEarly>

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
  readonly runner: Pick<Runner, 'run'>
}

/**
 * Runs a command of the service itself on each of some reservations. Returns the type of the event that each recorded.
 *
 * @throws StoreUnavailable if not all could be run
 */
const makeRunOnEach =
  ({ runner }: Pick<EndOptions, 'runner'>, commandFor: (reservation: Unfinished) => ReservationCommand) =>
  (reservations: readonly Unfinished[], requestId: string): Promise<readonly (Event['type'] | undefined)[]> =>
    Promise.all(
      reservations.map(async (reservation) => {
        const envelope = { command: commandFor(reservation), actor: BERTH, requestId }
        const ended = await runner.run(reservationDecider, sutStream(reservation.sut_id), envelope)
        if (E.isRight(ended)) return ended.right.kind === 'recorded' ? ended.right.events[0]?.type : undefined
        throw new StoreUnavailable(`a reservation of a user was not ended: ${ended.left.detail}`)
      }),
    )

/** @throws StoreUnavailable if not all could be ended; what is left can be ended later */
export const makeFinishRemoval = ({
  unfinished,
  runner,
}: EndOptions & { readonly runner: Pick<Runner, 'inspect'> }): FinishRemoval => {
  const cancelEach = makeRunOnEach({ runner }, ({ _id, user_id }) => {
    return { type: 'CancelReservation', actor: BERTH, _id, user_id }
  })
  return async (removal, requestId) => {
    const { user_id } = removal
    const isStillDue = (): Promise<boolean> => isRemovalInForce(runner, removal)
    await revokeTokens(runner, user_id, { actor: BERTH, requestId, isStillDue })
    const counts = { cancelled: 0, released: 0 }
    if (removal.reservations === 'keep') return counts
    for await (const reservations of unfinished(user_id)) {
      // Checked after the page was read, so no page that is ended has reservations made after a restoration.
      if (!(await isStillDue())) break
      const types = await cancelEach(reservations, requestId)
      counts.cancelled += types.filter((type) => type === 'ReservationCancelled').length
      counts.released += types.filter((type) => type === 'ReservationReleased').length
    }
    return counts
  }
}

/** @throws StoreUnavailable if not all could be ended */
export const makeEndBindings = ({ unfinished, runner }: EndOptions): EndBindings => {
  const unbindEach = makeRunOnEach({ runner }, ({ _id }) => ({ type: 'UnbindReservation', _id }))
  return async (userId, requestId) => {
    for await (const reservations of unfinished(userId, true)) await unbindEach(reservations, requestId)
  }
}
