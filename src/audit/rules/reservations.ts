import { QUARTER } from '../../domain/calendar/window.ts'
import type { DataOf, Recorded } from '../../domain/event.ts'
import type { reservationEvents } from '../../domain/events/reservation.ts'
import { countBefore, findAfter, findBefore, findPlace, formatId } from '../state/calendar.ts'
import { wordsOf } from '../state/ids.ts'
import { offsetIn, secondsIn } from '../state/moments.ts'
import { type AuditedReservation, type AuditedSut, beginningOf, type Report } from '../state/state.ts'
import { judgeFit } from './matching.ts'

const isOnGrid = (moment: number): boolean => moment % QUARTER === 0

/** End of the time actually held by consecutive released reservations. */
const findHeldEnd = (released: readonly AuditedReservation[], moment: number): number => {
  const holder = released.find(({ start, end }) => start <= moment && moment < end)
  return holder === undefined ? moment : findHeldEnd(released, holder.end)
}

const judgeReleased = ({ released }: AuditedSut, start: number, end: number, report: Report): void => {
  const held = released.find((each) => each.start < end && start < each.end)
  if (held !== undefined) report(`overlaps the reservation ${formatId(held)}, which held the SUT until it was released`)
}

/** A window begins a turnaround after the quarter-hour in which the one before it ended, or later. */
const judgeTurnaround = (sut: AuditedSut, { start, end }: { start?: number; end: number }, report: Report): void => {
  const { turnaround = 0 } = sut.values
  if (turnaround === 0) return
  const before = start === undefined ? undefined : findBefore(sut, start)
  if (before !== undefined && Math.ceil(before.end / QUARTER) * QUARTER + turnaround > (start ?? 0))
    report(`begins within the turnaround after the reservation ${formatId(before)}`)
  const after = findAfter(sut, end)
  if (after !== undefined && end + turnaround > after.start)
    report(`leaves no turnaround before the reservation ${formatId(after)}`)
}

const isRightStart = ({ released }: AuditedSut, start: number): boolean =>
  isOnGrid(start) || findHeldEnd(released, start - (start % QUARTER)) === start

/**
 * A window asked for by its length counts that length, which may be one quarter less than its window has. Such windows
 * are written in UTC.
 */
const judgeCounted = ({ counted, start_time, end_time }: DataOf<'ReservationCreated'>, report: Report): void => {
  if (counted === undefined) return
  const quarters = Math.ceil((secondsIn(end_time) - secondsIn(start_time)) / QUARTER)
  const isInUtc = offsetIn(start_time) === 0 && offsetIn(end_time) === 0
  const isRight = counted === quarters || (isInUtc && quarters > 1 && counted === quarters - 1)
  if (!isRight) report(`counts ${counted} quarter-hours, but its window has ${quarters}`)
}

type Created = Extract<Recorded, { readonly type: 'ReservationCreated' }>

const judgeCreated = (
  sut: AuditedSut,
  { data, metadata }: Created,
  user_id: string,
  time: number,
  report: Report,
): void => {
  const [start, end] = [secondsIn(data.start_time), secondsIn(data.end_time)]
  if (sut.status !== 'standing') report(`reserves a SUT that is ${sut.status}`)
  else if (sut.values.is_active === false) report('reserves an inactive SUT')
  if (sut.status === 'standing' && data.listen_port !== sut.listen_port) {
    report(`has the listen_port ${data.listen_port}, but the SUT has ${sut.listen_port}`)
  }
  if (!(start < end)) {
    report('has an empty window')
    return
  }
  judgeFit(sut, data.match, report)
  judgeCounted(data, report)
  if (!isRightStart(sut, start) || !isOnGrid(end)) report('has a window off the quarter-hour grid')
  judgeReleased(sut, start, end, report)
  if (end * 1_000 <= time) {
    report('has a window that has already ended')
    return
  }
  if (start < time / 1_000 - QUARTER) report('has a window that begins before the quarter-hour of its creation')
  const { windows } = sut
  const place = countBefore(windows, start)
  const [before, behind] = [windows[place - 1], windows[place]]
  if (before !== undefined && before.end > start)
    report(`overlaps the reservation ${formatId(before)}, which holds the SUT`)
  if (behind !== undefined && behind.start < end)
    report(`overlaps the reservation ${formatId(behind)}, which holds the SUT`)
  judgeTurnaround(sut, { start, end }, report)
  const [high, middle, low] = wordsOf(data._id)
  const held = {
    high,
    middle,
    low,
    user_id,
    start,
    end,
    endOffset: offsetIn(data.end_time),
    created: time,
    hasStarted: false,
    isBound: metadata.client !== undefined && metadata.actor === user_id,
    keepalive: data.keepalive === undefined ? undefined : { seconds: data.keepalive, at: 0, hasHeartbeats: false },
  }
  if (place === windows.length) windows.push(held)
  else windows.splice(place, 0, held)
}

