import * as E from 'fp-ts/lib/Either.js'
import { makeDecider, type StreamState } from '../decider.ts'
import type { DataOf } from '../event.ts'
import { formatMilliseconds } from '../values/instant.ts'
import type { UnixMilliseconds } from '../values/units.ts'

export type RefusalCounts = Pick<DataOf<'RefusalsCounted'>, 'refusals' | 'others'>

/** Records what was refused in a span of time, unless the same request has recorded it already. */
export interface CountRefusals extends RefusalCounts {
  readonly type: 'CountRefusals'
  readonly requestId: string
  readonly from: UnixMilliseconds
  readonly to: UnixMilliseconds
}

interface RefusalsState extends StreamState {
  /** Requests that recorded the last counts, oldest first, by which one repeated after a lost response is recognised. */
  readonly requests: readonly string[]
}

/** An instance repeats a count until it is recorded, so this bounds the instances. */
const REQUESTS_MAX = 64

/** What was refused, in a stream of its own: nothing is decided on it. */
export const refusalsDecider = makeDecider<RefusalsState, CountRefusals>({
  initial: { time: 0, keys: [], requests: [] },
  version: 2,
  fold: (state, { metadata }) => ({
    ...state,
    requests: [...state.requests.slice(1 - REQUESTS_MAX), metadata.request_id],
  }),
  rules: {
    CountRefusals: (state, { requestId, from, to, refusals, others }, now) => {
      if (state.requests.includes(requestId)) return E.right([])
      // Nothing was refused later than now, even if the clock was set back.
      const [first, last] = [Math.min(from, to, now), Math.min(to, now)].map(formatMilliseconds) as [string, string]
      const data = { from: first, to: last, refusals, ...(others !== undefined && { others }) }
      return E.right([{ type: 'RefusalsCounted', data }])
    },
  },
})
