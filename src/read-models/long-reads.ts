import { TooManyCalls } from '../concurrency/calls.ts'
import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { SQLITE, sqliteCode } from '../files/sqlite.ts'
import type { AvailablePage, AvailableQuery } from './availability/available.ts'
import type { Shape } from './file/schema.ts'
import type { ListPage, Lists, ReservationListQuery, SutListQuery } from './lists/lists.ts'

type AlwaysShort = 'seriesReservations' | 'heldBy' | 'lastEnds' | 'turnaroundsOf' | 'histories' | 'sessionEvents'

/** List reads that may take long, by name. */
export interface ListReads extends Omit<Lists, 'isShort' | 'past' | AlwaysShort> {
  readonly available: (query: AvailableQuery) => AvailablePage
  readonly pastReservations: (query: ReservationListQuery, asOf: PublicPosition) => ListPage
  readonly pastSuts: (query: SutListQuery, asOf: PublicPosition) => ListPage
}

/** A list and the public position that it shows. */
export interface ListResult<A> {
  readonly position: PublicPosition
  readonly listed: A
}

/** Reads a list; undefined while lists cannot be read. */
export type ReadList = <Name extends keyof ListReads>(
  name: Name,
  ...args: Parameters<ListReads[Name]>
) => Promise<ListResult<ReturnType<ListReads[Name]>>> | undefined

/** The worker thread's start data. */
export interface ReaderOptions {
  readonly path: string
  readonly projections: readonly Shape[]
}

export interface ReaderThread {
  readonly read: (name: keyof ListReads, args: readonly unknown[]) => ListResult<never>
}

/** Reads that may wait for the worker thread; more are refused. */
const WAITING_MAX = 32

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

interface LocalReads {
  /** Undefined while lists do not show everything folded. */
  readonly lists: () => Lists | undefined
  readonly position: () => PublicPosition
  /** Commits, so that the worker thread sees everything; false while nothing can be written. */
  readonly commit: () => boolean
}

/** Reads a short list at once, and a long one in the worker thread. */
export const readHereOrInThread =
  ({ read }: Pick<ReturnType<typeof openLongReader>, 'read'>, { lists, position, commit }: LocalReads): ReadList =>
  (name, ...args) => {
    const here = lists()
    if (here === undefined) return undefined
    if (name in here.isShort) {
      const short = name as keyof Lists['isShort']
      const isShort = here.isShort[short] as (...args: unknown[]) => boolean
      const readHere = here[short] as (...args: unknown[]) => never
      if (isShort(...args)) return Promise.resolve({ position: position(), listed: readHere(...args) })
    }
    return commit() ? read(name, ...args) : undefined
  }

/**
 * Reads the views in a worker thread, started on first use. It sees committed rows only.
 *
 * @param onError called with SQLite errors of that thread
 */
export const openLongReader = ({ path, projections }: ReaderOptions, onError: (error: Error) => void) => {
  const workerData: ReaderOptions = { path, projections: projections.map(({ name, version }) => ({ name, version })) }
  const thread = openThread<ReaderThread>({
    module: new URL('./long-reads-worker.ts', import.meta.url),
    start: { workerData },
    callsMax: WAITING_MAX,
    isReplaced: true,
    onEnded: ({ cause }) => cause instanceof Error && onError(cause),
  })

  const fail = (error: Error): never => {
    if (error instanceof TooManyCalls) throw new StoreUnavailable('too many long lists are being read')
    if (error instanceof ThreadEnded) throw toUnavailable(error)
    onError(error)
    throw isOfTheFile(error) ? toUnavailable(error) : error
  }

  return {
    read: async <Name extends keyof ListReads>(
      name: Name,
      ...args: Parameters<ListReads[Name]>
    ): Promise<ListResult<ReturnType<ListReads[Name]>>> => {
      // What has begun to be sent goes on. There are few such lists.
      while (name === 'csvRows' && thread.room() !== undefined) await thread.room()
      return thread.call('read', [name, args]).catch(fail)
    },
    close: thread.terminate,
  }
}