/** When a reservation is released unless it is kept alive, in Unix milliseconds; undefined if it need not be. */
const keepaliveDue = (held: AuditedReservation): number | undefined => {
  const { keepalive } = held
  return keepalive && Math.max(beginningOf(held), keepalive.at) + keepalive.seconds * 1_000
}

/** Index of the reservation that an event changes. It must not have ended. */
const findCurrent = (sut: AuditedSut, data: DataOf<'ReservationCancelled'>, time: number, report: Report): number => {
  const place = findPlace(sut, data, report)
  const held = sut.windows[place]
  if (held !== undefined && held.end * 1_000 <= time) report(`changes the reservation ${data._id}, which has ended`)
  return place
}

const judgeExtended = (sut: AuditedSut, data: DataOf<'ReservationExtended'>, time: number, report: Report): void => {
  const place = findCurrent(sut, data, time, report)
  const held = sut.windows[place]
  if (held === undefined) return
  const end = secondsIn(data.end_time)
  if (sut.values.is_active === false) report('extends a reservation of an inactive SUT')
  if (!(end > held.end)) {
    report('extends a reservation to an end that is not later')
    return
  }
  if (!isOnGrid(end)) report('has an end off the quarter-hour grid')
  judgeReleased(sut, held.end, end, report)
  const behind = sut.windows[place + 1]
  if (behind !== undefined && behind.start < end)
    report(`overlaps the reservation ${formatId(behind)}, which holds the SUT`)
  judgeTurnaround(sut, { end }, report)
  held.end = end
  held.endOffset = offsetIn(data.end_time)
}

type Released = Extract<Recorded, { readonly type: 'ReservationReleased' }>

/** Only the schedule releases for a cause, and not before it is due. */
const judgeCause = (
  held: AuditedReservation,
  { values }: AuditedSut,
  { data, metadata }: Released,
  time: number,
  report: Report,
): void => {
  const { cause } = data
  if ((cause !== undefined) !== (metadata.actor === 'schedule')) {
    report('names a cause, which only releases by the schedule have, or none')
    return
  }
  if (cause === undefined) return
  const { release_unused_after: after = 0 } = values
  const unused = after === 0 ? undefined : beginningOf(held) + after * 1_000
  const due = cause === 'keepalive' ? keepaliveDue(held) : unused
  if (due === undefined) report(`releases the reservation ${data._id} for a cause that it does not have, ${cause}`)
  else if (due > time) report(`releases the reservation ${data._id} before that is due, ${cause}`)
}

const judgeShortened = (sut: AuditedSut, data: DataOf<'ReservationShortened'>, time: number, report: Report): void => {
  const held = sut.windows[findCurrent(sut, data, time, report)]
  if (held === undefined) return
  const end = secondsIn(data.end_time)
  if (!(end < held.end && end > held.start)) {
    report('shortens a reservation to an end that is not earlier, or not after its start')
    return
  }
  if (!isOnGrid(end)) report('has an end off the quarter-hour grid')
  if (end * 1_000 <= time) report('shortens a reservation to an end that has passed')
  held.end = end
  held.endOffset = offsetIn(data.end_time)
}

