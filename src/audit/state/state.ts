import type { SutValues } from '../../domain/sut/state.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'

/** The state at a position in the log, as far as the rules need it. */

/** Completes the sentence "the event at position 7 ...". */
export type Report = (what: string) => void

/** A reservation that holds its SUT. Times are Unix seconds, offsets minutes east of UTC. */
export interface AuditedReservation {
  /** The 96-bit id in three numbers. As text it would take as much memory as everything else. */
  readonly high: number
  readonly middle: number
  readonly low: number
  readonly user_id: string
  readonly start: number
  end: number
  endOffset: number
  /** Unix milliseconds of its creation. */
  readonly created: number
  hasStarted: boolean
  /** Whether only one client may connect. */
  isBound: boolean
  /**
   * Undefined unless it has to be kept alive; `at`: when it last was, in Unix milliseconds, or 0; `hasHeartbeats`: whether
   * its holder ever did.
   */
  keepalive: { readonly seconds: number; at: number; hasHeartbeats: boolean } | undefined
}

/** When a reservation begins to run, in Unix milliseconds. */
export const beginningOf = ({ start, created }: AuditedReservation): number => Math.max(start * 1_000, created)

/** A series whose reservations have not all come yet. */
export interface AuditedSeries {
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

export interface AuditedSut {
  status: 'absent' | 'standing' | 'retired' | 'abandoned'
  listen_port: number
  values: Partial<SutValues>
  tags: Map<string, string>
  /** Windows whose end has not been recorded, by start; for at most 31 days after it. */
  windows: AuditedReservation[]
  /** Seconds between probes; null while the SUT is not monitored. */
  monitoring: number | null
  /** What probes may find next: everything once monitoring begins, and again after a change of the machine. */
  awaits: 'nothing' | 'any' | 'another'
  /** Recently released windows, with their actual end. */
  released: AuditedReservation[]
  /** Windows whose end was recorded last. */
  ended: AuditedReservation[]
  series: AuditedSeries | undefined
}

/** A use of an idempotency key. */
export interface KeyUse {
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
  readonly sut: AuditedSut
  /** In a stream of probes: the last change. */
  lastChange: StatusChange | undefined
  /** In a stream of offers: the last one. */
  offer: AuditedOffer | undefined
  /** In a stream of sessions: the members of those that are open, by id. */
  sessions: Map<string, string> | undefined
}

export const newStream = (): Stream => ({
  revision: -1,
  time: 0,
  position: null,
  isUncertain: false,
  keys: undefined,
  sut: {
    status: 'absent',
    listen_port: 0,
    values: {},
    tags: new Map(),
    windows: [],
    monitoring: null,
    awaits: 'nothing',
    released: [],
    ended: [],
    series: undefined,
  },
  lastChange: undefined,
  offer: undefined,
  sessions: undefined,
})

/** Copies a substring, which would otherwise keep the whole string in memory. */
export const copyText = (text: string): string => Buffer.from(text).toString()

/** Like `copyText`, for recurring texts: copies each only once. */
export const makeTextCache = (): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const copy = copyText(text)
    known.set(copy, copy)
    return copy
  }
}

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
    knownSut: (sutId: string): AuditedSut | undefined => {
      const stream = ofSut(sutId)
      return stream === undefined || stream.isUncertain ? undefined : stream.sut
    },
    all: (): ReadonlyMap<string, Stream> => streams,
  }
}
