import { setTimeout as delay } from 'node:timers/promises'
import type { Snapshot } from '../../domain/decider.ts'
import type { PublicPosition, StorePosition } from '../../domain/values/position.ts'
import { isOfFullDisk } from '../../files/full-disk.ts'
import { SQLITE, sqliteCode } from '../../files/sqlite.ts'
import type { Progress } from '../file/progress.ts'
import type { ViewsFile } from '../file/views-file.ts'
import type { Pending } from './pending.ts'

/** Rows staged at a time: few enough not to delay requests, and enough to use warm caches. */
const STAGED_ROWS = 512
/**
 * Rows per commit. More rows share more of the pages written. But rows in memory for longer than V8 takes to fill its
 * young generation are copied and promoted.
 */
const COMMITTED_ROWS = 2_048
/** Rows in memory above which no more events are folded, because rows cannot be written. */
const PENDING_MAX = 8 * COMMITTED_ROWS
/** Characters of snapshots per transaction. Streams used alike become due all at once. */
const SNAPSHOTS_LENGTH_MAX = 1024 * 1024
/**
 * Snapshots that may wait to be written. Beyond that the oldest is dropped, and its stream is folded from an older
 * snapshot.
 */
const SNAPSHOTS_WAITING_MAX = 16_384
/** Even few rows are committed after this time. */
const COMMIT_INTERVAL_MS = 1_000
/** Between attempts to write. */
const RETRY_DELAY_MS = 500
/** Between looks whether there is room for more rows. */
const ROOM_INTERVAL_MS = 10

export interface AlarmHooks {
  /** Called once when views can no longer be written or read, and once when they can again. */
  readonly onAlarm: (what: string, error: unknown, part: 'views' | 'store') => void
  readonly onRecovery: (what: string, part: 'views' | 'store') => void
}

export type Writer = ReturnType<typeof makeWriter>

/** Snapshots of streams that wait until the rows up to their store positions are written. */
const makeSnapshots = () => {
  const waiting = new Map<string, { storePosition: StorePosition; read: () => Snapshot | undefined }>()
  return {
    count: (): number => waiting.size,
    /** A snapshot is undefined if the state is too large for one. */
    keep: (stream: string, storePosition: StorePosition, read: () => Snapshot | undefined): void => {
      waiting.delete(stream)
      waiting.set(stream, { storePosition, read })
      const [oldest] = waiting.keys()
      if (waiting.size > SNAPSHOTS_WAITING_MAX && oldest !== undefined) waiting.delete(oldest)
    },
    find: (stream: string): Snapshot | undefined => waiting.get(stream)?.read(),
    dropAll: (): void => waiting.clear(),
    /** Those that rows up to a store position cover, up to about `enough` characters. */
    coveredBy: (last: StorePosition, enough: number): readonly Snapshot[] => {
      const covered: Snapshot[] = []
      let length = 0
      for (const [stream, { storePosition, read }] of waiting) {
        if (storePosition > last) continue
        const snapshot = read()
        if (snapshot === undefined) waiting.delete(stream)
        else covered.push(snapshot)
        length += snapshot?.text.length ?? 0
        if (length > enough) break
      }
      return covered
    },
    written: (snapshots: readonly Snapshot[]): void => {
      for (const { stream } of snapshots) waiting.delete(stream)
    },
  }
}

interface WriterParts {
  readonly file: ViewsFile
  readonly pending: Pending
  readonly alarms: AlarmHooks
  readonly progress: () => Progress
  /** Up to where the log is on the disk. */
  readonly synced: () => PublicPosition
}

