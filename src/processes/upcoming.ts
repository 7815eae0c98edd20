import type { Reservation, ReservationColumns } from '../../projections/reservation.ts'
import type { ReservationKeepaliveColumns, ReservationRun } from '../../projections/reservation-run.ts'
import { BEFORE_FIRST } from '../domain/values/position.ts'
import type { UpcomingRow } from '../read-models/lists/lists.ts'
import type { NewVersion, RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import type { ProcessClock } from './clock.ts'

/** A reservation that is running or begins soon. */
export interface Upcoming {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
  readonly listen_port: number
  /** Its start, in Unix milliseconds. */
  readonly starts: number
  /** When its start is due, in Unix milliseconds: its start, or its creation if that was later. */
  readonly begins: number
  /** When it ends, in Unix milliseconds. */
  readonly ends: number
  /** Seconds after which it is released unless it is kept alive; 0 if it need not be. */
  readonly keepalive: number
  /** What this instance knows to be recorded of it, or never to be recorded. */
  readonly recorded: 'nothing' | 'start' | 'end'
}

/**
 * Called with a reservation that was made just now, that has been read or that has changed, or without one when it was
 * cancelled or released.
 */
export type OnUpcoming = (id: string, reservation: Upcoming | undefined, isNew: boolean) => void

/** How far is read ahead. A SUT has at most three reservations in it, so the number of ports bounds memory. */
const AHEAD_MS = 1_800_000
/** How long an ended reservation is kept, for a late extension or a clock that is set back. */
const KEEP_TIME_MS = 60_000
/** Reservations per page: a page must not hold the thread for long. */
const PAGE = 2_000

interface UpcomingOptions {
  readonly views: Pick<Views, 'read' | 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

const fromRow = (
  { _id, sut_id, user_id, listen_port, start, end, created, keepalive }: UpcomingRow,
  known: Upcoming | undefined,
): Upcoming => ({
  ...{ _id, sut_id, user_id, listen_port, keepalive },
  starts: start * 1000,
  begins: Math.max(start * 1000, created),
  ends: end * 1000,
  recorded: known?.recorded ?? 'nothing',
})

/** A new reservation. */
const fromVersion = ({ document, columns }: NewVersion): Upcoming => {
  const { _id, sut_id, user_id, listen_port } = JSON.parse(document) as Reservation
  const [, , start, end, lateness] = columns as ReservationColumns
  const starts = start * 1000
  const window = { starts, begins: starts + lateness, ends: end * 1000 }
  return { ...{ _id, sut_id, user_id, listen_port }, ...window, keepalive: 0, recorded: 'nothing' }
}

/** The reservation after a change; undefined if the change concerns no known one, or leaves it as it was. */
const after = (
  { projection, before, after: version }: RowChange,
  known: ReadonlyMap<string, Upcoming>,
): Upcoming | undefined => {
  const reservation = known.get(version.id)
  if (projection === 'reservation_keepalive' && before === undefined)
    return reservation && { ...reservation, keepalive: (version.columns as ReservationKeepaliveColumns)[1] }
  if (projection !== 'reservation') return undefined
  if (before === undefined) return fromVersion(version)
  const ends = (version.columns as ReservationColumns)[3] * 1000
  if (reservation === undefined || reservation.ends === ends) return undefined
  // Its end is still to come, even if this instance has looked for it in vain.
  return { ...reservation, ends, recorded: reservation.recorded === 'end' ? 'start' : reservation.recorded }
}

/** Reads all pages of a span of Unix seconds. False while lists cannot be read. */
const readPages = async (
  views: Pick<Views, 'read'>,
  span: { readonly from: number; readonly to: number },
  put: (row: UpcomingRow) => void,
): Promise<boolean> => {
  let from = BEFORE_FIRST
  for (;;) {
    const page = await views.read('upcoming', { ...span, after: from, limit: PAGE })
    if (page === undefined) return false
    for (const row of page.listed) put(row)
    const last = page.listed.at(-1)
    if (last === undefined || page.listed.length < PAGE) return true
    from = last.position
  }
}

/** How far ahead the views have been read, in Unix milliseconds. */
const makeCoverage = () => {
  let until = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY
  let completeSince: number | undefined
  return {
    /** Whether reservations that begin at this time are kept. */
    includes: (begins: number): boolean => begins <= until,
    isLoadDue: (now: number): boolean => now >= loadedAt + AHEAD_MS / 2 || now < loadedAt - KEEP_TIME_MS,
    begin: (now: number): void => {
      until = Math.max(now, loadedAt) + AHEAD_MS
    },
    end: (now: number): void => {
      if (now > loadedAt + AHEAD_MS) completeSince = now
      until = now + AHEAD_MS
      loadedAt = now
    },
    /**
     * Unix milliseconds since when listeners have learnt of every reservation before its end; undefined before the first
     * load. A load that comes too late, after a suspension or a jump of the clock, moves it.
     */
    completeSince: (): number | undefined => completeSince,
  }
}

/** The reservations that are kept, and who is told of each change. */
const makeKnown = (coverage: Pick<ReturnType<typeof makeCoverage>, 'includes'>) => {
  const known = new Map<string, Upcoming>()
  const listeners: OnUpcoming[] = []
  const notify: OnUpcoming = (...what) => {
    for (const listener of listeners) listener(...what)
  }
  const put = (reservation: Upcoming, isNew = false): void => {
    known.set(reservation._id, reservation)
    notify(reservation._id, reservation, isNew)
  }
  const setRecorded = (id: string, recorded: Upcoming['recorded']): Upcoming | undefined => {
    const reservation = known.get(id)
    const changed = reservation && { ...reservation, recorded }
    if (changed !== undefined) known.set(id, changed)
    return changed
  }
  const take = (change: RowChange): void => {
    const { projection, before } = change
    const { id, document, ended } = change.after
    if (projection === 'reservation_run')
      setRecorded(id, (JSON.parse(document) as ReservationRun).ended === null ? 'start' : 'end')
    if (projection === 'reservation' && ended !== null) {
      known.delete(id)
      notify(id, undefined, false)
      return
    }
    const reservation = after(change, known)
    if (reservation !== undefined && coverage.includes(reservation.begins)) put(reservation, before === undefined)
  }
  return { known, listeners, put, setRecorded, take }
}

/** The reservations of the next half-hour, from the views and then from each change. */
export const makeUpcomingReservations = ({ views, clock }: UpcomingOptions) => {
  const coverage = makeCoverage()
  const { known, listeners, put, setRecorded, take } = makeKnown(coverage)
  /** Changes while the views are being read. They are applied again on top of what was read. */
  let missed: RowChange[] | undefined

  const unwatch = views.watch((_, changes) => {
    for (const change of changes) {
      missed?.push(change)
      take(change)
    }
  })

  return {
    get: (id: string): Upcoming | undefined => known.get(id),
    /** Notes what is recorded, or never will be. Calls no listener, as nothing else changes. */
    setRecorded,
    /** In no particular order. */
    all: (): Iterable<Upcoming> => known.values(),
    /** Calls the listener for every known reservation, and then for every change. */
    observe: (listener: OnUpcoming): void => {
      listeners.push(listener)
      for (const reservation of known.values()) listener(reservation._id, reservation, false)
    },
    /** Whether it is time to read ahead: half of that has passed, or the clock was set back past what is kept. */
    isLoadDue: (): boolean => coverage.isLoadDue(clock()),
    /** Reads ahead. False while the views cannot be read. */
    load: async (): Promise<boolean> => {
      const now = clock()
      coverage.begin(now)
      missed = []
      try {
        const span = { from: Math.floor((now - KEEP_TIME_MS) / 1000), to: Math.ceil((now + AHEAD_MS) / 1000) }
        if (!(await readPages(views, span, (row) => put(fromRow(row, known.get(row._id)))))) return false
      } finally {
        const changes = missed
        missed = undefined
        for (const change of changes) take(change)
      }
      coverage.end(now)
      // Its end may still have to be recorded.
      const isOver = ({ ends, recorded }: Upcoming) => ends < now - KEEP_TIME_MS && recorded === 'end'
      for (const reservation of known.values()) if (isOver(reservation)) known.delete(reservation._id)
      return true
    },
    completeSince: coverage.completeSince,
    close: unwatch,
  }
}

export type UpcomingReservations = ReturnType<typeof makeUpcomingReservations>

interface ReadAheadOptions {
  readonly upcoming: Pick<UpcomingReservations, 'load' | 'isLoadDue'>
  readonly clock: Pick<ProcessClock, 'mayAct'>
  readonly log: { readonly error: (facts: object, sentence: string) => void }
  /** Whether the views cannot be written. Lists may then never be readable, and an alarm says so. */
  readonly isUnwritten: () => boolean
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly pause: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

const READ_RETRY_DELAY_MS = 1_000
/** Failed reads after which the service becomes ready without open ports: one that lasts must not keep it from that. */
const FAILURES_MAX = 5

/**
 * Reads reservations ahead until the signal aborts.
 *
 * @param onFirst called once they have been read, or cannot be: ports are opened before the service is ready
 */
export const readAhead = async (
  { upcoming, clock, log, isUnwritten, wake, pause, signal }: ReadAheadOptions,
  onFirst: () => Promise<void>,
): Promise<void> => {
  let failures = 0
  /** False while lists cannot be read: a checkpoint may be in progress, which ends within milliseconds. */
  const readDue = async (): Promise<boolean> => {
    if (!clock.mayAct() || !upcoming.isLoadDue()) return true
    try {
      return await upcoming.load()
    } catch (error) {
      if (signal.aborted) return false
      failures++
      log.error({ err: error }, 'reservations cannot be read ahead; retrying')
      await pause(READ_RETRY_DELAY_MS)
      return false
    }
  }
  let isFirst = true
  for (; !signal.aborted; await wake(signal)) {
    const isSettled = (await readDue()) || isUnwritten() || failures >= FAILURES_MAX
    if (!isFirst || !isSettled || signal.aborted) continue
    isFirst = false
    await onFirst()
  }
}
