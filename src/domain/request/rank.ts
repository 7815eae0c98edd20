/** Who goes first among those who wait, when a request goes behind the others, and when it ends by itself. */

import { overlaps, type Window, type WrittenWindow } from '../calendar/window.ts'
import type { ExpiryCause } from '../events/request.ts'
import type { Offer } from '../matching/candidates.ts'
import { aliveFor, aliveUntil, lostFrom } from '../values/keepalive.ts'
import type { Waiting } from './queue.ts'

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

/** What is known outside the stream when a request is decided. Pure while a command is decided. */
export interface Grants {
  /**
   * The window for which a SUT could be had now: it fits, is in scope, active, online and free in all of it. Written in
   * UTC unless it has offsets.
   */
  readonly windowFor: (request: Waiting, sutId: string, now: number) => (Window & Partial<WrittenWindow>) | undefined
  /**
   * Whether its user may have one more: it may hold SUTs, and its quota allows that beside its open offers. `unknown` if
   * what the user has reserved is not known.
   */
  readonly mayHave: (request: Waiting, moment: Moment) => boolean | 'unknown'
}

/** When a request is decided, and the offers that are neither granted nor closed then. */
export interface Moment extends LifeMoment {
  readonly open: readonly Offer[]
}

/** Whether a SUT is being offered in a window that overlaps this one. */
export const isOfferedIn = (open: readonly Offer[], sutId: string, window: Window): boolean =>
  open.some((offer) => offer.sut_id === sutId && overlaps(offer, window))

/** Whether nothing but others keeps a request from being offered a SUT. */
export const mayBeOffered = (request: Waiting, moment: Moment): boolean =>
  request.offer === undefined && request.expiresAt > moment.now && !isPassedOver(request, moment)

export interface First {
  readonly request: Waiting
  readonly window: Window
  /** Otherwise it is not known whether its quota allows that. */
  readonly isCertain: boolean
}

/** The request that goes first among those that could be granted a SUT now, with its window. */
export const firstFor = (
  ranked: Iterable<Waiting>,
  sutId: string,
  grants: Grants,
  moment: Moment,
): First | undefined => {
  for (const request of ranked) {
    const window = mayBeOffered(request, moment) ? grants.windowFor(request, sutId, moment.now) : undefined
    const may = window !== undefined && grants.mayHave(request, moment)
    if (window !== undefined && may !== false) return { request, window, isCertain: may === true }
  }
  return undefined
}
