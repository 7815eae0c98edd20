import type { Snapshot } from '../../domain/decider.ts'
import type { PublicPosition, StorePosition } from '../../domain/values/position.ts'
import { isOfFullDisk } from '../../files/full-disk.ts'
import { SQLITE, sqliteCode } from '../../files/sqlite.ts'
import type { Progress } from '../file/progress.ts'
import type { ViewsFile } from '../file/views-file.ts'
import type { Pending } from './pending.ts'

/** A snapshot that waits to be written. */
interface WaitingState {
  /** The store position of its last event. */
  readonly storePosition: StorePosition
  /** Undefined if the state is too large for one. */
  readonly snapshot: () => Snapshot | undefined
}

/** The snapshots covered by the written rows, up to about `enough` characters. */
const statesUpTo = (
  storePosition: StorePosition,
  waiting: Map<string, WaitingState>,
  enough: number,
): readonly Snapshot[] => {
  const covered: Snapshot[] = []
  let size = 0
  for (const [stream, { storePosition: last, snapshot: take }] of waiting) {
    if (last > storePosition) continue
    const snapshot = take()
    if (snapshot === undefined) waiting.delete(stream)
    else covered.push(snapshot)
    size += snapshot?.text.length ?? 0
    if (size > enough) break
  }
  return covered
}

/** Rows staged at a time: few enough not to delay requests, and enough to use warm caches. */
const STAGE = 512
/**
 * Rows per commit. More rows share more of the pages written. But rows in memory for longer than V8 takes to fill its
 * young generation are copied and promoted.
 */
const CHUNK = 2_048
/** Rows in memory above which no more events are folded, because rows cannot be written. */
const PENDING_MAX = 8 * CHUNK
/** Characters of snapshots per transaction. Streams used alike become due all at once. */
const STATES_MAX = 1024 * 1024
/**
 * Snapshots that may wait to be written. Beyond that the oldest is dropped, and its stream is folded from an older
 * snapshot.
 */
export const SNAPSHOTS_WAITING_MAX = 16_384
/** Even few rows are committed after this time. */
const COMMIT_INTERVAL_MS = 1_000
/** Between attempts to write. */
const RETRY_DELAY_MS = 500

export interface Writer {
  /** Whether nothing can be written because the disk is full. */
  readonly isDiskFull: () => boolean
  /** Called when there may be something to write. */
  readonly tick: () => void
  /** Whether folding must stop until rows have been written. */
  readonly isFull: () => boolean
  /** Resolves when there is room for more rows, or on abort. */
  readonly waitForRoom: (signal: AbortSignal) => Promise<void>
  /** Makes lists show every row; false while nothing can be written. */
  readonly settle: () => boolean
  /** Commits every row; false while nothing can be written. */
  readonly commitRows: () => boolean
  /** Commits every row and snapshot; false while nothing can be written. */
  readonly commitAll: () => boolean
  readonly keepSnapshot: (stream: string, storePosition: StorePosition, snapshot: () => Snapshot | undefined) => void
  /** A snapshot that is not written yet. */
  readonly waitingSnapshot: (stream: string) => Snapshot | undefined
  readonly dropUnwrittenSnapshots: () => void
  readonly close: () => Promise<void>
}

export interface AlarmHooks {
  /** Called once when views can no longer be written or read, and once when they can again. */
  readonly onAlarm: (what: string, error: unknown, part: 'views' | 'store') => void
  readonly onRecovery: (what: string, part: 'views' | 'store') => void
}

/** The results of writes: reports a failure once, and lets callers wait for a success. @param path of the file */
const makeOutcomes = (alarms: AlarmHooks, path: string) => {
  let alarmed = false
  let isDiskFull = false
  let room = Promise.withResolvers<void>()
  return {
    isAlarmed: () => alarmed,
    /** Whether the last write failed because the disk is full. */
    isDiskFull: () => alarmed && isDiskFull,
    nextSuccess: () => room.promise,
    succeed: (): void => {
      if (alarmed) alarms.onRecovery('views can be written again', 'views')
      alarmed = false
      room.resolve()
      room = Promise.withResolvers()
    },
    fail: (error: unknown): void => {
      if (!alarmed) alarms.onAlarm('views cannot be written', error, 'views')
      alarmed = true
      isDiskFull = isOfFullDisk(error, path)
    },
  }
}

/** A timer that runs `run` once. */
const makeTimer = (run: () => void) => {
  let timer: NodeJS.Timeout | undefined
  const clear = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const start = (milliseconds: number): void => {
    timer = setTimeout(() => {
      timer = undefined
      run()
    }, milliseconds)
  }
  return {
    clear,
    startAgain: (milliseconds: number): void => {
      clear()
      start(milliseconds)
    },
    startUnlessStarted: (milliseconds: number): void => {
      if (timer === undefined) start(milliseconds)
    },
  }
}

