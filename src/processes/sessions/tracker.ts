import type { SessionCause } from '../../domain/events/session.ts'
import type { ClosedSession, OpenedSession, SessionEnd } from '../../domain/session/decide.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import type { ConnectionEnd, ConnectionEvent, CountedReport } from '../../gateway/messages.ts'

/** An open session of a SUT: whether the SUT answers what it is sent. */
export type Use = 'answering' | 'unanswered'

/** A session of this instance. */
export interface Tracked {
  readonly session: OpenedSession
  connections: number
  /** Of ended connections, and of open ones as last reported. */
  bytesToSut: number
  bytesFromSut: number
  /** Number of open connections. */
  open: number
  /** The end of the last connection so far, in Unix milliseconds and in milliseconds since boot. */
  last: { readonly at: number; readonly sinceBoot: number; readonly cause: SessionCause } | undefined
  end: SessionEnd | undefined
  /** Whether its opening is known to be in the log. */
  isRecorded: boolean
}

export interface TrackerOptions {
  readonly instance: string
  /** Milliseconds since boot. Setting the wall clock would end sessions, or keep them open. */
  readonly sinceBoot: () => number
  readonly reservationOf: (id: string) => { readonly sut_id: string; readonly user_id: string } | undefined
  /** Whether a reservation can still be used here. */
  readonly isForwarded: (reservationId: string) => boolean
  /** Makes the id of a session that opens at a time, in Unix milliseconds. */
  readonly makeSessionId: (at: number) => string
  /** Called with a session that opened or ended. False if it cannot be recorded. */
  readonly record: (tracked: Tracked) => boolean
}

/** Groups connections into sessions. Bounded by the reservations that are forwarded here. */
export interface Tracker {
  readonly connected: (connected: ConnectionEvent) => void
  readonly counted: (counted: CountedReport) => void
  readonly disconnected: (end: ConnectionEnd) => void
  /** Ends sessions that have had no connection for too long, or whose reservation is over. */
  readonly endGaps: () => void
  /** Ends every session. Connections whose end was not reported end at `now`, in Unix milliseconds. */
  readonly endAll: (now: number) => void
  readonly has: (session: OpenedSession) => boolean
  /** Whether a reservation has a session that has not ended. */
  readonly isUsed: (reservationId: string) => boolean
  /** The session of a SUT that has connections here; undefined without one. */
  readonly useOf: (sutId: string) => Use | undefined
  /** Sessions that have not ended. */
  readonly all: () => IteratorObject<Tracked>
}

/** A session ends after this long without a connection. */
const GAP_MAX_MS = 60_000

/** A connection is unanswered after this long without a byte from the SUT for those sent to it. */
const UNANSWERED_DELAY_MS = 60_000

/** Causes after which no connection can follow. */
const FINAL: readonly SessionCause[] = ['over', 'released', 'stopped', 'lost']

const endOf = (tracked: Tracked, at: number, cause: SessionCause): SessionEnd => ({
  closed_at: formatMilliseconds(Math.max(at, Date.parse(tracked.session.opened_at))),
  connections: tracked.connections,
  bytes_to_sut: tracked.bytesToSut,
  bytes_from_sut: tracked.bytesFromSut,
  cause,
})

/** A session as it must be recorded if this instance sees no more of it. */
export const asClosed = (tracked: Tracked, now: number): ClosedSession => {
  const { session, end, open, last } = tracked
  if (end !== undefined) return { ...session, ...end }
  const seen = open > 0 || last === undefined ? endOf(tracked, now, 'lost') : endOf(tracked, last.at, last.cause)
  return { ...session, ...seen }
}

const makeTracked = (session: OpenedSession): Tracked => ({
  ...{ session, connections: 0, bytesToSut: 0, bytesFromSut: 0, open: 0 },
  ...{ last: undefined, end: undefined, isRecorded: false },
})

