import type { Window } from '../calendar/window.ts'
import type { Criteria } from '../events/criteria.ts'
import type { Scope } from '../user/scope.ts'

/** Which SUTs are looked for. */
export interface Wanted {
  readonly criteria?: Criteria | undefined
  /** The only SUT, in place of criteria. */
  readonly sut_id?: string | undefined
  /** Scopes that they must be in. */
  readonly scopes: readonly Scope[]
}

export interface Search extends Wanted {
  /** The window on the grid, in Unix seconds. */
  readonly window: Window
  /** The latest start of a window, in Unix seconds. */
  readonly latest: number
  /** Gives each request an order of its own among SUTs that are alike. */
  readonly seed: string
}

/** A window that a SUT has free. */
export interface FreeWindow extends Window {
  readonly sut_id: string
}

/** Why no SUT was found. */
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
  /** Those that are free: the best first unless it has been tried, then by hash alone. As they are when asked for. */
  readonly inOrder: (isBestFirst: boolean) => IteratorObject<string>
  /** Whether one of these still is. */
  readonly isFree: (sutId: string) => boolean
  readonly explain: () => NothingFree
}
