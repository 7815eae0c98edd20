import { initialSutState, type SutState } from '../../domain/sut/state.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'

/** The state at a position in the log, as far as the rules need it. */

/** Completes the sentence "the event at position 7 ...". */
export type Report = (what: string) => void

/** A series whose reservations have not all come yet. */
interface AuditedSeries {
  readonly _id: string
  readonly user_id: string
  readonly requestId: string
  readonly count: number
  /** Reservations still to come. */
  readonly left: number
  /** The first window on the grid, in Unix seconds. */
  readonly first: { readonly start: number; readonly end: number }
  /** Unix seconds: where the last one ended. */
  readonly after: number
}

/** A use of an idempotency key. */
interface KeyUse {
  readonly time: number
  /** The SUT or reservation the command was about. */
  readonly _id: string
}

/** A change that probes found. */
export interface StatusChange {
  readonly type: 'SutWentOnline' | 'SutWentOffline'
  /** Unix milliseconds. */
  time: number
  readonly instance: string | undefined
  readonly cause: string | undefined
  /** Whether it is another cause of an outage that goes on. */
  readonly isOtherCause: boolean
}

/** A SUT that was offered to a request with criteria, or to one that waits. */
export interface AuditedOffer {
  readonly _id: string
  /** The request that waits, if one does. */
  readonly request_id: string | undefined
  readonly sut_id: string
  readonly user_id: string
  readonly end_time: string
  /** Unix milliseconds. */
  readonly time: number
  status: 'open' | 'taken' | 'refused'
}

export interface Stream {
  revision: number
  /** Unix milliseconds of its last event. */
  time: number
  /** Position of its last event; null if there is none. */
  position: PublicPosition | null
  /** Whether an event is missing or unreadable, so that the state is uncertain. */
  isUncertain: boolean
  /** Idempotency keys of the last day, oldest first. */
  keys: Map<string, KeyUse> | undefined
  /** In the stream of a SUT: the SUT, and a series whose reservations have not all come. */
  sut: SutState
  series: AuditedSeries | undefined
  /** What probes may find next: everything once monitoring begins, and again after a change of the machine. */
  awaits: 'nothing' | 'any' | 'another'
  /** In a stream of probes: the last change. */
  lastChange: StatusChange | undefined
  /** In a stream of offers: the last one. */
  offer: AuditedOffer | undefined
  /** In a stream of sessions: the members of those that are open, by id. */
  sessions: Map<string, string> | undefined
}

const newStream = (): Stream => ({
  revision: -1,
  time: 0,
  position: null,
  isUncertain: false,
  keys: undefined,
  sut: initialSutState,
  series: undefined,
  awaits: 'nothing',
  lastChange: undefined,
  offer: undefined,
  sessions: undefined,
})

/** Copies a substring, which would otherwise keep the whole string in memory. */
export const copyText = (text: string): string => Buffer.from(text).toString()

/** The streams of the log, by name. */
export const makeStreams = () => {
  const streams = new Map<string, Stream>()
  const ofSut = (sutId: string): Stream | undefined => streams.get(sutStream(sutId))
  return {
    /** Makes the stream if it is new. */
    get: (name: string): Stream => {
      const found = streams.get(name)
      if (found !== undefined) return found
      const made = newStream()
      streams.set(copyText(name), made)
      return made
    },
    isUncertain: (name: string): boolean => streams.get(name)?.isUncertain === true,
    ofSut,
    /** Undefined if there is none, or its stream is uncertain. */
    knownSut: (sutId: string): Stream | undefined => {
      const stream = ofSut(sutId)
      return stream === undefined || stream.isUncertain ? undefined : stream
    },
    all: (): ReadonlyMap<string, Stream> => streams,
  }
}