/** The sessions that have not ended. */
const makeCurrent = ({ sinceBoot, record }: TrackerOptions) => {
  const byReservation = new Map<string, Tracked>()
  const end = (tracked: Tracked, at: number, cause: SessionCause): void => {
    tracked.end = endOf(tracked, at, cause)
    byReservation.delete(tracked.session.reservation_id)
    record(tracked)
  }
  return {
    byReservation,
    end,
    endGap: (tracked: Tracked): void => {
      if (tracked.last !== undefined) end(tracked, tracked.last.at, tracked.last.cause)
    },
    isGapOver: ({ open, last }: Tracked): boolean =>
      open === 0 && last !== undefined && sinceBoot() - last.sinceBoot >= GAP_MAX_MS,
  }
}

interface Open {
  readonly tracked: Tracked
  toSut: number
  fromSut: number
  /** Milliseconds since boot at which bytes to the SUT were first reported that it has not answered. */
  unansweredSince: number | undefined
}

/** The session of each open connection, and the bytes that it has forwarded so far. */
const makeOpenConnections = (sinceBoot: () => number) => {
  const byConnection = new Map<number, Open>()
  return {
    byConnection,
    /** Adds the bytes that a connection has forwarded since its last report. */
    count: ({ connection, bytesToSut, bytesFromSut }: CountedReport): Tracked | undefined => {
      const known = byConnection.get(connection)
      if (known === undefined) return undefined
      const { tracked } = known
      tracked.bytesToSut += bytesToSut - known.toSut
      tracked.bytesFromSut += bytesFromSut - known.fromSut
      if (bytesFromSut > known.fromSut) known.unansweredSince = undefined
      else if (bytesToSut > known.toSut) known.unansweredSince ??= sinceBoot()
      known.toSut = bytesToSut
      known.fromSut = bytesFromSut
      return tracked
    },
    useOf: (sutId: string): Use | undefined => {
      let use: Use | undefined
      for (const { tracked, unansweredSince } of byConnection.values()) {
        if (tracked.session.sut_id !== sutId) continue
        if (unansweredSince === undefined || sinceBoot() - unansweredSince < UNANSWERED_DELAY_MS) return 'answering'
        use = 'unanswered'
      }
      return use
    },
  }
}

export const makeTracker = (options: TrackerOptions): Tracker => {
  const { instance, sinceBoot, reservationOf, isForwarded, makeSessionId, record } = options
  const { byReservation, end, endGap, isGapOver } = makeCurrent(options)
  const { byConnection, count, useOf } = makeOpenConnections(sinceBoot)

  const begin = ({ reservationId, at }: ConnectionEvent): Tracked | undefined => {
    const reservation = reservationOf(reservationId)
    if (reservation === undefined) return undefined
    const { sut_id, user_id } = reservation
    const ids = { _id: makeSessionId(at), reservation_id: reservationId, sut_id, user_id, instance }
    const tracked = makeTracked({ ...ids, opened_at: formatMilliseconds(at) })
    if (!record(tracked)) return undefined
    byReservation.set(reservationId, tracked)
    return tracked
  }

  return {
    connected: (connected) => {
      const former = byReservation.get(connected.reservationId)
      if (former !== undefined && isGapOver(former)) endGap(former)
      const tracked = byReservation.get(connected.reservationId) ?? begin(connected)
      if (tracked === undefined) return
      tracked.connections++
      tracked.open++
      byConnection.set(connected.connection, { tracked, toSut: 0, fromSut: 0, unansweredSince: undefined })
    },
    counted: count,
    disconnected: (ended) => {
      const { connection, at, cause } = ended
      const tracked = count(ended)
      if (tracked === undefined) return
      byConnection.delete(connection)
      tracked.open--
      tracked.last = { at, sinceBoot: sinceBoot(), cause }
      if (tracked.open === 0 && FINAL.includes(cause)) end(tracked, at, cause)
    },
    endGaps: () => {
      for (const tracked of byReservation.values()) {
        if (tracked.open > 0) continue
        if (isGapOver(tracked) || !isForwarded(tracked.session.reservation_id)) endGap(tracked)
      }
    },
    endAll: (now) => {
      for (const tracked of [...byReservation.values()]) {
        if (tracked.open === 0) endGap(tracked)
        else end(tracked, now, 'stopped')
      }
      byConnection.clear()
    },
    isUsed: (id) => byReservation.has(id),
    has: ({ _id, reservation_id }) => byReservation.get(reservation_id)?.session._id === _id,
    useOf,
    all: () => byReservation.values(),
  }
}