const judgeRelease = (sut: AuditedSut, event: Released, time: number, report: Report): void => {
  const { data } = event
  const place = findCurrent(sut, data, time, report)
  const held = sut.windows[place]
  if (held === undefined) return
  if (held.start * 1_000 > time) report('releases a reservation that has not begun')
  judgeCause(held, sut, event, time, report)
  const end = Math.max(Math.ceil(time / 1_000), held.start + 1)
  if (secondsIn(data.end_time) !== end) report('ends a reservation at a different second than its release')
  if (offsetIn(data.end_time) !== held.endOffset) report('ends a reservation with a different UTC offset')
  sut.windows.splice(place, 1)
  sut.released.push({ ...held, end: secondsIn(data.end_time) })
}

const judgeCancelled = (sut: AuditedSut, data: DataOf<'ReservationCancelled'>, time: number, report: Report): void => {
  const place = findCurrent(sut, data, time, report)
  const held = sut.windows[place]
  if (held === undefined) return
  if (held.start * 1_000 <= time) report('cancels a reservation that has begun')
  sut.windows.splice(place, 1)
}

type Binding = Extract<Recorded, { readonly type: 'ReservationBound' | 'ReservationUnbound' }>

const judgeBinding = (sut: AuditedSut, { type, data, metadata }: Binding, time: number, report: Report): void => {
  const held = sut.windows[findCurrent(sut, data, time, report)]
  const isBound = type === 'ReservationBound'
  if (isBound && metadata.client === undefined) report('binds a reservation to no client')
  if (held === undefined) return
  if (!isBound && !held.isBound) report(`unbinds the reservation ${data._id}, which is not bound`)
  held.isBound = isBound
}

type Kept = Extract<Recorded, { readonly type: 'ReservationKept' }>

/** Version of the log from which on connections keep nothing that its holder keeps alive. */
const HEARTBEATS_ONLY = 5

const judgeKept = (sut: AuditedSut, { data, metadata }: Kept, { time, logVersion }: Context, report: Report): void => {
  const held = sut.windows[findCurrent(sut, data, time, report)]
  if (held === undefined) return
  const due = keepaliveDue(held)
  if (held.keepalive === undefined || due === undefined) {
    report(`keeps the reservation ${data._id} alive, which need not be`)
    return
  }
  const { hasHeartbeats } = held.keepalive
  const isHeartbeat = metadata.role !== 'system'
  if (beginningOf(held) > time) report('keeps a reservation alive that has not begun')
  else if (hasHeartbeats && !isHeartbeat && logVersion >= HEARTBEATS_ONLY)
    report(`keeps the reservation ${data._id} alive by a connection, although its holder does`)
  // The first heartbeat is recorded at once.
  else if ((hasHeartbeats || !isHeartbeat) && due - time >= held.keepalive.seconds * 500)
    report('keeps a reservation alive before half of its time has passed')
  held.keepalive.at = time
  if (isHeartbeat) held.keepalive.hasHeartbeats = true
}

type Scheduled = 'ReservationStarted' | 'ReservationEnded'
type Offered = 'MatchOffered' | 'ReservationOfferRefused'
type ReservationEvent = Extract<
  Recorded,
  { readonly type: Exclude<keyof typeof reservationEvents, Scheduled | Offered> }
>

interface Context {
  readonly time: number
  readonly ownUser: (userId: string) => string
  readonly logVersion: number
}

/** Checks an event of a reservation against its SUT's calendar and applies it. */
export const judgeReservation = (sut: AuditedSut, event: ReservationEvent, context: Context, report: Report): void => {
  const { time, ownUser } = context
  if ('beyond_quota' in event.data && event.metadata.role !== 'administrator')
    report('is beyond the quota, but by nobody who may exceed it')
  switch (event.type) {
    case 'ReservationCreated':
      judgeCreated(sut, event, ownUser(event.data.user_id), time, report)
      break
    case 'ReservationExtended':
      judgeExtended(sut, event.data, time, report)
      break
    case 'ReservationShortened':
      judgeShortened(sut, event.data, time, report)
      break
    case 'ReservationReleased':
      judgeRelease(sut, event, time, report)
      break
    case 'ReservationCancelled':
      judgeCancelled(sut, event.data, time, report)
      break
    case 'ReservationBound':
    case 'ReservationUnbound':
      judgeBinding(sut, event, time, report)
      break
    case 'ReservationKept':
      judgeKept(sut, event, context, report)
  }
}
