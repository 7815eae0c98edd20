import type { OpenedSession, SessionEnd } from '../src/domain/session/decide.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import type { UnixMilliseconds } from '../src/domain/values/units.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A session as returned by the API; null is what an open one does not have yet. */
export type Session = OpenedSession & { readonly [M in keyof SessionEnd]: SessionEnd[M] | null }

export interface SessionInternal {
  readonly opened: UnixMilliseconds
  /** STILL_OPEN while it is open. */
  readonly closed: UnixMilliseconds
}

/** Later than any time, so that an open session overlaps every span that ends after its opening. */
export const STILL_OPEN = Number.MAX_SAFE_INTEGER

const NO_END = { closed_at: null, connections: null, bytes_to_sut: null, bytes_from_sut: null, cause: null }

export const sessionProjection: Projection<Session, SessionInternal> = {
  name: 'session',
  version: 2,
  key: idOfChanged('session'),
  begins: (event) => event.type === 'SessionOpened',
  evolve: (row, event) => {
    if (event.type !== 'SessionOpened' && event.type !== 'SessionClosed') return row ?? failMissing('session', event)
    const { _id, reservation_id, sut_id, user_id, instance, opened_at } = event.data
    const end = event.type === 'SessionClosed' ? event.data : NO_END
    const { closed_at, connections, bytes_to_sut, bytes_from_sut, cause } = end
    return {
      document: {
        ...{ _id, reservation_id, sut_id, user_id, instance, opened_at },
        ...{ closed_at, connections, bytes_to_sut, bytes_from_sut, cause },
      },
      internal: {
        opened: epochMillisecondsOf(opened_at),
        closed: closed_at === null ? STILL_OPEN : epochMillisecondsOf(closed_at),
      },
    }
  },
}
