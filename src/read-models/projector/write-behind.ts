import type { Snapshot } from '../../domain/decider.ts'
import type { Progress } from '../file/progress.ts'
import type { ViewsFile } from '../file/views-file.ts'
import type { Pending } from './pending.ts'
import { statesUpTo, type WaitingState } from './waiting-states.ts'
import { type Alarms, makeOutcomes, makeTimer } from './write-outcomes.ts'

/** Rows put into the open transaction at a time: so few that nobody waits for them, so many that the caches are filled once. */
const STAGE = 512
/**
 * Rows after which the transaction is committed. The more, the more of them share the pages that are written; but of those
 * that stay in memory for longer than the engine takes to fill its young generation each is copied, and then kept.
 */
const CHUNK = 2_048
/** Rows in memory beyond which no more events are taken, because they cannot be written. */
const PENDING_MAX = 8 * CHUNK
/** Bytes of folded states in a transaction: streams that are used alike come to be kept all at once. */
const STATES_MAX = 1024 * 1024
/** Folded states that wait to be written; of more the oldest is let go of, and its stream is folded from the one before. */
export const SNAPSHOTS_WAITING_MAX = 16_384
/** Milliseconds after which rows are committed even if they are few. */
const COMMIT_AFTER = 1_000
/** Milliseconds between attempts to write. */
const RETRY_AFTER = 500

export interface Writer {
  /** Called when there may be something to write. */
  readonly tick: () => void
  /** Whether no more rows can be taken before some are written. */
  readonly isFull: () => boolean
  /** Resolves when there is room for more rows, or when stopped. */
  readonly waitForRoom: (signal: AbortSignal) => Promise<void>
  /** Puts every row where lists are read from; false while nothing can be written. */
  readonly settle: () => boolean
  /** Commits every row; false while nothing can be written. */
  readonly commitRows: () => boolean
  /** Commits everything; false while nothing can be written. */
  readonly commitAll: () => boolean
  readonly keepSnapshot: (stream: string, mark: number, snapshot: () => Snapshot) => void
  /** A folded state that is to be written. */
  readonly waitingSnapshot: (stream: string) => Snapshot | undefined
  readonly dropUnwrittenSnapshots: () => void
  readonly close: () => Promise<void>
}

/** Writes at once, tells of failures, and tries again after them. */
const makeCommitter = (file: ViewsFile, pending: Pending, alarms: Alarms, progress: () => Progress) => {
  const snapshots = new Map<string, WaitingState>()
  const timer = makeTimer(() => attempt(commit))
  /** Because the disk is waited for: nothing is wrong, and nothing can be written. */
  let isHeldUp = false
  const { succeed, fail, isAlarmed, nextSuccess } = makeOutcomes(alarms)

  const stage = (): void => {
    // Nothing has been staged yet, or what was has been undone, be it by an error of writing or of reading.
    if (!file.isStaging()) pending.unstageAll()
    file.stage(pending.takeUnstaged())
  }

  const commitLater = (): void => timer.startUnlessStarted(COMMIT_AFTER)

  const commit = (states = STATES_MAX): void => {
    timer.clear()
    if (snapshots.size === 0 && file.progress()?.position === progress().position) return
    stage()
    const covered = statesUpTo(progress().mark, snapshots.values(), states)
    file.commit(covered, progress())
    for (const { stream } of covered) snapshots.delete(stream)
    pending.written(progress().position)
    if (snapshots.size > 0) commitLater()
  }

  const attempt = (write: () => void): void => {
    isHeldUp = !file.mayWrite()
    try {
      if (!isHeldUp) write()
      if (!isHeldUp) succeed()
    } catch (error) {
      fail(error)
    }
    if (isHeldUp || isAlarmed()) timer.startAgain(RETRY_AFTER)
  }

  const settle = (): void => {
    stage()
    file.settle()
  }

  return {
    snapshots,
    isAlarmed,
    isStopped: () => isAlarmed() || isHeldUp,
    stage: () => attempt(stage),
    settle: () => attempt(settle),
    commit: () => attempt(commit),
    commitAll: () => attempt(() => commit(Number.POSITIVE_INFINITY)),
    commitLater,
    nextSuccess,
    stop: timer.clear,
  }
}

type Committer = ReturnType<typeof makeCommitter>

/** Writes what there is to write, in portions. Nobody waits for it: it leaves the disk to a checkpoint that is under way. */
const makeTick = (file: ViewsFile, pending: Pending, attempts: Committer) => {
  let isWaiting = false
  const tick = (): void => {
    if (attempts.isAlarmed() || isWaiting) return
    const underWay = file.underWay()
    if (underWay !== undefined) {
      isWaiting = true
      void underWay.then(() => {
        isWaiting = false
        tick()
      })
      return
    }
    const isToStage = pending.unstaged() >= STAGE
    // One or the other, because everybody waits for it; both only when so much comes that nothing would be committed.
    if (isToStage && pending.count() < 2 * CHUNK) attempts.stage()
    else if (pending.count() >= CHUNK) attempts.commit()
    if (pending.count() > 0 || attempts.snapshots.size > 0) attempts.commitLater()
  }
  return tick
}

/**
 * Writes rows behind: one transaction stays open for thousands of rows, which costs a fifth of one for each turn of the
 * event loop. Until it is committed its rows stay in memory too, so that nothing is lost when it fails.
 */
export const makeWriter = (file: ViewsFile, pending: Pending, alarms: Alarms, progress: () => Progress): Writer => {
  const attempts = makeCommitter(file, pending, alarms, progress)
  const { snapshots, isAlarmed, isStopped } = attempts
  const tick = makeTick(file, pending, attempts)
  return {
    tick,
    isFull: () => pending.count() >= PENDING_MAX,
    waitForRoom: async (signal) => {
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      while (pending.count() >= PENDING_MAX && !signal.aborted) await Promise.race([attempts.nextSuccess(), stopped])
    },
    settle: () => {
      if (pending.count() === 0) return true
      if (!isAlarmed()) attempts.settle()
      return !isStopped()
    },
    commitRows: () => {
      if (pending.count() === 0) return true
      if (!isAlarmed()) attempts.commit()
      return !isStopped()
    },
    commitAll: () => {
      attempts.commitAll()
      return !isStopped()
    },
    keepSnapshot: (stream, mark, snapshot) => {
      snapshots.delete(stream)
      snapshots.set(stream, { mark, snapshot })
      const [oldest] = snapshots.keys()
      if (snapshots.size > SNAPSHOTS_WAITING_MAX && oldest !== undefined) snapshots.delete(oldest)
    },
    dropUnwrittenSnapshots: () => snapshots.clear(),
    waitingSnapshot: (stream) => snapshots.get(stream)?.snapshot(),
    close: async () => {
      await file.endCheckpoints()
      attempts.commitAll()
      attempts.stop()
      file.close()
    },
  }
}
