import { setImmediate as turn } from 'node:timers/promises'
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
  /** At most `limit` of a user's reservations that are not over, as of now, newest first. */
  readonly unfinished: (page: {
    readonly user_id: string
    readonly limit: number
    readonly isRunning?: boolean
    /** Only those created before this one. */
    readonly before?: string | undefined
  }) => Promise<readonly Unfinished[]>
  readonly runner: Pick<Runner, 'run'>
}

/** Reservations read and ended at once. */
const PAGE = 100

/** A user's reservations that are not over, newest first, some at a time. */
async function* pagesOf(
  { unfinished }: Pick<EndOptions, 'unfinished'>,
  query: { readonly user_id: string; readonly isRunning?: boolean },
): AsyncGenerator<readonly Unfinished[]> {
  let before: string | undefined
  for (;;) {
    const page = await unfinished({ ...query, limit: PAGE, before })
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    before = page.at(-1)?._id
    await turn()
  }
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
    for await (const page of pagesOf({ unfinished }, { user_id })) {
      // Checked after the page was read, so no page that is ended has reservations made after a restoration.
      if (!(await isStillDue())) break
      const types = await cancelEach(page, requestId)
      counts.cancelled += types.filter((type) => type === 'ReservationCancelled').length
      counts.released += types.filter((type) => type === 'ReservationReleased').length
    }
    return counts
  }
}

/** @throws StoreUnavailable if not all could be ended */
export const makeEndBindings = ({ unfinished, runner }: EndOptions): EndBindings => {
  const unbindEach = makeRunOnEach({ runner }, ({ _id }) => ({ type: 'UnbindReservation', _id }))
  return async (user_id, requestId) => {
    for await (const page of pagesOf({ unfinished }, { user_id, isRunning: true })) await unbindEach(page, requestId)
  }
}
