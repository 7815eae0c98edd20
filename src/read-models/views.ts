import { setTimeout as delay } from 'node:timers/promises'
import type { Projection } from '../../projections/projection.ts'
import type { Snapshot } from '../domain/decider.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type FromLog, makeFromLog } from './from-log.ts'
import type { Lists } from './lists.ts'
import { makePending, type Pending } from './pending.ts'
import { makePlace, type Place } from './place.ts'
import { beforeTheFirst, continues } from './progress.ts'
import { openUsableFile, type UsableFileOptions } from './usable-file.ts'
import { type Alarms, makeWriter, type Writer } from './write-behind.ts'

/** Milliseconds before the nth attempt to subscribe again, with jitter, so that instances do not come all at once. */
const pauseBefore = (failures: number): number =>
  failures <= 1 ? 0 : Math.min(25 * 2 ** failures, 1_000) * (0.5 + Math.random() / 2)

export interface ViewsOptions extends UsableFileOptions, Alarms {}

export interface Views extends Pick<Pending, 'newest' | 'asOf'>, Pick<Place, 'reached' | 'cameTo'> {
  /** The public position of the last event folded, -1 before the first. */
  readonly position: () => number
  /** The store's own place of it. */
  readonly mark: () => number
  /** Whether everything that was in the store when it was opened has been folded. */
  readonly caughtUp: () => boolean
  /** Rows that are not in the file yet. */
  readonly pendingRows: () => number
  /** A document from its stream alone: slow, but right when these rows cannot keep up. */
  readonly fromLog: (name: Projection['name'], id: string, revision: number, stream: string) => Promise<FromLog>
  /** Lists that show everything folded so far; undefined while no rows can be written to read them from. */
  readonly lists: () => Lists | undefined
  readonly readSnapshot: (stream: string) => Snapshot | undefined
  /** Keeps a folded state; it is written with the rows. */
  readonly keepSnapshot: (stream: string, snapshot: () => Snapshot) => void
  /** Writes what is pending and closes. */
  readonly close: () => Promise<void>
}

interface Followed {
  readonly options: ViewsOptions
  readonly place: Place
  readonly pending: Pending
  readonly writer: Writer
  readonly signal: AbortSignal
}

/** The log is not the one that was folded so far, or no longer: nothing may be answered from it. */
const isAnother = (): StoreUnavailable =>
  new StoreUnavailable('the log does not go on from what was read of it: it was cut off, or put back from a copy')

/**
 * Folds what the store gives until the signal. A connection that is lost is made again from where it was lost, at once
 * if it has brought anything, and again and again with an alarm if it has not.
 */
const follow = async ({ options, place, pending, writer, signal }: Followed): Promise<void> => {
  const { store, onAlarm, onRecovery, onFatal } = options
  let failures = 0

  const fold = async (): Promise<void> => {
    if (!(await continues(store, place.now()))) throw isAnother()
    for await (const batch of store.subscribe(place.now().mark, signal)) {
      if (failures > 1) onRecovery('the event store is read again', 'store')
      failures = 0
      for (const event of batch.events) pending.fold(event, place.advance(event))
      place.arrive(batch)
      writer.tick()
      if (!writer.isFull()) continue
      place.halt()
      await writer.room(signal)
      place.goOn()
    }
  }

  while (!signal.aborted) {
    try {
      await fold()
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) return onFatal(error)
      if (++failures === 2) onAlarm('the event store cannot be read', error, 'store')
      await delay(pauseBefore(failures), undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Folds the log into documents, in its order, and answers from them. */
export const openViews = async (options: ViewsOptions): Promise<Views> => {
  const { store, projections } = options
  const file = await openUsableFile(options)
  const place = makePlace(file.progress() ?? beforeTheFirst(store.logId))
  const pending = makePending(projections, file)
  const writer = makeWriter(file, pending, options, place.now)
  const stop = new AbortController()
  const followed = follow({ options, place, pending, writer, signal: stop.signal })
  return {
    position: () => place.now().position,
    mark: () => place.now().mark,
    caughtUp: place.isCaughtUp,
    pendingRows: pending.count,
    newest: pending.newest,
    asOf: pending.asOf,
    reached: place.reached,
    cameTo: place.cameTo,
    fromLog: makeFromLog(store, projections),
    lists: () => (writer.settle() ? file.lists : undefined),
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
