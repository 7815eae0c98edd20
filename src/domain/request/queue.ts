import type { Actor, StreamState } from '../decider.ts'
import type { Recorded } from '../event.ts'
import { requestEvents } from '../events/request.ts'
import type { Offer } from '../matching/candidates.ts'
import { epochMillisecondsOf, epochSecondsOf, offsetOf } from '../values/instant.ts'
import type { Kept } from '../values/keepalive.ts'
import { bisect } from '../values/sorted-list.ts'
import type { UnixMilliseconds } from '../values/units.ts'

/** Whether a request waits, and how it ended otherwise. */
export const REQUEST_STATUSES = ['waiting', 'granted', 'withdrawn', 'expired'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

type Requested = RecordedAs<'ReservationRequested'>

export interface Waiting
  extends Pick<Requested['data'], '_id' | 'user_id' | 'match' | 'sut_id' | 'duration' | 'priority'> {
  readonly asker: Actor
  /** The address of its client as a keyed hash, and why it was made, in the caller's words. */
  readonly client?: string
  readonly reason?: string
  readonly expiresAt: UnixMilliseconds
  /** How it is kept alive; absent if it need not be. */
  readonly life?: Kept
  /** The revision of its first event: of two of one priority, the lower goes first. */
  readonly revision: number
  /** Absent if it waits. */
  readonly create?: AskedReservation
  readonly offer?: Offer
}

/** What a reservation with `match` was asked for with. It has an open offer until it ends. */
interface AskedReservation {
  readonly isBeyondQuota: boolean
  /** The recorded value of its idempotency key, which the reservation has too. */
  readonly key?: string
}

export type OfferedRequest = Waiting & { readonly offer: Offer }

export const hasOffer = (request: Waiting): request is OfferedRequest => request.offer !== undefined

/** Negative if the first request goes before the second: by priority, then in the order of the stream. */
export const compareRequests = (a: Waiting, b: Waiting): number => b.priority - a.priority || a.revision - b.revision

/** The requests that wait, in the order in which they go. */
export type Queue = readonly Waiting[]

/** The offers that are neither granted nor closed. */
export const offersIn = (queue: Queue): readonly Offer[] => queue.flatMap(({ offer }) => offer ?? [])

export const findWaiting = (queue: Queue, _id: string): Waiting | undefined =>
  queue.find((request) => request._id === _id)

export const enqueue = (queue: Queue, request: Waiting): Queue => {
  const place = bisect(queue.length, (n) => compareRequests(queue[n] as Waiting, request) > 0)
  return queue.toSpliced(place, 0, request)
}

/** Replaces a request, or removes it if `change` returns undefined. Another id changes nothing. */
export const changeWaiting = (queue: Queue, _id: string, change: (request: Waiting) => Waiting | undefined): Queue => {
  const place = queue.findIndex((request) => request._id === _id)
  if (place === -1) return queue
  const changed = change(queue[place] as Waiting)
  return changed === undefined ? queue.toSpliced(place, 1) : queue.with(place, changed)
}

type RecordedAs<T extends Recorded['type']> = Extract<Recorded, { readonly type: T }>
type RequestEvent = RecordedAs<keyof typeof requestEvents>

const requested = ({ data, metadata, revision }: Requested): Waiting => {
  const { expires_at, start_time, beyond_quota: isBeyondQuota = false, keepalive, ...request } = data
  const { actor, role, client, reason, time } = metadata
  return {
    ...request,
    ...{ asker: { _id: actor, role }, ...(client !== undefined && { client }) },
    ...(reason !== undefined && { reason }),
    ...(start_time !== undefined && { create: { isBeyondQuota } }),
    ...(keepalive !== undefined && { life: { keepalive, began: epochMillisecondsOf(time), kept: 0 } }),
    ...{ expiresAt: epochMillisecondsOf(expires_at), revision },
  }
}

const offerIn = ({ data, metadata }: RecordedAs<'RequestOffered'>, { duration }: Waiting): Offer => {
  const { user_id, sut_id, sut_reservation_id, start_time, end_time } = data
  const window = { start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) }
  const offsets = { startOffset: offsetOf(start_time), endOffset: offsetOf(end_time) }
  const time = epochMillisecondsOf(metadata.time)
  return { user_id, sut_id, sut_reservation_id, ...window, ...offsets, duration, time }
}

/** What an event makes of the request that it is about: undefined if that does not wait any more. */
const foldWaiting = (event: RequestEvent, before: Waiting): Waiting | undefined => {
  switch (event.type) {
    case 'RequestOffered': {
      // The key is with the last event that was recorded with the request: its first offer.
      const { key } = event.metadata
      const create = before.create && { create: { ...before.create, ...(key !== undefined && { key }) } }
      return { ...before, ...create, offer: offerIn(event, before) }
    }
    case 'RequestOfferClosed': {
      const { offer: _, ...request } = before
      return request
    }
    case 'RequestKept':
      return {
        ...before,
        ...(before.life && { life: { ...before.life, kept: epochMillisecondsOf(event.metadata.time) } }),
      }
    default:
      return undefined
  }
}

const isOfRequest = (event: Pick<Recorded, 'type'>): event is RequestEvent => event.type in requestEvents

export const foldQueue = (queue: Queue, event: Recorded): Queue => {
  if (!isOfRequest(event)) return queue
  return event.type === 'ReservationRequested'
    ? enqueue(queue, requested(event))
    : changeWaiting(queue, event.data._id, (request) => foldWaiting(event, request))
}

/** The requests that wait, whoever made them. */
export interface RequestsState extends StreamState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  readonly queue: Queue
}
