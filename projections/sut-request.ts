import type { DataOf, Recorded } from '../src/domain/event.ts'
import type { ExpiryCause } from '../src/domain/events/request.ts'
import type { RequestStatus } from '../src/domain/request/queue.ts'
import { canonicalJson } from '../src/domain/values/canonical-json.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A request for a SUT as returned by the API. Answers add the name of its user. */
export interface SutRequest
  extends Pick<
    DataOf<'ReservationRequested'>,
    '_id' | 'user_id' | 'match' | 'sut_id' | 'duration' | 'expires_at' | 'priority'
  > {
  readonly created_at: string
  readonly updated_at: string
  readonly keepalive: number | null
  readonly status: RequestStatus
  readonly cause?: ExpiryCause
  readonly sut_reservation_id: string | null
}

export interface SutRequestInternal {
  /** What it waits for: the id of a SUT, or criteria as canonical JSON. */
  readonly target: string
}

const evolve = (document: SutRequest | undefined, event: Recorded): SutRequest => {
  const updated_at = event.metadata.time
  if (event.type === 'ReservationRequested') {
    const { _id, user_id, match, sut_id, duration, expires_at, priority, keepalive = null } = event.data
    return {
      ...{ _id, created_at: updated_at, updated_at, user_id },
      ...(match !== undefined && { match }),
      ...(sut_id !== undefined && { sut_id }),
      ...{ duration, expires_at, priority, keepalive, status: 'waiting', sut_reservation_id: null },
    }
  }
  const current = document ?? failMissing('sut_request', event)
  switch (event.type) {
    case 'RequestGranted':
      return { ...current, updated_at, status: 'granted', sut_reservation_id: event.data.sut_reservation_id }
    case 'RequestWithdrawn':
      return { ...current, updated_at, status: 'withdrawn' }
    case 'RequestExpired': {
      const { cause } = event.data
      return { ...current, updated_at, status: 'expired', ...(cause !== undefined && { cause }) }
    }
    default:
      return current
  }
}

/** Offers come and go without a trace here. */
export const sutRequestProjection: Projection<SutRequest, SutRequestInternal> = {
  name: 'sut_request',
  version: 3,
  key: idOfChanged('sut_request'),
  begins: (event) => event.type === 'ReservationRequested',
  evolve: (row, event) => {
    const document = evolve(row?.document, event)
    const { match, sut_id = '' } = document
    return { document, internal: { target: match ? canonicalJson(match) : sut_id } }
  },
}
