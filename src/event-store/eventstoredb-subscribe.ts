import {
  type AllStreamSubscription,
  type ReadPosition,
  type RecordedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { type Batch, BEGINNING, type EventStore } from './event-store.ts'
import { type Connection, unavailable } from './eventstoredb-connection.ts'
import type { LogEvents } from './eventstoredb-records.ts'

/** Events taken off the wire and not yet asked for: a server cuts off who is slow to take them. */
const BUFFER_MAX = 2_048
/** Events given at a time. */
const PAGE = 256

/** What has come in, and why no more will. */
interface Inflow<A> {
  /** Up to a page of events, when there are any; none once the signal is aborted. */
  readonly take: () => Promise<readonly A[]>
  readonly close: () => void
}

/** Takes events off the wire as they come, up to as many as the buffer holds. */
const startInflow = <A>(
  subscription: AllStreamSubscription,
  signal: AbortSignal,
  as: (event: RecordedEvent) => A | undefined,
): Inflow<A> => {
  let buffer: A[] = []
  let ended: { readonly error?: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  const tell = (): void => changed.resolve()
  const end = (error?: unknown): void => {
    ended ??= { error }
    tell()
  }
  signal.addEventListener('abort', tell)

  // Listened to rather than iterated over, which would cost a promise for every event.
  subscription
    .on('data', ({ event }) => {
      if (ended !== undefined || event === undefined) return
      try {
        const one = as(event)
        if (one === undefined) return
        buffer.push(one)
      } catch (error) {
        subscription.pause()
        return end(error)
      }
      tell()
      if (buffer.length >= BUFFER_MAX) subscription.pause()
    })
    // It also fails after the last event was asked for.
    .on('error', end)
    .on('end', end)
    .on('close', end)

  return {
    take: async () => {
      while (buffer.length === 0 && !signal.aborted) {
        if (ended !== undefined) throw ended.error ?? new Error('the subscription has ended')
        changed = Promise.withResolvers()
        await changed.promise
      }
      if (signal.aborted) return []
      const events = buffer.slice(0, PAGE)
      buffer = buffer.slice(PAGE)
      if (ended === undefined && subscription.isPaused()) subscription.resume()
      return events
    },
    close: () => {
      end()
      signal.removeEventListener('abort', tell)
      void subscription.unsubscribe().catch(() => undefined)
      subscription.destroy()
    },
  }
}

interface Followed {
  readonly connection: Connection
  readonly events: LogEvents
  readonly head: EventStore['head']
  /** Aborted when the store is closed. */
  readonly closing: AbortSignal
}

/** Whoever stops does not wait for a store that does not answer. */
const abortOf = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/**
 * Every event of ours in `$all` behind a mark, first those there are and then each as it comes. It does not come back by
 * itself: who consumes it knows best where to go on.
 *
 * @throws StoreUnavailable when the connection is lost, after everything that had come in was given
 */
async function* followAll<A extends { readonly mark: number }>(
  { connection, events: { prefixes, isOurs }, head, closing }: Followed,
  as: (event: RecordedEvent) => A,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly events: readonly A[]; readonly caughtUp: boolean }> {
  const stop = AbortSignal.any([signal, closing])
  if (stop.aborted) return
  let last = Math.max(after, BEGINNING)
  // What the server says of having caught up comes more than once, and not from every version.
  const target = await Promise.race([head(), abortOf(stop)])
  if (target === undefined) return
  const started = Promise.withResolvers<Inflow<A> | undefined>()
  const freed = Promise.withResolvers<void>()
  let inflow: Inflow<A> | undefined
  // Also where it still waits for its turn, or nobody comes for what there is.
  const end = (): void => {
    inflow?.close()
    freed.resolve()
    started.resolve(undefined)
  }
  stop.addEventListener('abort', end)
  const held = connection.use(async (client) => {
    if (stop.aborted) return end()
    const position = { commit: BigInt(Math.max(last, 0)), prepare: BigInt(Math.max(last, 0)) }
    const fromPosition: ReadPosition = last === BEGINNING ? START : position
    const options = { fromPosition, filter: streamNameFilter({ prefixes }), credentials: connection.credentials }
    const ours = (event: RecordedEvent): A | undefined => (isOurs(event) ? as(event) : undefined)
    started.resolve(startInflow(client.subscribeToAll(options), stop, ours))
    await freed.promise
  })
  held.catch(started.reject)
  try {
    inflow = await started.promise
    if (inflow === undefined) return
    if (last >= target) yield { events: [], caughtUp: true }
    for (;;) {
      const events = await inflow.take()
      if (events.length === 0) return
      last = events.at(-1)?.mark ?? last
      yield { events, caughtUp: last >= target }
    }
  } catch (error) {
    freed.reject(error)
    throw unavailable('the log cannot be followed', error)
  } finally {
    stop.removeEventListener('abort', end)
    end()
  }
}

export const makeSubscribe =
  (followed: Followed): EventStore['subscribe'] =>
  (after, signal): AsyncIterable<Batch> =>
    followAll(followed, followed.events.logged, after, signal)

export const makeRecords = (followed: Followed): EventStore['records'] =>
  async function* records(after) {
    if ((await followed.head()) <= after) return
    for await (const { events, caughtUp } of followAll(
      followed,
      followed.events.asItLies,
      after,
      new AbortController().signal,
    )) {
      yield events
      if (caughtUp) return
    }
  }
