import { Worker } from 'node:worker_threads'
import type { Window } from '../domain/calendar/window.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { SQLITE, sqliteCode } from '../files/sqlite.ts'
import type { Shape } from './file/schema.ts'
import type { Lists, Page, ReservationQuery, SessionQuery, SutQuery } from './lists/lists.ts'
import type { Moment } from './tables/time-index.ts'

/** List reads that may take long, by name. */
export interface ListReads {
  readonly reservations: (query: ReservationQuery) => Page
  readonly suts: (query: SutQuery) => Page
  readonly sessions: (query: SessionQuery) => Page
  readonly outages: Lists['outages']
  readonly held: (sutId: string, span: Window) => readonly Window[]
  readonly upcoming: Lists['upcoming']
  readonly unrecorded: Lists['unrecorded']
  readonly endedSince: Lists['endedSince']
  readonly unfinishedUsage: Lists['unfinishedUsage']
  readonly finishedUsage: Lists['finishedUsage']
  readonly used: Lists['used']
  readonly holders: Lists['holders']
  readonly isHolder: Lists['isHolder']
  readonly csvRows: Lists['csvRows']
  readonly pastReservations: (query: ReservationQuery, moment: Moment) => Page
  readonly pastSuts: (query: SutQuery, moment: Moment) => Page
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

/** A message to the worker thread, and its reply. */
export interface ReadRequest {
  readonly id: number
  readonly name: keyof ListReads
  readonly given: readonly unknown[]
}
export type ReadResult =
  | { readonly id: number; readonly shown: ListResult<unknown> }
  | { readonly id: number; readonly failed: { readonly message: string; readonly errcode: number | undefined } }

/** Reads that may wait for the worker thread; more are refused. */
const WAITING_MAX = 32

interface Waiting {
  readonly resolve: (shown: ListResult<never>) => void
  readonly reject: (error: Error) => void
}

/** Recreates a SQLite error of the worker thread. */
const errorOf = (failed: { readonly message: string; readonly errcode: number | undefined }): Error =>
  Object.assign(new Error(failed.message), { errcode: failed.errcode })

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

export interface LongReader {
  readonly read: <Name extends keyof ListReads>(
    name: Name,
    ...args: Parameters<ListReads[Name]>
  ) => Promise<ListResult<ReturnType<ListReads[Name]>>>
  readonly close: () => Promise<void>
}

interface LocalReads {
  /** Undefined while lists do not show everything folded. */
  readonly lists: () => Lists | undefined
  readonly position: () => PublicPosition
  /** Commits, so that the worker thread sees everything; false while nothing can be written. */
  readonly commit: () => boolean
}

/** Reads a short list at once, and a long one in the worker thread. */
export const readHereOrInThread =
  ({ read }: Pick<LongReader, 'read'>, { lists, position, commit }: LocalReads): ReadList =>
  (name, ...given) => {
    const here = lists()
    if (here === undefined) return undefined
    if (name in here.isShort) {
      const short = name as keyof Lists['isShort']
      const isShort = here.isShort[short] as (...given: unknown[]) => boolean
      const readHere = here[short] as (...given: unknown[]) => never
      if (isShort(...given)) return Promise.resolve({ position: position(), listed: readHere(...given) })
    }
    return commit() ? read(name, ...given) : undefined
  }

/**
 * Reads the views in a worker thread, started on first use. It sees committed rows only.
 *
 * @param onError called with SQLite errors of that thread
 */
export const openLongReader = (begin: ReaderOptions, onError: (error: Error) => void): LongReader => {
  const workerData: ReaderOptions = {
    path: begin.path,
    projections: begin.projections.map(({ name, version }) => ({ name, version })),
  }
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0

  const fail = (error: Error): void => {
    worker = undefined
    const unavailable = toUnavailable(error)
    for (const { reject } of waiting.values()) reject(unavailable)
    waiting.clear()
  }

  const take = (result: ReadResult): void => {
    const asking = waiting.get(result.id)
    waiting.delete(result.id)
    if ('shown' in result) asking?.resolve(result.shown as ListResult<never>)
    else {
      const error = errorOf(result.failed)
      onError(error)
      asking?.reject(isOfTheFile(error) ? toUnavailable(error) : error)
    }
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./long-reads-worker.ts', import.meta.url), { workerData })
    // The thread must not keep the process alive; whoever waits for a read does.
    started.unref()
    started.on('message', take)
    started.on('error', (error: Error) => {
      onError(error)
      fail(error)
    })
    started.on('exit', () => started === worker && fail(new Error('the thread has ended')))
    return started
  }

  return {
    read: (name, ...given) =>
      new Promise<ListResult<never>>((resolve, reject) => {
        // What has begun to be sent goes on. There are few such lists.
        if (waiting.size >= WAITING_MAX && name !== 'csvRows')
          return reject(new StoreUnavailable('too many long lists are being read'))
        worker ??= start()
        const id = ++last
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, name, given } satisfies ReadRequest)
      }),
    close: async () => {
      const ending = worker
      fail(new Error('the service stops'))
      await ending?.terminate()
    },
  }
}
