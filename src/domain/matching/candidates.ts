import type { Window, WrittenWindow } from '../calendar/window.ts'
import type { Criteria } from '../events/criteria.ts'
import type { Scope } from '../user/scope.ts'
import type { Seconds, UnixMilliseconds, UnixSeconds } from '../values/units.ts'

/** Which SUTs are looked for. */
export interface Wanted {
  readonly criteria?: Criteria | undefined
  /** The only SUT, in place of criteria. */
  readonly sut_id?: string | undefined
  readonly scopes: readonly Scope[]
}

export interface Search extends Wanted {
  /** On the grid. */
  readonly window: Window
  /** The latest start of a window. */
  readonly latest: UnixSeconds
  /** Gives each request an order of its own among SUTs that are alike. */
  readonly seed: string
}

export interface FreeWindow extends Window {
  readonly sut_id: string
}

export interface NothingFree {
  /** The number of SUTs that fit. */
  readonly matching: number
  /** The earliest window of the same length. */
  readonly nextAvailable: FreeWindow | undefined
  /** The longest window from the start of the one asked for. */
  readonly longest: FreeWindow | undefined
}

/** The SUTs that fit a request, as far as is known when a function is called. The stream of a SUT decides. */
export interface Candidates {
  readonly isAnyFit: () => boolean
  /** The best that is free or, where some have been tried, one by hash alone: one of these only if no other is. */
  readonly choose: (tried?: ReadonlySet<string>) => string | undefined
  /** Those that are free, as they are when asked for: one of them first, then by hash. */
  readonly inOrder: (first: string) => IteratorObject<string>
  readonly explain: () => NothingFree
}

/** A SUT that is about to be reserved for a request. */
export interface Offer extends WrittenWindow {
  readonly user_id: string
  readonly sut_id: string
  readonly sut_reservation_id: string
  /** As asked for. */
  readonly duration: Seconds
  readonly time: UnixMilliseconds
}
