import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { laterPosition, type StorePosition } from '../../domain/values/position.ts'
import { type Batch, BEGINNING, type EventStore, StoreUnavailable } from '../event-store.ts'
import { makeSubscription, readEvent, type StoreEvent } from './server/all.ts'
import { type StoreConnection, toUnavailable } from './server/connection.ts'
import type { LogEvents } from './server/records.ts'
import type { ReadCall } from './server/store-client.ts'
import type { StoreSubscriptions } from './server/subscriptions.ts'

/**
 * Buffered events. A node drops a subscriber to which it cannot send more than some 64 new events. This buffer, and the
 * flow control window before it, absorb events while this process is busy.
 */
const BUFFER_MAX = 4_096
/** Events per page. */
const PAGE = 256
/** For the confirmation of a subscription: a frozen node accepts connections too. */
const CONFIRM_TIMEOUT_MS = 5_000

interface Positioned {
  readonly storePosition: StorePosition
}

/** @param end called if the confirmation does not come in time */
const inTime = async (confirmed: Promise<boolean>, end: (error: Error) => void): Promise<boolean> => {
  const late = new StoreUnavailable('the event store does not confirm the subscription')
  const timer = setTimeout(end, CONFIRM_TIMEOUT_MS, late)
  const isConfirmed = await confirmed
  clearTimeout(timer)
  return isConfirmed
}

type Inflow<A extends Positioned> = ReturnType<typeof startInflow<A>>

/** Reads events of a subscription from the wire into a buffer until it is full. */
const startInflow = <A extends Positioned>(
  call: ReadCall,
  signal: AbortSignal,
  as: (response: streams.ReadResp) => A | undefined,
  after: StorePosition,
) => {
  const buffer: A[] = []
  let arrived = after
  let ended: { readonly error?: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  const confirmed = Promise.withResolvers<boolean>()
  let responses = 0
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
      responses++
      if (response.hasConfirmation()) confirmed.resolve(true)
      try {
        const one = as(response)
        if (one === undefined) return
        buffer.push(one)
        arrived = one.storePosition
      } catch (error) {
        call.pause()
        return end(error)
      }
      wake()
      if (buffer.length >= BUFFER_MAX) call.pause()
    })
    // Also fails after the last event was read.
    .on('error', end)
    .on('end', end)
    .on('close', end)

  return {
    /** Waits until the node starts sending. False if it will not: then `take` throws. */
    isConfirmed: () => inTime(confirmed.promise, end),
    /** Store position of the last event that has arrived, or after which the subscription began. */
    arrived: () => arrived,
    responses: () => responses,
    isPaused: () => call.isPaused(),
    /** Makes `take` throw once it has returned what had arrived. */
    fail: end,
    /** Waits for events and returns up to a page; empty once the signal is aborted. */
    take: async (): Promise<readonly A[]> => {
      while (buffer.length === 0 && !signal.aborted) {
        if (ended !== undefined) throw ended.error ?? new Error('the subscription has ended')
        changed = Promise.withResolvers()
        await changed.promise
      }
      if (signal.aborted) return []
      const events = buffer.splice(0, PAGE)
      if (ended === undefined && call.isPaused() && buffer.length < BUFFER_MAX) call.resume()
      return events
    },
    close: (): void => {
      end()
      signal.removeEventListener('abort', wake)
      call.cancel()
    },
  }
}

interface LogSource {
  readonly connection: StoreConnection
  readonly events: LogEvents
  readonly head: EventStore['head']
  /** Store position where the log begins. Earlier events are not ours. */
  readonly begun: () => StorePosition
  /** Aborted when the store is closed. */
  readonly closing: AbortSignal
  /** Where a subscription is added while it runs. */
  readonly running?: StoreSubscriptions
}

/** Lets a stopped subscription return without waiting for the store. */
const waitForAbort = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/** A subscription's call, which waits for its place among the calls of the connection and keeps it to its end. */
const startCall = <A extends Positioned>(
  { connection, events: { prefixes, isOurs }, begun }: LogSource,
  as: (event: StoreEvent) => A,
  after: StorePosition,
  stop: AbortSignal,
) => {
  const started = Promise.withResolvers<Inflow<A> | undefined>()
  const freed = Promise.withResolvers<void>()
  let inflow: Inflow<A> | undefined
  let failure: Error | undefined
  const end = (): void => {
    inflow?.close()
    freed.resolve()
    started.resolve(undefined)
  }
  const held = connection.use(async (client) => {
    if (stop.aborted || failure !== undefined) return end()
    const request = makeSubscription(prefixes, laterPosition(after, begun()))
    const call = await client.read(request, {})
    const ours = (response: streams.ReadResp): A | undefined => {
      const event = readEvent(response)
      return event !== undefined && isOurs(event) ? as(event) : undefined
    }
    inflow = startInflow(call, stop, ours, after)
    if (stop.aborted) return end()
    if (failure !== undefined) {
      inflow.close()
      throw failure
    }
    started.resolve(inflow)
    await freed.promise
  })
  held.catch(started.reject)
  return {
    started: started.promise,
    inflow: () => inflow,
    /** Also while it is queued for a call, or the buffer is full. */
    end,
    /** The connection replaces its client. */
    fail: (error: unknown): void => {
      failure ??= error as Error
      started.reject(error)
      // Nobody waits for a call that has not begun.
      if (inflow !== undefined) freed.reject(error)
    },
  }
}

/**
 * Our events in `$all` after a store position: first the existing ones, then new ones. Does not reconnect, since the
 * consumer knows best where to resume.
 *
 * @throws StoreUnavailable if the connection is lost, after all received events were yielded
 */
async function* followAll<A extends Positioned>(
  source: LogSource,
  as: (event: StoreEvent) => A,
  after: StorePosition,
  signal: AbortSignal,
): AsyncGenerator<{ readonly events: readonly A[]; readonly caughtUp: boolean }> {
  const stop = AbortSignal.any([signal, source.closing])
  if (stop.aborted) return
  let last = laterPosition(after, BEGINNING)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  let call: ReturnType<typeof startCall<A>> | undefined
  const added = source.running?.add({
    arrived: () => call?.inflow()?.arrived(),
    responses: () => call?.inflow()?.responses() ?? 0,
    isPaused: () => call?.inflow()?.isPaused() ?? false,
    fail: () => {
      const error = new StoreUnavailable('the event store stopped sending to this subscription')
      failed.reject(error)
      call?.inflow()?.fail(error)
    },
  })
  const end = (): void => call?.end()
  stop.addEventListener('abort', end)
  try {
    // The server's own caught-up message may repeat, and not every version sends it.
    const target = await Promise.race([source.head(), waitForAbort(stop), failed.promise])
    if (target === undefined) return
    call = startCall(source, as, last, stop)
    const inflow = await Promise.race([call.started, failed.promise])
    if (inflow === undefined) return
    if (await inflow.isConfirmed()) {
      added?.confirm()
      if (last >= target) yield { events: [], caughtUp: true }
    }
    for (;;) {
      const events = await inflow.take()
      if (events.length === 0) return
      last = events.at(-1)?.storePosition ?? last
      yield { events, caughtUp: last >= target }
    }
  } catch (error) {
    call?.fail(error)
    throw toUnavailable('the log cannot be followed', error, ' to $all')
  } finally {
    added?.remove()
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
