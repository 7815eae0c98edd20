import * as E from 'fp-ts/lib/Either.js'
import type { Sut } from '../../projections/sut.ts'
import type { Runner } from '../commands/order.ts'
import type { Actor } from '../domain/decider.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { monitoringDecider, probeRequestId } from '../domain/monitoring/decide.ts'
import { monitoringStream } from '../domain/values/ids.ts'
import type { Views } from '../read-models/views.ts'
import type { ProcessClock } from './clock.ts'
import { followMonitored, type Monitored, type MonitoredSuts } from './monitored.ts'
import { makeProbing, type Probed, type Probing, type ProbingOptions } from './probing.ts'

/** The actor of events recorded by probes. */
const MONITOR: Actor = { _id: 'monitor', role: 'system' }

export interface MonitorOptions extends Omit<ProbingOptions, 'isInUse' | 'count'> {
  readonly views: Pick<Views, 'newest' | 'read' | 'watch' | 'waitForStorePosition'>
  readonly runner: Pick<Runner, 'run'>
  readonly clock: ProcessClock
  /** Milliseconds since boot. */
  readonly sinceBoot: () => number
  /** The id of this instance. */
  readonly instance: string
  /** Whether this instance probes a SUT. By default it probes all. */
  readonly isOurs?: (sut: Sut) => boolean
  /** Whether a SUT has an open session. None has by default. */
  readonly isInUse?: (sutId: string) => boolean
  /** Whether the service accepts commands. */
  readonly isOpen: () => boolean
  readonly makeRequestId: () => string
  readonly onError: (error: unknown) => void
  /** Resolves when it is time to check the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
}

export interface Monitor {
  /** Probes monitored SUTs until the signal aborts. */
  readonly run: () => Promise<void>
  /** Probes a SUT now. The result counts like any other. */
  readonly check: (sutId: string) => Promise<E.Either<Failure, Probed>>
}

/** Failures in a row before a SUT is offline. */
const FAILURES = 3
/** Milliseconds before a failed probe, or a failed record of one, is retried. */
const RETRY_AFTER = 5_000
/** Milliseconds allowed for the views to show a record. */
const VIEWS_TIMEOUT = 5_000

/** SUTs tried in one turn of the event loop: thousands that another instance probes would hold up requests. */
const TRIED_AT_ONCE = 100

/** Consecutive failures of a SUT, and the time of the first, in Unix milliseconds. */
interface Failing {
  readonly sut: Sut
  readonly count: number
  readonly since: number
}

const isSameMachine = (a: Sut, b: Sut): boolean =>
  a.address === b.address && a.port === b.port && a.sut_type === b.sut_type

/** Records a change. False if that failed and must be retried. */
const makeRecord =
  ({ runner, views, instance, clock, isOpen, makeRequestId }: MonitorOptions) =>
  async ({ sut, shown }: Monitored, cause: Probed['cause'], failingSince: number): Promise<boolean> => {
    if (!isOpen() || !clock.mayRecord()) return false
    const { _id } = sut
    const ended = await runner.run(monitoringDecider, monitoringStream(_id), {
      command: { type: 'RecordProbe', _id, cause, instance, failingSince, shown },
      actor: MONITOR,
      requestId: probeRequestId(instance, makeRequestId()),
    })()
    if (E.isRight(ended)) await views.waitForStorePosition(ended.right.mark, VIEWS_TIMEOUT)
    return E.isRight(ended)
  }

/** Counts the results of probes and records changes. */
const makeCount = (options: MonitorOptions, suts: MonitoredSuts, failing: Map<string, Failing>) => {
  const { clock, isOurs, signal } = options
  const record = makeRecord(options)

  /** Counts a failure. False if recording the change failed, or needs more failures. */
  const fail = async (monitored: Monitored, probed: Sut, cause: Probed['cause']): Promise<boolean> => {
    const last = failing.get(probed._id)
    const before = last !== undefined && isSameMachine(last.sut, probed) ? last : { count: 0, since: clock.now() }
    const { count, since } = { count: before.count + 1, since: before.since }
    failing.set(probed._id, { sut: probed, count, since })
    return monitored.shown.status === 'offline' || (count >= FAILURES && (await record(monitored, cause, since)))
  }

  return async (probed: Sut, { cause }: Probed): Promise<void> => {
    const { _id } = probed
    const monitored = suts.get(_id)
    if (signal.aborted || monitored === undefined || isOurs?.(probed) === false) return suts.plan(_id)
    // The SUT was changed meanwhile: the result is of another machine.
    if (!isSameMachine(probed, monitored.sut)) return suts.plan(_id, 0)
    if (cause === undefined) failing.delete(_id)
    const isDone =
      cause === undefined
        ? monitored.shown.status === 'online' || (await record(monitored, cause, 0))
        : await fail(monitored, probed, cause)
    suts.plan(_id, isDone ? undefined : RETRY_AFTER)
  }
}

/** Probes SUTs that are due, as far as the limit on concurrent probes allows. */
const makeProbeDue = (
  { clock, isOurs, isOpen, onError, signal }: MonitorOptions,
  suts: MonitoredSuts,
  probing: Probing,
) => {
  /** Those waiting for a slot, earliest first. */
  const waiting = new Set<string>()

  const probeIfRoom = (sutId: string): boolean => {
    const monitored = suts.get(sutId)
    if (monitored === undefined || isOurs?.(monitored.sut) === false) {
      suts.plan(sutId)
      return true
    }
    const probed = probing.ifRoom(monitored.sut)
    void probed
      ?.catch((error: unknown) => {
        if (signal.aborted) return
        onError(error)
        suts.plan(sutId, RETRY_AFTER)
      })
      .then(() => probeDue([]))
    return probed !== undefined
  }

  const probeDue = (due: readonly string[]): void => {
    for (const id of due) waiting.add(id)
    if (signal.aborted || !isOpen() || !clock.mayRecord()) return
    for (const id of Iterator.from(waiting).take(TRIED_AT_ONCE)) {
      if (!probeIfRoom(id)) return
      waiting.delete(id)
    }
  }
  return probeDue
}

/**
 * Probes monitored SUTs, spread over their intervals, and records when one goes online or offline. Results are compared
 * with the documents, so several instances may do this on one log.
 */
export const makeMonitor = (options: MonitorOptions): Monitor => {
  const { views, sinceBoot, isOurs, isInUse = () => false, isOpen, onError, wake, signal } = options
  const suts = followMonitored({ views, sinceBoot })
  const failing = new Map<string, Failing>()
  const probing = makeProbing({ ...options, isInUse, count: makeCount(options, suts, failing) })
  const probeDue = makeProbeDue(options, suts, probing)
  let isLoaded = false

  const tick = async (): Promise<void> => {
    if (!isLoaded) isLoaded = await suts.load()
    for (const id of suts.refresh()) failing.delete(id)
    probeDue(suts.takeDue(sinceBoot()))
  }

  return {
    run: async () => {
      while (!signal.aborted) {
        await wake(signal)
        if (!signal.aborted && isOpen()) await tick().catch(onError)
      }
      suts.close()
    },
    check: async (sutId) => {
      const found = views.newest('sut', sutId)
      if (found === undefined) return E.left(failure('sut_not_found', 'No SUT has this id.'))
      const sut = JSON.parse(found.document) as Sut
      if (isOurs?.(sut) === false) return E.left(failure('not_forwarded', 'Another instance probes this SUT.'))
      try {
        return E.right(await probing.now(sut))
      } catch (error) {
        onError(error)
        return E.left(failure('unavailable', 'The SUT could not be probed. Try again.'))
      }
    },
  }
}
