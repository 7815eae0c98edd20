import * as E from 'fp-ts/lib/Either.js'
import { type Decision, makeDecider, type StreamState } from '../decider.ts'
import type { Event } from '../event.ts'
import { type Cause, offlineCauseOf } from './status.ts'

/** Whether probes reach a SUT. It becomes `unknown` again by events in the SUT's own stream, never by a probe. */
export type Reachability = 'online' | 'offline' | 'unknown'

/** What a probe found, if not simply that it reached the SUT. */
export interface ProbeFinding {
  readonly cause: Cause
  /** What the SUT says of it, as it may be passed on. It is never recorded. */
  readonly reason?: string
}

/** The result of a probe that counts. */
export interface ProbeResult {
  /** Undefined if the SUT was simply reached. */
  readonly cause: Cause | undefined
  readonly milliseconds: number
}

/** The changes found by probes of one SUT. */
interface MonitoringState extends StreamState {
  readonly changes: number
  readonly last: Exclude<Reachability, 'unknown'> | null
  readonly cause: Cause | null
  /** Whether the last change is another cause of an outage that goes on. */
  readonly isOtherCause: boolean
  /** The instance that recorded the last one. */
  readonly instance: string | null
}

/** Records the result of a probe if it changes whether the SUT counts as reachable. */
export interface RecordProbe {
  readonly type: 'RecordProbe'
  readonly _id: string
  /** Undefined if the SUT was simply reached. */
  readonly cause: Cause | undefined
  readonly instance: string
  /** Unix milliseconds of the first of this instance's consecutive failures. */
  readonly failingSince: number
  /**
   * The SUT's document that the probe was judged by, and the number of changes it includes. This stream does not say
   * when the status became unknown again.
   */
  readonly shown: { readonly status: Reachability; readonly changes: number }
}

/** How long an instance must have failed before it may overrule another one that found the SUT online. */
const OVERRULE_DELAY_MS = 600_000

/** Between records of another cause during an outage. */
const CAUSE_INTERVAL_MS = 3_600_000

const INSTANCE = /^([0-9a-f]{16}):/

/** The request id of an event recorded by a probe. It names the instance, which the event's data does not. */
export const probeRequestId = (instance: string, requestId: string): string => `${instance}:${requestId}`

const recordProbe = (
  state: MonitoringState,
  { _id, cause, instance, failingSince, shown }: RecordProbe,
  now: number,
): Decision => {
  // Another instance was first. The next probe is judged by its change.
  if (shown.changes !== state.changes) return E.right([])
  // The document is damaged. Nothing is recorded on its word.
  if (shown.status !== 'unknown' && shown.status !== state.last) return E.right([])
  const offlineCause = offlineCauseOf(cause)
  const isSame = shown.status === (offlineCause === undefined ? 'online' : 'offline')
  if (isSame && state.cause === (cause ?? null)) return E.right([])
  if (offlineCause === undefined) {
    return E.right([{ type: 'SutWentOnline', data: { _id, ...(cause === 'no_password' && { cause }) } }])
  }
  const wentOffline: Event = { type: 'SutWentOffline', data: { _id, cause: offlineCause } }
  if (isSame) {
    const mayRecord = state.instance === instance && !(state.isOtherCause && now - state.time < CAUSE_INTERVAL_MS)
    return E.right(mayRecord ? [wentOffline] : [])
  }
  // An instance that reaches a SUT is not overruled immediately by one that does not.
  const isAnother = shown.status === 'online' && state.instance !== instance
  if (isAnother && now - Math.max(failingSince, state.time) < OVERRULE_DELAY_MS) return E.right([])
  return E.right([wentOffline])
}

export const monitoringDecider = makeDecider<MonitoringState, RecordProbe>({
  initial: { time: 0, keys: [], changes: 0, last: null, cause: null, isOtherCause: false, instance: null },
  version: 4,
  fold: (state, event) => {
    if (event.type !== 'SutWentOnline' && event.type !== 'SutWentOffline') return state
    const last = event.type === 'SutWentOnline' ? 'online' : 'offline'
    const { cause = null } = event.data
    const isOtherCause = last === 'offline' && state.last === 'offline' && cause !== state.cause
    const instance = INSTANCE.exec(event.metadata.request_id)?.[1] ?? null
    return { ...state, changes: state.changes + 1, last, cause, isOtherCause, instance }
  },
  rules: { RecordProbe: recordProbe },
})
