import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import { BEFORE_FIRST, type PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { SQLITE, sqliteCode } from '../files/sqlite.ts'
import type { ViewsFile } from './file/views-file.ts'
import type { Lists } from './lists/lists.ts'

/** A list and the public position that it shows. */
export interface ListResult<A> {
  readonly position: PublicPosition
  readonly listed: A
}

/** Reads a list of a file, with the position that the file has. */
export const makeListRead =
  ({ lists, progress }: Pick<ViewsFile, 'lists' | 'progress'>) =>
  <Name extends keyof Lists>(name: Name, args: Parameters<Lists[Name]>): ListResult<ReturnType<Lists[Name]>> => {
    const read = lists[name] as (...args: readonly unknown[]) => never
    return { position: progress()?.position ?? BEFORE_FIRST, listed: read(...args) }
  }

/** Reads a list; undefined while lists cannot be read. */
export type ReadList = <Name extends keyof Lists>(
  name: Name,
  ...args: Parameters<Lists[Name]>
) => Promise<ListResult<ReturnType<Lists[Name]>>> | undefined

export interface ReaderThread {
  readonly read: (name: keyof Lists, args: readonly unknown[]) => ListResult<never>
}

/** Lists that may wait for a worker thread; more are refused. */
const WAITING_MAX = 256

/** They go through all of a span, for up to a second: in a thread of their own, so that no list waits for them. */
const REPORTS: ReadonlySet<keyof Lists> = new Set(['usageReport', 'demandReport'])

const fileErrors: readonly (number | undefined)[] = [
  SQLITE.busy,
  SQLITE.ioError,
  SQLITE.corrupt,
  SQLITE.full,
  SQLITE.cannotOpen,
  SQLITE.notADatabase,
]

/** Whether the file is at fault, rather than the query. */
const isOfTheFile = (error: Error): boolean => fileErrors.includes(sqliteCode(error))

const toUnavailable = (error: Error): StoreUnavailable =>
  new StoreUnavailable(`lists cannot be read: ${error.message}`, { cause: error })

/** Reads lists in this thread, which waits for them: those of a short log, and short ones. */
export interface ListsHere {
  readonly isLogShort: () => boolean
  readonly read: ReturnType<typeof makeListRead>
}

/**
 * Reads lists and reports in a worker thread each, started on first use, so that nobody waits for a long one but those
 * who read lists. They see committed rows only.
 *
 * @param onError called with SQLite errors of lists
 */
export const openListReader = (path: string, onError: (error: Error) => void, here: ListsHere) => {
  const open = () =>
    openThread<ReaderThread>({
      module: new URL('./list-reader-worker.ts', import.meta.url),
      start: { workerData: path },
      callsMax: Number.POSITIVE_INFINITY,
      isReplaced: true,
      onEnded: ({ cause }) => cause instanceof Error && onError(cause),
    })
  const [lists, reports] = [open(), open()]

  const fail = (error: Error): never => {
    if (error instanceof ThreadEnded) throw toUnavailable(error)
    onError(error)
    throw isOfTheFile(error) ? toUnavailable(error) : error
  }

  const readNow: ListsHere['read'] = (name, args) => {
    try {
      return here.read(name, args)
    } catch (error) {
      return fail(error as Error)
    }
  }

  return {
    /** Reads a list in this thread. */
    readNow,
    read: async <Name extends keyof Lists>(
      name: Name,
      ...args: Parameters<Lists[Name]>
    ): Promise<ListResult<ReturnType<Lists[Name]>>> => {
      if (here.isLogShort()) return readNow(name, args)
      const thread = REPORTS.has(name) ? reports : lists
      // A list whose rows are being sent goes on. There are few such lists.
      if (thread.underWay() >= WAITING_MAX && name !== 'rows')
        throw new StoreUnavailable('too many lists are being read')
      return thread.call('read', [name, args]).catch(fail)
    },
    close: async (): Promise<void> => {
      await Promise.all([lists.terminate(), reports.terminate()])
    },
  }
}