/** Writes, reports failures once, and tries again after them. */
const makeAttempts = (
  { file, pending, alarms, progress, synced }: WriterParts,
  snapshots: ReturnType<typeof makeSnapshots>,
) => {
  let failure: { readonly isDiskFull: boolean } | undefined
  let timer: NodeJS.Timeout | undefined

  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const commitLater = (): void => {
    timer ??= setTimeout(() => attempt(commit), COMMIT_INTERVAL_MS)
  }

  const stage = (): void => {
    // Nothing is staged yet, or a read or write error rolled the transaction back.
    if (!file.isStaging()) pending.unstageAll()
    file.stage(pending.takeUnstaged())
  }

  const commit = (enough = SNAPSHOTS_LENGTH_MAX): void => {
    stop()
    const reached = progress()
    if (snapshots.count() === 0 && file.progress()?.position === reached.position) return
    stage()
    const covered = snapshots.coveredBy(reached.storePosition, enough)
    file.commit(covered, reached, synced())
    snapshots.written(covered)
    pending.written()
    if (snapshots.count() > 0) commitLater()
  }

  /** Whether it was written. */
  const attempt = (write: () => void): boolean => {
    try {
      write()
    } catch (error) {
      // While the WAL is restarted, nothing can be written, which is no failure.
      if (file.inProgress() === undefined || sqliteCode(error) !== SQLITE.busy) {
        if (failure === undefined) alarms.onAlarm('views cannot be written', error, 'views')
        failure = { isDiskFull: isOfFullDisk(error, file.path) }
      }
      stop()
      timer = setTimeout(() => attempt(commit), RETRY_DELAY_MS)
      return false
    }
    if (failure !== undefined) alarms.onRecovery('views can be written again', 'views')
    failure = undefined
    return true
  }

  return {
    isFailing: (): boolean => failure !== undefined,
    /** Whether the last write failed because the disk is full. */
    isDiskFull: (): boolean => failure?.isDiskFull === true,
    stage: () => attempt(stage),
    commit: () => attempt(commit),
    commitAll: () => attempt(() => commit(Number.POSITIVE_INFINITY)),
    commitLater,
    stop,
  }
}

/**
 * Write-behind: one transaction stays open for thousands of rows, which costs a fifth of a transaction per turn of the
 * event loop. Rows stay in memory until they are committed, so that a failure loses nothing.
 */
export const makeWriter = (parts: WriterParts) => {
  const { file, pending } = parts
  const snapshots = makeSnapshots()
  const attempts = makeAttempts(parts, snapshots)
  const { isFailing, isDiskFull, stage, commit, commitAll, commitLater, stop } = attempts
  const isFull = (): boolean => pending.count() >= PENDING_MAX
  let isWaiting = false

  /** Called when there may be something to write. Nobody waits for this, so it gives way to a running checkpoint. */
  const tick = (): void => {
    if (isFailing() || isWaiting) return
    const inFlight = file.inProgress()
    if (inFlight !== undefined) {
      isWaiting = true
      void inFlight.then(() => {
        isWaiting = false
        tick()
      })
      return
    }
    const isToStage = pending.unstaged() >= STAGED_ROWS
    // Do one or the other, because requests wait meanwhile. Only under heavy load would nothing ever be committed; then
    // do both.
    if (isToStage && pending.count() < 2 * COMMITTED_ROWS) stage()
    else if (pending.count() >= COMMITTED_ROWS) commit()
    if (pending.count() > 0 || snapshots.count() > 0) commitLater()
  }

  return {
    tick,
    /** Whether nothing can be written because the disk is full. */
    isDiskFull,
    /** Whether folding must stop until rows have been written. */
    isFull,
    /** Resolves when there is room for more rows, or on abort. */
    waitForRoom: async (signal: AbortSignal): Promise<void> => {
      while (isFull() && !signal.aborted) await delay(ROOM_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    },
    /** Makes reads of this connection show every row; false while nothing can be written. */
    settle: (): boolean => pending.count() === 0 || (!isFailing() && stage()),
    /** Commits every row; false while nothing can be written. */
    commitRows: (): boolean => pending.count() === 0 || (!isFailing() && commit()),
    snapshots,
    close: async (): Promise<void> => {
      await file.endCheckpoints()
      commitAll()
      stop()
      file.close()
    },
  }
}
