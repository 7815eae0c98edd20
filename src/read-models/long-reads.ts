import { Worker } from 'node:worker_threads'
import type { Window } from '../domain/calendar/window.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Shape } from './file/schema.ts'
import type { Lists, Page, ReservationQuery, SutQuery } from './lists/lists.ts'
import type { Moment } from './tables/time-index.ts'

/** Reads of lists that may take long, by name. */
export interface ListReads {
  readonly reservations: (query: ReservationQuery) => Page
  readonly suts: (query: SutQuery) => Page
  readonly held: (sutId: string, span: Window) => readonly Window[]
  readonly pastReservations: (query: ReservationQuery, moment: Moment) => Page
  readonly pastSuts: (query: SutQuery, moment: Moment) => Page
}

/** What another thread has read, and the public position that it shows. */
export interface ListResult<A> {
  readonly position: number
  readonly listed: A
}

/** Reads a list; undefined while none can be read. */
export type ReadList = <Name extends keyof ListReads>(
  name: Name,
  ...args: Parameters<ListReads[Name]>
) => Promise<ListResult<ReturnType<ListReads[Name]>>> | undefined

/** What the thread begins with. */
export interface ReaderOptions {
  readonly path: string
  readonly projections: readonly Shape[]
}

/** What it is asked, and what it answers to that. */
export interface ReadRequest {
  readonly id: number
  readonly name: keyof ListReads
  readonly given: readonly unknown[]
}
export type ReadResult =
  | { readonly id: number; readonly shown: ListResult<unknown> }
  | { readonly id: number; readonly failed: { readonly message: string; readonly errcode: number | undefined } }

/** Reads that wait for the thread; further ones are refused. */
const WAITING_MAX = 32

interface Waiting {
  readonly resolve: (shown: ListResult<never>) => void
  readonly reject: (error: Error) => void
}

/** The error of SQLite that the other thread met. */
const errorOf = (failed: { readonly message: string; readonly errcode: number | undefined }): Error =>
  Object.assign(new Error(failed.message), { errcode: failed.errcode })

export interface LongReader {
  readonly read: ReadList
  readonly close: () => Promise<void>
}

interface LocalReads {
  /** Undefined while they do not show everything. */
  readonly lists: () => Lists | undefined
  readonly position: () => number
  /** Shows the other thread everything; false while nothing can be written. */
  readonly commit: () => boolean
}

/** Reads a short list at once, and a long one in the other thread. */
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
 * Reads the file of documents in a thread of its own, which is started when it is first asked. It sees what has been
 * committed.
 *
 * @param onError told of what SQLite says there
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
    const unavailable = new StoreUnavailable(`lists cannot be read: ${error.message}`, { cause: error })
    for (const { reject } of waiting.values()) reject(unavailable)
    waiting.clear()
  }

  const take = (told: ReadResult): void => {
    const asking = waiting.get(told.id)
    waiting.delete(told.id)
    if ('shown' in told) asking?.resolve(told.shown as ListResult<never>)
    else {
      const error = errorOf(told.failed)
      onError(error)
      asking?.reject(error)
    }
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./long-reads-worker.ts', import.meta.url), { workerData })
    // What is waited for keeps the process, not the thread.
    started.unref()
    started.on('message', take)
    started.on('error', fail)
    started.on('exit', () => started === worker && fail(new Error('the thread has ended')))
    return started
  }

  return {
    read: (name, ...given) =>
      new Promise<ListResult<never>>((resolve, reject) => {
        if (waiting.size >= WAITING_MAX) return reject(new StoreUnavailable('too many long lists are being read'))
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
