import { type Batch, BEGINNING, type EventStore } from '../event-store.ts'
import { makeSubscription, readEvent, type StoreEvent } from './server/all.ts'
import type { ReadCall } from './server/client.ts'
import { type Connection, toUnavailable } from './server/connection.ts'
import type { LogEvents } from './server/records.ts'

/**
 * Events taken off the wire and not asked for yet. A node cuts off a subscriber to whom it cannot send more than some 64
 * new events, so that this buffer, and the flow control window before it, hold what comes while this process is busy.
 */
const BUFFER_MAX = 4_096
/** Events given at a time. */
const PAGE = 256

/** What has come in, and why no more will. */
interface Inflow<A> {
  /** Resolves when the node has begun to send, or to false when it will not. */
  readonly confirmed: Promise<boolean>
  /** Up to a page of events, when there are any; none once the signal is aborted. */
  readonly take: () => Promise<readonly A[]>
  readonly close: () => void
}

/** A queue of pages. */
const makePages = <A>() => {
  const pages: A[][] = []
  let size = 0
  return {
    size: () => size,
    add: (one: A): void => {
      const last = pages.at(-1)
      if (last === undefined || last.length >= PAGE) pages.push([one])
      else last.push(one)
      size++
    },
    take: (): readonly A[] => {
      const page = pages.shift() ?? []
      size -= page.length
      return page
    },
  }
}

/** Takes events off the wire as they come, up to as many as the buffer holds. */
const startInflow = <A>(call: ReadCall, signal: AbortSignal, as: (event: StoreEvent) => A | undefined): Inflow<A> => {
  const pages = makePages<A>()
  let ended: { readonly error?: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  const confirmed = Promise.withResolvers<boolean>()
  const wake = (): void => changed.resolve()
  const end = (error?: unknown): void => {
    ended ??= { error }
    confirmed.resolve(false)
    wake()
  }
  signal.addEventListener('abort', wake)

  call
    .on('data', (response) => {
      if (ended !== undefined) return
      if (response.hasConfirmation()) confirmed.resolve(true)
      try {
        const event = readEvent(response)
        const one = event && as(event)
        if (one === undefined) return
        pages.add(one)
      } catch (error) {
        call.pause()
        return end(error)
      }
      wake()
      if (pages.size() >= BUFFER_MAX) call.pause()
    })
    // It also fails after the last event was asked for.
    .on('error', end)
    .on('end', end)
    .on('close', end)

  return {
    confirmed: confirmed.promise,
    take: async () => {
      while (pages.size() === 0 && !signal.aborted) {
        if (ended !== undefined) throw ended.error ?? new Error('the subscription has ended')
        changed = Promise.withResolvers()
        await changed.promise
      }
      if (signal.aborted) return []
      const events = pages.take()
      if (ended === undefined && call.isPaused() && pages.size() < BUFFER_MAX) call.resume()
      return events
    },
    close: () => {
      end()
      signal.removeEventListener('abort', wake)
      call.cancel()
    },
  }
}

interface LogSource {
  readonly connection: Connection
  readonly events: LogEvents
  readonly head: EventStore['head']
  /** The mark with which the log begins: what was written before is others'. */
  readonly begun: () => number
  /** Aborted when the store is closed. */
  readonly closing: AbortSignal
}

/** Whoever stops does not wait for a store that does not answer. */
const waitForAbort = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/**
 * Every event of ours in `$all` behind a mark, first those there are and then each as it comes. It does not come back by
 * itself: who consumes it knows best where to go on.
 *
 * @throws StoreUnavailable when the connection is lost, after everything that had come in was given
 */
async function* followAll<A extends { readonly mark: number }>(
  { connection, events: { prefixes, isOurs }, head, begun, closing }: LogSource,
  as: (event: StoreEvent) => A,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly events: readonly A[]; readonly caughtUp: boolean }> {
  const stop = AbortSignal.any([signal, closing])
  if (stop.aborted) return
  let last = Math.max(after, BEGINNING)
  // What the server says of having caught up comes more than once, and not from every version.
  const target = await Promise.race([head(), waitForAbort(stop)])
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
    const call = await client.read(makeSubscription(prefixes, Math.max(last, begun())), {
      credentials: connection.credentials,
    })
    if (stop.aborted) {
      call.cancel()
      return end()
    }
    const ours = (event: StoreEvent): A | undefined => (isOurs(event) ? as(event) : undefined)
    started.resolve(startInflow(call, stop, ours))
    await freed.promise
  })
  held.catch(started.reject)
  try {
    inflow = await started.promise
    if (inflow === undefined) return
    const isConfirmed = await inflow.confirmed
    if (isConfirmed && last >= target) yield { events: [], caughtUp: true }
    for (;;) {
      const events = await inflow.take()
      if (events.length === 0) return
      last = events.at(-1)?.mark ?? last
      yield { events, caughtUp: last >= target }
    }
  } catch (error) {
    freed.reject(error)
    throw toUnavailable('the log cannot be followed', error)
  } finally {
    stop.removeEventListener('abort', end)
    end()
  }
}

export const makeSubscribe =
  (followed: LogSource): EventStore['subscribe'] =>
  (after, signal): AsyncIterable<Batch> =>
    followAll(followed, followed.events.toLogged, after, signal)

export const makeRecords = (followed: LogSource): EventStore['records'] =>
  async function* records(after) {
    if ((await followed.head()) <= after) return
    for await (const { events, caughtUp } of followAll(
      followed,
      followed.events.toStoredRecord,
      after,
      new AbortController().signal,
    )) {
      yield events
      if (caughtUp) return
    }
  }
