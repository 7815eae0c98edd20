import type { SessionCause } from '../src/domain/events/session.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A session as returned by the API, in its field order. */
export interface Session {
  readonly _id: string
  readonly reservation_id: string
  readonly sut_id: string
  readonly user_id: string
  readonly instance: string
  readonly opened_at: string
  readonly closed_at: string | null
  readonly connections: number | null
  readonly bytes_to_sut: number | null
  readonly bytes_from_sut: number | null
  readonly cause: SessionCause | null
}

/** Unix milliseconds. */
export interface SessionInternal {
  readonly opened: number
  /** STILL_OPEN while it is open. */
  readonly closed: number
}

/** Later than any time, so that an open session overlaps every span that ends after its opening. */
export const STILL_OPEN = Number.MAX_SAFE_INTEGER

export const sessionProjection: Projection<Session, SessionInternal> = {
  name: 'session',
  version: 2,
  key: idOfChanged('session'),
  begins: (event) => event.type === 'SessionOpened',
  evolve: (row, event) => {
    if (event.type !== 'SessionOpened' && event.type !== 'SessionClosed') return row ?? failMissing('session', event)
    const { _id, reservation_id, sut_id, user_id, instance, opened_at } = event.data
    const ofSession = { _id, reservation_id, sut_id, user_id, instance, opened_at }
    const opened = epochMillisecondsOf(opened_at)
    if (event.type === 'SessionOpened') {
      const nothing = { closed_at: null, connections: null, bytes_to_sut: null, bytes_from_sut: null, cause: null }
      return { document: { ...ofSession, ...nothing }, internal: { opened, closed: STILL_OPEN } }
    }
    const { closed_at, connections, bytes_to_sut, bytes_from_sut, cause } = event.data
    return {
      document: { ...ofSession, closed_at, connections, bytes_to_sut, bytes_from_sut, cause },
      internal: { opened, closed: epochMillisecondsOf(closed_at) },
    }
  },
}
