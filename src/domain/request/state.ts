import type { StreamState } from '../decider.ts'
import type { Recorded } from '../event.ts'
import { requestEvents } from '../events/request.ts'
import { addRecord } from '../idempotency-records.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../values/instant.ts'
import { changeWaiting, EMPTY_QUEUE, enqueue, type Offer, type Queue, type Waiting } from './waiting.ts'

/** The requests that wait, whoever made them. */
export interface RequestsState extends StreamState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  readonly queue: Queue
}

type RecordedAs<T extends Recorded['type']> = Extract<Recorded, { readonly type: T }>
type RequestEvent = RecordedAs<keyof typeof requestEvents>

export const initialRequests: RequestsState = { time: 0, keys: [], revision: -1, queue: EMPTY_QUEUE }

const requested = ({ data, metadata, revision }: RecordedAs<'ReservationRequested'>): Waiting => {
  const { _id, user_id, match, sut_id, duration, expires_at, priority, keepalive } = data
  const { actor, role, client } = metadata
  return {
    ...{ _id, user_id, asker: { _id: actor, role }, duration, priority, revision },
    ...{ made: epochMillisecondsOf(metadata.time), kept: 0 },
    expiresAt: epochMillisecondsOf(expires_at),
    ...(client !== undefined && { client }),
    ...(match !== undefined && { match }),
    ...(sut_id !== undefined && { sut_id }),
    ...(keepalive !== undefined && { keepalive }),
  }
}

const offerIn = ({ data, metadata }: RecordedAs<'RequestOffered'>, { duration }: Waiting): Offer => {
  const { user_id, sut_id, sut_reservation_id, start_time, end_time } = data
  const window = { start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) }
  return { user_id, sut_id, sut_reservation_id, ...window, duration, time: epochMillisecondsOf(metadata.time) }
}

/** What an event makes of the request that it is about: undefined if that does not wait any more. */
const evolveWaiting = (event: RequestEvent, before: Waiting): Waiting | undefined => {
  switch (event.type) {
    case 'RequestOffered':
      return { ...before, offer: offerIn(event, before) }
    case 'RequestOfferClosed': {
      const { offer: _, ...request } = before
      return request
    }
    case 'RequestKept':
      return { ...before, kept: epochMillisecondsOf(event.metadata.time) }
    default:
      return undefined
  }
}

const isOfRequest = (event: Pick<Recorded, 'type'>): event is RequestEvent => event.type in requestEvents

export const evolveQueue = (queue: Queue, event: Recorded): Queue => {
  if (!isOfRequest(event)) return queue
  return event.type === 'ReservationRequested'
    ? enqueue(queue, requested(event))
    : changeWaiting(queue, event.data._id, (request) => evolveWaiting(event, request))
}

export const evolveRequests = (state: RequestsState, event: Recorded): RequestsState => {
  const time = epochMillisecondsOf(event.metadata.time)
  const { revision } = event
  return { time, revision, keys: addRecord(state.keys, event, time), queue: evolveQueue(state.queue, event) }
}
