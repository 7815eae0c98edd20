import { setTimeout as delay } from 'node:timers/promises'
import type { Projection } from '../../projections/projection.ts'
import type { Snapshot } from '../domain/decider.ts'
import { BEGINNING, type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import { type FromLog, makeFromLog } from './from-log.ts'
import { makePending, type Pending } from './pending.ts'
import { openUsableFile } from './usable-file.ts'
import type { Progress, ViewsFile } from './views-file.ts'
import { makeWaiters } from './waiters.ts'

/** Rows kept in memory before they are written. */
const CHUNK = 4_096
/** Rows in memory beyond which no more events are taken, because they cannot be written. */
const PENDING_MAX = 4 * CHUNK
/** Milliseconds after which rows are written even if they are few. */
const WRITE_AFTER = 1_000
/** Milliseconds between attempts to write, or to subscribe again. */
const AGAIN_AFTER = 500

export interface ViewsOptions {
  readonly path: string
  readonly store: EventStore
  readonly projections: readonly Projection[]
  /** Told once when views can no longer be written or read on, and once when they can again. */
  readonly onAlarm: (what: string, error: unknown) => void
  readonly onRecovery: (what: string) => void
  /** Told of a failure that no retry mends, such as an event that cannot be decoded. */
  readonly onFatal: (error: unknown) => void
}

export interface Views extends Pick<Pending, 'newest' | 'asOf'> {
  /** The public position of the last event folded, -1 before the first. */
  readonly position: () => number
  /** Whether everything that was in the store when it was opened has been folded. */
  readonly caughtUp: () => boolean
  /** Waits until the event at `mark` has been folded; false if that takes longer than the milliseconds given. */
  readonly reached: (mark: number, within: number) => Promise<boolean>
  /** The same for a public position. */
  readonly cameTo: (position: number, within: number) => Promise<boolean>
  /** A document from its stream alone: slow, but right when these rows cannot keep up. */
  readonly fromLog: (name: Projection['name'], id: string, revision: number, stream: string) => Promise<FromLog>
  readonly readSnapshot: (stream: string) => Snapshot | undefined
  /** Keeps a folded state; it is written with the rows. */
  readonly keepSnapshot: (stream: string, snapshot: () => Snapshot) => void
  /** Writes what is pending and closes. */
  readonly close: () => Promise<void>
}

/** Writes rows behind: one transaction for thousands of rows costs a fifth of one for each turn of the event loop. */
const makeWriter = (file: ViewsFile, pending: Pending, options: ViewsOptions, progress: () => Progress) => {
  const snapshots = new Map<string, () => Snapshot>()
  let timer: NodeJS.Timeout | undefined
  let alarmed = false
  let room = Promise.withResolvers<void>()

  const write = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (snapshots.size > 0 || file.progress()?.position !== progress().position) {
      const { mark } = progress()
      const covered = [...snapshots.values()].map((snapshot) => snapshot()).filter((snapshot) => snapshot.mark <= mark)
      file.write(pending.rows(), covered, progress())
      for (const { stream } of covered) snapshots.delete(stream)
      pending.clear()
    }
  }

  const tryToWrite = (): void => {
    try {
      write()
      if (alarmed) options.onRecovery('views are written again')
      alarmed = false
      room.resolve()
      room = Promise.withResolvers()
    } catch (error) {
      if (!alarmed) options.onAlarm('views cannot be written', error)
      alarmed = true
      timer = setTimeout(tryToWrite, AGAIN_AFTER)
    }
  }

  return {
    /** Called when there may be something to write. */
    tick: (): void => {
      if (pending.count() >= CHUNK && !alarmed) tryToWrite()
      if (pending.count() > 0 || snapshots.size > 0) timer ??= setTimeout(tryToWrite, WRITE_AFTER)
    },
    /** Resolves when there is room for more rows, or when stopped. */
    room: async (signal: AbortSignal): Promise<void> => {
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      while (pending.count() >= PENDING_MAX && !signal.aborted) await Promise.race([room.promise, stopped])
    },
    keepSnapshot: (stream: string, snapshot: () => Snapshot): void => {
      snapshots.set(stream, snapshot)
    },
    close: (): void => {
      clearTimeout(timer)
      try {
        write()
      } catch (error) {
        if (!alarmed) options.onAlarm('views cannot be written', error)
      } finally {
        clearTimeout(timer)
        file.close()
      }
    },
  }
}

/** Folds the log into documents, in its order, and answers from them. */
export const openViews = async (options: ViewsOptions): Promise<Views> => {
  const { store, projections } = options
  const file = await openUsableFile(options)
  let progress: Progress = file.progress() ?? { logId: store.logId, position: -1, mark: BEGINNING, eventId: '' }
  let caughtUp = false
  let down = false
  const pending = makePending(projections, file)
  const waiters = makeWaiters()
  const waitersForPositions = makeWaiters()
  const writer = makeWriter(file, pending, options, () => progress)
  const stop = new AbortController()

  const follow = async (): Promise<void> => {
    for await (const batch of store.subscribe(progress.mark, stop.signal)) {
      if (down) options.onRecovery('the event store is read again')
      down = false
      for (const event of batch.events) {
        const position = progress.position + 1
        pending.fold(event, position)
        progress = { logId: store.logId, position, mark: event.mark, eventId: event.id }
      }
      caughtUp ||= batch.caughtUp
      waiters.wake(progress.mark)
      waitersForPositions.wake(progress.position)
      writer.tick()
      if (pending.count() >= PENDING_MAX) await writer.room(stop.signal)
    }
  }

  const followAgainAndAgain = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await follow()
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) return options.onFatal(error)
        if (!down) options.onAlarm('the event store cannot be read', error)
        down = true
        await delay(AGAIN_AFTER, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
  }
  const followed = followAgainAndAgain()

  return {
    position: () => progress.position,
    caughtUp: () => caughtUp,
    newest: pending.newest,
    asOf: pending.asOf,
    reached: (mark, within) => (mark <= progress.mark ? Promise.resolve(true) : waiters.wait(mark, within)),
    cameTo: (position, within) =>
      position <= progress.position ? Promise.resolve(true) : waitersForPositions.wait(position, within),
    fromLog: makeFromLog(store, projections),
    readSnapshot: (stream) => {
      try {
        return file.snapshot(stream)
      } catch {
        // It only saves reading: without it the stream is folded from its beginning.
        return undefined
      }
    },
    keepSnapshot: writer.keepSnapshot,
    close: async () => {
      stop.abort()
      await followed
      writer.close()
    },
  }
}
