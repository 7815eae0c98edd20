import * as E from 'fp-ts/lib/Either.js'
import type { Sut } from '../../../projections/sut.ts'
import type { Actor } from '../../domain/decider.ts'
import { type Failure, refuse } from '../../domain/failure.ts'
import { monitoringDecider, type ProbeResult, probeRequestId } from '../../domain/monitoring/decide.ts'
import { type Cause, offlineCauseOf } from '../../domain/monitoring/status.ts'
import { monitoringStream } from '../../domain/values/ids.ts'
import type { SinceBoot } from '../../domain/values/units.ts'
import type { Views } from '../../read-models/views.ts'
import { forEachYielding, makeRecordNow, type RecordingOptions } from '../process.ts'
import { followMonitored, type MonitoredSut, type MonitoredSuts } from './monitored.ts'
import { makeProbing, type ProbingOptions } from './probing.ts'

const MONITOR: Actor = { _id: 'monitor', role: 'system' }

export interface MonitorOptions extends RecordingOptions, Omit<ProbingOptions, 'count'> {
  readonly views: Pick<Views, 'newest' | 'read' | 'watch' | 'waitForStorePosition'>
  readonly sinceBoot: SinceBoot
  readonly instance: string
  /** Whether this instance probes a SUT. */
  readonly isOurs: (sut: Sut) => boolean
  readonly isServing: () => boolean
  readonly onError: (error: unknown) => void
}

export type Monitor = ReturnType<typeof makeMonitor>

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

const isSameMachine = (a: Sut, b: Sut): boolean =>
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

/** Before a failed probe, or a failed record of one, is retried. */
const RETRY_DELAY_MS = 5_000
const UNANSWERED = 'The SUT has not answered its open session for a minute, and nothing is probed into a session.'

/** Records a change. False if that failed and must be retried. */
const makeRecord = (options: MonitorOptions) => {
  const { views, instance, isServing, makeRequestId } = options
  const recordNow = makeRecordNow(options)
  return async ({ sut: { _id }, shown }: MonitoredSut, cause: Cause | undefined, since: number): Promise<boolean> => {
    if (!isServing()) return false
    const { status, changes } = shown
    const command = {
      type: 'RecordProbe',
      _id,
      cause,
      instance,
      failingSince: since,
      shown: { status, changes },
    } as const
    const requestId = probeRequestId(instance, makeRequestId())
    const outcome = await recordNow(monitoringDecider, monitoringStream(_id), command, MONITOR, requestId)
    if (outcome !== undefined) await views.waitForStorePosition(outcome.storePosition)
    return outcome !== undefined
  }
}

/** Counts the results of probes and records changes. */
const makeCount = (options: MonitorOptions, suts: MonitoredSuts, results: Map<string, Last>) => {
  const { clock, isOurs, signal } = options
  const record = makeRecord(options)

  /** False if recording a change failed, or needs more failures. */
  const judge = async (monitored: MonitoredSut, last: Last | undefined): Promise<boolean> => {
    const { status, cause: shown } = monitored.shown
    const offlineCause = offlineCauseOf(last?.cause)
    if (status === (offlineCause === undefined ? 'online' : 'offline')) {
      if (shown === last?.cause) return true
      // Another cause of the same outage is a detail: it is not probed sooner for that.
      if (offlineCause !== undefined)
        return (last?.ofCause ?? 0) < FAILURES || (await record(monitored, offlineCause, 0))
    }
    if (offlineCause === undefined) return record(monitored, last?.cause, 0)
    const { failures = 0, since = 0 } = last ?? {}
    return failures >= FAILURES && (await record(monitored, offlineCause, since))
  }

  return async (probed: Sut, result: ProbeResult | undefined): Promise<void> => {
    const { _id } = probed
    const monitored = suts.get(_id)
    if (signal.aborted || monitored === undefined || !isOurs(probed)) return suts.plan(_id)
    // The SUT was changed meanwhile: the result is of another machine.
    if (!isSameMachine(probed, monitored.sut)) return suts.plan(_id, 0)
    if (result === undefined) return suts.plan(_id)
    const { cause } = result
    const last = cause && nextResult(probed, cause, results.get(_id), monitored.interval, clock.now())
    if (last === undefined) results.delete(_id)
    else results.set(_id, last)
    suts.plan(_id, (await judge(monitored, last)) ? last?.pause : RETRY_DELAY_MS)
  }
}

/**
 * Probes monitored SUTs, spread over their intervals, and records when one goes online or offline. Results are compared
 * with the documents, so several instances may do this on one log.
 */
export const makeMonitor = (options: MonitorOptions) => {
  const { views, sinceBoot, clock, isOurs, isServing, onError, signal } = options
  const results = new Map<string, Last>()
  let isLoaded = false

  /** A changed SUT may have another password, or none to be asked for. */
  const startOver = (sutId: string): void => {
    const isPaused = results.get(sutId)?.pause !== undefined
    if (isPaused || suts.get(sutId) === undefined) results.delete(sutId)
    if (isPaused) suts.plan(sutId, 0)
  }
  const suts = followMonitored({ views, sinceBoot, onChanged: startOver })
  signal.addEventListener('abort', suts.close)
  const probing = makeProbing({ ...options, count: makeCount(options, suts, results) })

  /** A SUT that is monitored here; again once there is room, since it may have changed. */
  const findDue = (sutId: string): Sut | undefined => {
    const monitored = signal.aborted ? undefined : suts.get(sutId)
    if (monitored !== undefined && isOurs(monitored.sut)) return monitored.sut
    suts.plan(sutId)
    return undefined
  }
  const probeDue = (sutId: string): void => {
    // Thousands that another instance probes would leave the line for a slot all at once, and hold up requests.
    if (findDue(sutId) === undefined) return
    probing
      .later(() => findDue(sutId))
      .catch((error: unknown) => {
        if (signal.aborted) return
        onError(error)
        suts.plan(sutId, RETRY_DELAY_MS)
      })
  }

  const tick = async (): Promise<void> => {
    if (!isServing()) return
    if (!isLoaded) isLoaded = await suts.load()
    if (clock.mayRecord()) await forEachYielding(suts.takeDue(), probeDue, signal)
  }

  return {
    failure: 'SUTs were not probed; retrying',
    tick,
    /** Probes a SUT now. The result counts like any other. */
    check: async (sutId: string): Promise<E.Either<Failure, ProbeResult>> => {
      const version = views.newest('sut', sutId)
      if (version === undefined) return refuse('sut_not_found', 'No SUT has this id.')
      const sut = JSON.parse(version.document) as Sut
      if (!isOurs(sut)) return refuse('not_forwarded', 'Another instance probes this SUT.')
      try {
        const probed = await probing.now(sut)
        if (probed === undefined) return refuse('unavailable', UNANSWERED)
        return E.right(probed)
      } catch (error) {
        onError(error)
        return refuse('unavailable', 'The SUT could not be probed. Try again.')
      }
    },
  }
}
