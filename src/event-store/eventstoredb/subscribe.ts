import { type Batch, BEGINNING, type EventStore } from '../event-store.ts'
import { makeSubscription, readEvent, type StoreEvent } from './server/all.ts'
import type { ReadCall } from './server/client.ts'
import { type Connection, toUnavailable } from './server/connection.ts'
import type { LogEvents } from './server/records.ts'

/**
 * Buffered events. A node drops a subscriber to which it cannot send more than some 64 new events. This buffer, and the
 * flow control window before it, absorb events while this process is busy.
 */
const BUFFER_MAX = 4_096
/** Events per page. */
const PAGE = 256

/** Buffered input of a subscription, and why it ended. */
interface Inflow<A> {
  /** Resolves to true when the node starts sending, to false if it will not. */
  readonly confirmed: Promise<boolean>
  /** Waits for events and returns up to a page; empty once the signal is aborted. */
  readonly take: () => Promise<readonly A[]>
  readonly close: () => void
}

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

/** Reads events from the wire into the buffer until it is full. */
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
    // Also fails after the last event was read.
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
  /** Store position where the log begins. Earlier events are not ours. */
  readonly begun: () => number
  /** Aborted when the store is closed. */
  readonly closing: AbortSignal
}

/** Lets a stopped subscription return without waiting for the store. */
const waitForAbort = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/**
 * Our events in `$all` after a store position: first the existing ones, then new ones. Does not reconnect, since the
 * consumer knows best where to resume.
 *
 * @throws StoreUnavailable if the connection is lost, after all received events were yielded
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
  // The server's own caught-up message may repeat, and not every version sends it.
  const target = await Promise.race([head(), waitForAbort(stop)])
  if (target === undefined) return
  const started = Promise.withResolvers<Inflow<A> | undefined>()
  const freed = Promise.withResolvers<void>()
  let inflow: Inflow<A> | undefined
  // Also while it is queued for a call, or the buffer is full.
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
    // Nobody waits for a call that has not begun.
    if (inflow !== undefined) freed.reject(error)
    throw toUnavailable('the log cannot be followed', error, ' to $all')
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
