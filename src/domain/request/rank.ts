import { overlaps, type Window, type WrittenWindow } from '../calendar/window.ts'
import type { Offer } from '../matching/candidates.ts'
import { isPassedOver, type LifeMoment } from './ending.ts'
import type { Waiting } from './queue.ts'

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
