import type { SessionCause } from '../../domain/events/session.ts'
import type { ClosedSession, OpenedSession, SessionEnd } from '../../domain/session/decide.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import type { SinceBoot } from '../../domain/values/units.ts'
import type { ConnectionEnd, ConnectionEvent, CountedReport } from '../../gateway/messages.ts'
import type { ProcessClock } from '../clock.ts'

/** An open session of a SUT: whether the SUT answers what it is sent. */
export type Use = 'answering' | 'unanswered'

/** A session of this instance. */
export interface Tracked {
  readonly session: OpenedSession
  connections: number
  /** Of ended connections, and of open ones as last reported. */
  bytesToSut: number
  bytesFromSut: number
  /** Open connections by their numbers. */
  readonly open: Map<number, OpenConnection>
  /** The end of the last connection so far, in Unix milliseconds and in milliseconds since boot. */
  last: { readonly at: number; readonly sinceBoot: number; readonly cause: SessionCause } | undefined
  end: SessionEnd | undefined
  /** Whether its opening is known to be in the log. Then it is only closed: another instance may have done so already. */
  isRecorded: boolean
}

/** Bytes that a connection has forwarded so far. */
interface OpenConnection {
  toSut: number
  fromSut: number
  /** Milliseconds since boot at which bytes to the SUT were first reported that it has not answered. */
  unansweredSince: number | undefined
}

export interface TrackerOptions {
  readonly instance: string
  readonly clock: Pick<ProcessClock, 'now'>
  /** Setting the wall clock would end sessions, or keep them open. */
  readonly sinceBoot: SinceBoot
  /** The SUT and the holder of a reservation; undefined if this log has none with this id. */
  readonly reservationOf: (id: string) => { readonly sut_id: string; readonly user_id: string } | undefined
  /** Whether a reservation can still be used here. */
  readonly isForwarded: (reservationId: string) => boolean
  /** Makes the id of a session that opens at a time, in Unix milliseconds. */
  readonly makeSessionId: (at: number) => string
  /** Called with a session that opened or ended. False if it cannot be recorded. */
  readonly record: (tracked: Tracked) => boolean
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
  const seen = open.size > 0 || last === undefined ? endOf(tracked, now, 'lost') : endOf(tracked, last.at, last.cause)
  return { ...session, ...seen }
}

/** Adds the bytes that a connection has forwarded since its last report. */
const count = (tracked: Tracked, { connection, bytesToSut, bytesFromSut }: CountedReport, sinceBoot: number): void => {
  const known = tracked.open.get(connection)
  if (known === undefined) return
  tracked.bytesToSut += bytesToSut - known.toSut
  tracked.bytesFromSut += bytesFromSut - known.fromSut
  if (bytesFromSut > known.fromSut) known.unansweredSince = undefined
  else if (bytesToSut > known.toSut) known.unansweredSince ??= sinceBoot
  known.toSut = bytesToSut
  known.fromSut = bytesFromSut
}

const makeCurrent = ({ instance, clock, sinceBoot, reservationOf, makeSessionId, record }: TrackerOptions) => {
  /** Sessions that have not ended. Bounded by the reservations that are forwarded here. */
  const byReservation = new Map<string, Tracked>()
  const end = (tracked: Tracked, at: number, cause: SessionCause): void => {
    tracked.end = endOf(tracked, at, cause)
    byReservation.delete(tracked.session.reservation_id)
    record(tracked)
  }
  return {
    byReservation,
    end,
    begin: ({ reservationId }: ConnectionEvent): Tracked | undefined => {
      const reservation = reservationOf(reservationId)
      if (reservation === undefined) return undefined
      const { sut_id, user_id } = reservation
      const at = clock.now()
      const ids = { _id: makeSessionId(at), reservation_id: reservationId, sut_id, user_id, instance }
      const tracked: Tracked = {
        ...{ session: { ...ids, opened_at: formatMilliseconds(at) }, open: new Map() },
        ...{ connections: 0, bytesToSut: 0, bytesFromSut: 0, last: undefined, end: undefined, isRecorded: false },
      }
      if (!record(tracked)) return undefined
      byReservation.set(reservationId, tracked)
      return tracked
    },
    /** Ends a session that has no connection, with its last one. */
    endGap: (tracked: Tracked): void => {
      if (tracked.last !== undefined) end(tracked, tracked.last.at, tracked.last.cause)
    },
    isGapOver: ({ open, last }: Tracked): boolean =>
      open.size === 0 && last !== undefined && sinceBoot() - last.sinceBoot >= GAP_MAX_MS,
  }
}

/** Groups connections into sessions. */
export const makeTracker = (options: TrackerOptions) => {
  const { clock, sinceBoot, isForwarded } = options
  const { byReservation, begin, end, endGap, isGapOver } = makeCurrent(options)
  return {
    connected: (connected: ConnectionEvent): void => {
      const former = byReservation.get(connected.reservationId)
      if (former !== undefined && isGapOver(former)) endGap(former)
      const tracked = byReservation.get(connected.reservationId) ?? begin(connected)
      if (tracked === undefined) return
      tracked.connections++
      tracked.open.set(connected.connection, { toSut: 0, fromSut: 0, unansweredSince: undefined })
    },
    counted: (counted: CountedReport): void => {
      const tracked = byReservation.get(counted.reservationId)
      if (tracked !== undefined) count(tracked, counted, sinceBoot())
    },
    disconnected: (ended: ConnectionEnd): void => {
      const { reservationId, connection, cause } = ended
      const at = clock.now()
      const tracked = byReservation.get(reservationId)
      if (tracked === undefined) return
      count(tracked, ended, sinceBoot())
      if (!tracked.open.delete(connection)) return
      tracked.last = { at, sinceBoot: sinceBoot(), cause }
      if (tracked.open.size === 0 && FINAL.includes(cause)) end(tracked, at, cause)
    },
    /** Ends sessions that have had no connection for too long, or whose reservation is over. */
    endGaps: (): void => {
      for (const tracked of byReservation.values()) {
        if (tracked.open.size > 0) continue
        if (isGapOver(tracked) || !isForwarded(tracked.session.reservation_id)) endGap(tracked)
      }
    },
    /** Ends every session. Connections whose end was not reported end at `now`, in Unix milliseconds. */
    endAll: (now: number): void => {
      for (const tracked of [...byReservation.values()]) {
        if (tracked.open.size === 0) endGap(tracked)
        else end(tracked, now, 'stopped')
      }
    },
    /** Whether a reservation has a session that has not ended. */
    isUsed: (reservationId: string): boolean => byReservation.has(reservationId),
    has: ({ _id, reservation_id }: OpenedSession): boolean => byReservation.get(reservation_id)?.session._id === _id,
    /** The session of a SUT that has connections here; undefined without one. */
    useOf: (sutId: string): Use | undefined => {
      const now = sinceBoot()
      const open = byReservation.values().filter(({ session }) => session.sut_id === sutId)
      const since = [...open].flatMap((tracked) => [...tracked.open.values()].map((each) => each.unansweredSince))
      if (since.length === 0) return undefined
      const isAnswering = since.some((moment) => moment === undefined || now - moment < UNANSWERED_DELAY_MS)
      return isAnswering ? 'answering' : 'unanswered'
    },
    /** Sessions that have not ended. */
    all: () => byReservation.values(),
  }
}
