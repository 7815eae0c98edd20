import type { Reservation, ReservationInternal } from '../../projections/reservation.ts'
import { BEFORE_FIRST } from '../domain/values/position.ts'
import type { Clock, UnixMilliseconds } from '../domain/values/units.ts'
import type { RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import { forEachYielding } from './process.ts'

/** A reservation that is running or begins soon. */
export interface Upcoming {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
  readonly listen_port: number
  readonly starts: UnixMilliseconds
  /** When its start is due, in Unix milliseconds: its start, or its creation if that was later. */
  readonly begins: number
  readonly ends: UnixMilliseconds
  /** Seconds after which it is released unless it is kept alive; 0 if it need not be. */
  readonly keepalive: number
  /** When it was last kept alive, in Unix milliseconds, 0 if it was not; and whether its holder ever did that. */
  readonly kept: number
  readonly hasHeartbeats: boolean
  readonly recorded: 'nothing' | 'start' | 'end'
}

/** How far is read ahead. A SUT has at most three reservations in it, so the number of ports bounds memory. */
const AHEAD_MS = 1_800_000
/** How long an ended reservation is kept, for a late extension or a clock that is set back. */
const KEEP_TIME_MS = 60_000
/** Reservations per page: a page must not hold the thread for long. */
const PAGE_SIZE = 2_000

interface UpcomingOptions {
  readonly views: Pick<Views, 'newest' | 'read' | 'watch'>
  readonly clock: Clock
}

/** A reservation as the views show it now; undefined if it was cancelled or released. */
const makeRead =
  ({ newest }: Pick<Views, 'newest'>) =>
  (id: string): Upcoming | undefined => {
    const version = newest('reservation', id)
    if (version === undefined || version.ended !== null) return undefined
    const { _id, sut_id, user_id, listen_port } = JSON.parse(version.document) as Reservation
    const { start, end, lateness, keepalive = 0, kept, recorded } = JSON.parse(version.internal) as ReservationInternal
    const window = { starts: start * 1000, begins: start * 1000 + lateness, ends: end * 1000 }
    const life = { keepalive, kept: kept?.at ?? 0, hasHeartbeats: kept?.has_heartbeats === true }
    return { _id, sut_id, user_id, listen_port, ...window, ...life, recorded }
  }

/** The reservations of the next half-hour: read ahead, and then again whenever they change. */
export const makeUpcomingReservations = ({ views, clock }: UpcomingOptions) => {
  const read = makeRead(views)
  const known = new Map<string, Upcoming>()
  /** Those that begin until then are kept, as read last at that time. Both in Unix milliseconds. */
  let until = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY

  const refresh = (id: string): void => {
    const reservation = read(id)
    if (reservation === undefined) known.delete(id)
    else known.set(id, reservation)
  }
  const isSoon = ({ before, after: { internal } }: RowChange): boolean =>
    before === undefined && (JSON.parse(internal) as ReservationInternal).start * 1000 <= until
  const take = (change: RowChange): void => {
    const { projection, after } = change
    if (projection === 'reservation' && (known.has(after.id) || isSoon(change))) refresh(after.id)
  }
  const unwatch = views.watch((_, changes) => changes.forEach(take))

  /** False while the views cannot be read. */
  const load = async (): Promise<boolean> => {
    const now = clock()
    // From where it was read to, if that is past, as after a suspension: what ended meanwhile has to be recorded.
    const span = {
      from: Math.floor((Math.min(now, Number.isFinite(until) ? until : now) - KEEP_TIME_MS) / 1000),
      to: Math.ceil((now + AHEAD_MS) / 1000),
    }
    until = Math.max(until, now + AHEAD_MS)
    for (let after = BEFORE_FIRST, isLast = false; !isLast; ) {
      const page = await views.read('upcoming', { ...span, after, limit: PAGE_SIZE })
      if (page === undefined) return false
      // A page may be older than what has been seen of changes: what it names is read again.
      await forEachYielding(page.listed, ({ _id }) => known.has(_id) || refresh(_id))
      isLast = page.listed.length < PAGE_SIZE
      after = page.listed.at(-1)?.position ?? after
    }
    until = now + AHEAD_MS
    loadedAt = now
    // Its end may still have to be recorded.
    const isOver = ({ ends, recorded }: Upcoming) => ends < now - KEEP_TIME_MS && recorded === 'end'
    for (const reservation of known.values()) if (isOver(reservation)) known.delete(reservation._id)
    return true
  }

  return {
    get: (id: string): Upcoming | undefined => known.get(id),
    /** In no particular order. */
    all: (): Iterable<Upcoming> => known.values(),
    /** Reads ahead if half of that has passed, or the clock was set back past what is kept. False if it could not. */
    load: async (): Promise<boolean> => {
      const now = clock()
      const isDue = now >= loadedAt + AHEAD_MS / 2 || now < loadedAt - KEEP_TIME_MS
      return !isDue || load()
    },
    close: unwatch,
  }
}

export type UpcomingReservations = ReturnType<typeof makeUpcomingReservations>
