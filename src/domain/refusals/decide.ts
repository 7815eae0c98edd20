import * as E from 'fp-ts/lib/Either.js'
import type { Decider, Decision, StreamState } from '../decider.ts'
import type { DataOf, Recorded } from '../event.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../values/instant.ts'

export type RefusalCounts = Pick<DataOf<'RefusalsCounted'>, 'refusals' | 'others'>

/** Records what was refused in a span of time, unless the same request has recorded it already. */
export interface CountRefusals extends RefusalCounts {
  readonly type: 'CountRefusals'
  readonly requestId: string
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
}

interface RefusalsState extends StreamState {
  /** Requests that recorded the last counts, oldest first, by which one repeated after a lost response is recognised. */
  readonly requests: readonly string[]
}

/** An instance repeats a count until it is recorded, so this bounds the instances. */
const REQUESTS_MAX = 64

const evolve = (state: RefusalsState, { metadata }: Recorded): RefusalsState => {
  const time = epochMillisecondsOf(metadata.time)
  return { ...state, time, requests: [...state.requests.slice(1 - REQUESTS_MAX), metadata.request_id] }
}

const decide = (state: RefusalsState, command: CountRefusals, now: number): Decision => {
  const { requestId, from, to, refusals, others } = command
  if (state.requests.includes(requestId)) return E.right([])
  // Nothing was refused later than now, even if the clock was set back.
  const [first, last] = [Math.min(from, to, now), Math.min(to, now)].map(formatMilliseconds) as [string, string]
  const counts: RefusalCounts = { refusals, ...(others !== undefined && { others }) }
  return E.right([{ type: 'RefusalsCounted', data: { from: first, to: last, ...counts } }])
}

/** What was refused, in a stream of its own: nothing is decided on it. */
export const refusalsDecider: Decider<RefusalsState, CountRefusals> = {
  initial: { time: 0, keys: [], requests: [] },
  version: 1,
  evolve,
  decide,
}
