import type { ExpiryCause } from '../events/request.ts'
import { aliveFor, aliveUntil, lostFrom } from '../values/keepalive.ts'
import type { Waiting } from './queue.ts'

/** When a request goes behind the others, and when it ends by itself. */

/** A moment, in Unix milliseconds, and for how long those who wait could have given a sign of life by then. */
export interface LifeMoment {
  readonly now: number
  /** Milliseconds since when this instance has been in reach without a break: nobody could say anything before. */
  readonly reachableFor: number
}

/** Whether nobody has asked for a request for its `keepalive`. Then it is as if it did not wait. */
export const isPassedOver = ({ life }: Pick<Waiting, 'life'>, { now, reachableFor }: LifeMoment): boolean =>
  life !== undefined && aliveUntil(life) <= now && aliveFor(life) <= reachableFor

/** Whether nobody has for twice as long. */
const isLost = ({ life }: Waiting, { now, reachableFor }: LifeMoment): boolean =>
  life !== undefined && lostFrom(life) <= now && 2 * aliveFor(life) <= reachableFor

/**
 * Whether a request expires, and why if that is before its time. An open offer ends first.
 *
 * @param retired SUTs that can never be granted any more
 */
export const expiryOf = (
  request: Waiting,
  moment: LifeMoment,
  retired: ReadonlySet<string>,
): { readonly cause?: ExpiryCause } | undefined => {
  if (request.offer !== undefined) return undefined
  if (request.expiresAt <= moment.now) return {}
  if (request.sut_id !== undefined && retired.has(request.sut_id)) return { cause: 'retired' }
  return isLost(request, moment) ? { cause: 'keepalive' } : undefined
}
