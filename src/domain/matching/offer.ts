import type { Window } from '../calendar/window.ts'

/** A window, and the offsets in which it is written, in minutes: those in which it was asked for. */
export interface WrittenWindow extends Window {
  readonly startOffset: number
  readonly endOffset: number
}

/** A SUT that is about to be reserved for a request. Its window is in Unix seconds. */
export interface Offer extends WrittenWindow {
  readonly user_id: string
  readonly sut_id: string
  readonly sut_reservation_id: string
  /** Seconds, as asked for. */
  readonly duration: number
  /** Unix milliseconds. */
  readonly time: number
}