/** Writes, reports failures and retries after them. */
const makeCommitter = (
  file: ViewsFile,
  pending: Pending,
  alarms: AlarmHooks,
  progress: () => Progress,
  synced: () => PublicPosition,
) => {
  const snapshots = new Map<string, WaitingState>()
  const timer = makeTimer(() => attempt(commit))
  const { succeed, fail, isAlarmed, isDiskFull, nextSuccess } = makeOutcomes(alarms, file.path)

  const stage = (): void => {
    // Nothing is staged yet, or a read or write error rolled the transaction back.
    if (!file.isStaging()) pending.unstageAll()
    file.stage(pending.takeUnstaged())
  }

  const commitLater = (): void => timer.startUnlessStarted(COMMIT_INTERVAL_MS)

  const commit = (states = STATES_MAX): void => {
    timer.clear()
    if (snapshots.size === 0 && file.progress()?.position === progress().position) return
    stage()
    const covered = statesUpTo(progress().storePosition, snapshots, states)
    file.commit(covered, progress(), synced())
    for (const { stream } of covered) snapshots.delete(stream)
    pending.written(progress().position)
    if (snapshots.size > 0) commitLater()
  }

  /** Whether it was written. */
  const attempt = (write: () => void): boolean => {
    try {
      write()
      succeed()
      return true
    } catch (error) {
      // While the WAL is restarted, nothing can be written, which is no failure.
      if (file.inProgress() === undefined || sqliteCode(error) !== SQLITE.busy) fail(error)
      timer.startAgain(RETRY_DELAY_MS)
      return false
    }
  }

  return {
    snapshots,
    isAlarmed,
    isDiskFull,
    stage: () => attempt(stage),
    commit: () => attempt(commit),
    commitAll: () => attempt(() => commit(Number.POSITIVE_INFINITY)),
    commitLater,
    nextSuccess,
    stop: timer.clear,
  }
}

type Committer = ReturnType<typeof makeCommitter>

/** Writes pending rows in portions. Nobody waits for this, so it gives way to a running WAL checkpoint. */
const makeTick = (file: ViewsFile, pending: Pending, attempts: Committer) => {
  let isWaiting = false
  const tick = (): void => {
    if (attempts.isAlarmed() || isWaiting) return
    const inFlight = file.inProgress()
    if (inFlight !== undefined) {
      isWaiting = true
      void inFlight.then(() => {
        isWaiting = false
        tick()
      })
      return
    }
    const isToStage = pending.unstaged() >= STAGE
    // Do one or the other, because requests wait meanwhile. Only under heavy load would nothing ever be committed; then
    // do both.
    if (isToStage && pending.count() < 2 * CHUNK) attempts.stage()
    else if (pending.count() >= CHUNK) attempts.commit()
    if (pending.count() > 0 || attempts.snapshots.size > 0) attempts.commitLater()
  }
  return tick
}

/**
 * Write-behind: one transaction stays open for thousands of rows, which costs a fifth of a transaction per turn of the
 * event loop. Rows stay in memory until they are committed, so that a failure loses nothing.
 *
 * @param synced up to where the log is on the disk
 */
export const makeWriter = (
  file: ViewsFile,
  pending: Pending,
  alarms: AlarmHooks,
  progress: () => Progress,
  synced: () => PublicPosition = () => progress().position,
): Writer => {
  const attempts = makeCommitter(file, pending, alarms, progress, synced)
  const { snapshots, isAlarmed } = attempts
  const tick = makeTick(file, pending, attempts)
  return {
    tick,
    isDiskFull: attempts.isDiskFull,
    isFull: () => pending.count() >= PENDING_MAX,
    waitForRoom: async (signal) => {
      const stopped = Promise.withResolvers<void>()
      const stop = (): void => stopped.resolve()
      signal.addEventListener('abort', stop)
      while (pending.count() >= PENDING_MAX && !signal.aborted)
        await Promise.race([attempts.nextSuccess(), stopped.promise])
      signal.removeEventListener('abort', stop)
    },
    settle: () => pending.count() === 0 || (!isAlarmed() && attempts.stage()),
    commitRows: () => pending.count() === 0 || (!isAlarmed() && attempts.commit()),
    commitAll: attempts.commitAll,
    keepSnapshot: (stream, storePosition, snapshot) => {
      snapshots.delete(stream)
      snapshots.set(stream, { storePosition, snapshot })
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
