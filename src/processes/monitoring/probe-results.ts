import type { Sut } from '../../../projections/sut.ts'
import type { Cause } from '../../domain/monitoring/status.ts'

/** Failures in a row before a SUT is offline, or has another cause. */
export const FAILURES = 3
/** Maximum between probes, and between those of a server whose password Berth does not have. */
const PAUSE_MAX_MS = 3_600_000

/** Servers count these against an address, and bar it for longer each time. */
const BACK_OFF: ReadonlySet<Cause> = new Set<Cause>([
  'password_refused',
  'locked_out',
  'no_security_type',
  'refused_by_server',
])

/** The last result of a SUT that was not simply reached, and how often in a row. */
export interface Last {
  readonly sut: Sut
  readonly cause: Cause
  /** Consecutive failures, whatever their causes, and the time of the first, in Unix milliseconds. */
  readonly failures: number
  readonly since: number
  /** Consecutive results with this cause. */
  readonly ofCause: number
  /** Milliseconds to the next probe, if they are more than the interval. */
  readonly pause: number | undefined
}

export const isSameMachine = (a: Sut, b: Sut): boolean =>
  a.address === b.address && a.port === b.port && a.sut_type === b.sut_type

/** The result after `before`, which counts only if it is of the same machine. */
export const nextResult = (sut: Sut, cause: Cause, before: Last | undefined, interval: number, now: number): Last => {
  const last = before !== undefined && isSameMachine(before.sut, sut) ? before : undefined
  const ofCause = last?.cause === cause ? last.ofCause + 1 : 1
  if (cause === 'no_password') {
    return { sut, cause, failures: 0, since: now, ofCause, pause: Math.max(interval, PAUSE_MAX_MS) }
  }
  const hasFailed = last !== undefined && last.failures > 0
  const failures = hasFailed ? last.failures + 1 : 1
  const doubled = Math.min(interval * 2 ** Math.max(0, failures - FAILURES), PAUSE_MAX_MS)
  const pause = BACK_OFF.has(cause) ? Math.max(interval, doubled) : undefined
  return { sut, cause, failures, since: hasFailed ? last.since : now, ofCause, pause }
}
