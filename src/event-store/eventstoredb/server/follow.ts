import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { laterPosition, type StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, StoreUnavailable } from '../../event-store.ts'
import { type ReadCall, type StoreConnection, toUnavailable } from './connection.ts'
import { type LogEvents, readEvent, type StoreEvent, subscriptionRequest } from './read.ts'
import type { Silence } from './silence.ts'

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

/** Events of a subscription that have arrived, and not been taken yet. */
const makeBuffer = <A extends Positioned>() => {
  const events: A[] = []
  const confirmed = Promise.withResolvers<boolean>()
  let changed = Promise.withResolvers<void>()
  let call: ReadCall | undefined
  let ended: { readonly error: unknown } | undefined
  let arrived: StorePosition | undefined
  let responses = 0
  const end = (error: unknown = new Error('the subscription has ended')): void => {
    ended ??= { error }
    confirmed.resolve(false)
    changed.resolve()
  }

  const take = (response: streams.ReadResp, as: (event: StoreEvent) => A | undefined): void => {
    responses++
    if (response.hasConfirmation()) confirmed.resolve(true)
    const event = readEvent(response)
    const one = event && as(event)
    if (one === undefined) return
    events.push(one)
    arrived = one.storePosition
    changed.resolve()
    if (events.length >= BUFFER_MAX) call?.pause()
  }

  return {
    /** Begins to receive, after a position. */
    receive: (from: ReadCall, after: StorePosition, as: (event: StoreEvent) => A | undefined): void => {
      call = from
      arrived = after
      const late = new StoreUnavailable('the event store does not confirm the subscription')
      const timer = setTimeout(end, CONFIRM_TIMEOUT_MS, late)
      void confirmed.promise.then(() => clearTimeout(timer))
      from
        .on('data', (response) => {
          try {
            if (ended === undefined) take(response, as)
          } catch (error) {
            from.pause()
            end(error)
          }
        })
        // Also fails after the last event was read.
        .on('error', end)
        .on('end', () => end())
        .on('close', () => end())
    },
    /** Resolves when the node starts sending. False if it will not: then `next` throws. */
    confirmed: confirmed.promise,
    /** As of WatchedSubscription. */
    arrived: () => arrived,
    responses: () => responses,
    isPaused: () => call?.isPaused() ?? false,
    /** Makes `next` throw once it has returned what had arrived. */
    end,
    /** Waits for events and returns up to a page. */
    next: async (): Promise<readonly A[]> => {
      while (events.length === 0) {
        if (ended !== undefined) throw ended.error
        changed = Promise.withResolvers()
        await changed.promise
      }
      const page = events.splice(0, PAGE)
      if (ended === undefined && call?.isPaused() && events.length < BUFFER_MAX) call.resume()
      return page
    },
  }
}

interface FollowOptions {
  readonly connection: StoreConnection
  readonly closing: AbortSignal
  readonly silence: Pick<Silence, 'subscribed'>
  readonly events: LogEvents
  /** Store position of the last event. */
  readonly head: () => Promise<StorePosition>
  /** Store position after which the log begins. */
  readonly begun: () => StorePosition
}

/** Follows the log in `$all`. */
export const makeFollow = ({ connection, closing, silence, events, head, begun }: FollowOptions) =>
  /**
   * The events after a store position: first the existing ones, then new ones. Does not reconnect, since the consumer
   * knows best where to resume.
   *
   * @param as converts an event of the log
   * @throws StoreUnavailable if the connection is lost, after all received events were yielded
   */
  async function* follow<A extends Positioned>(
    as: (event: StoreEvent) => A,
    after: StorePosition,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly events: readonly A[]; readonly caughtUp: boolean }> {
    const stop = AbortSignal.any([signal, closing])
    if (stop.aborted) return
    let last = laterPosition(after, BEGINNING)
    const buffer = makeBuffer<A>()
    // Rejects at once while the store is waited for, also for its place among the calls.
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => undefined)
    const end = (error: Error): void => {
      over.reject(error)
      buffer.end(error)
    }
    const abort = (): void => end(new StoreUnavailable('the subscription was stopped'))
    const watched = silence.subscribed({
      ...buffer,
      fail: () => end(new StoreUnavailable('the event store stopped sending to this subscription')),
    })
    stop.addEventListener('abort', abort)
    let cause: unknown
    let calling: Promise<ReadCall> | undefined
    let leasing: ReturnType<StoreConnection['lease']> | undefined
    try {
      // The server's own caught-up message may repeat, and not every version sends it.
      const target = await Promise.race([head(), over.promise])
      leasing = connection.lease()
      const { client } = await Promise.race([leasing, over.promise])
      calling = client.read(subscriptionRequest(events.prefixes, laterPosition(last, begun())), {})
      const call = await Promise.race([calling, over.promise])
      buffer.receive(call, last, (event) => (events.isOurs(event) ? as(event) : undefined))
      if (await buffer.confirmed) {
        watched.confirm()
        if (last >= target) yield { events: [], caughtUp: true }
      }
      for (;;) {
        const page = await buffer.next()
        if (stop.aborted) return
        last = page.at(-1)?.storePosition ?? last
        yield { events: page, caughtUp: last >= target }
      }
    } catch (error) {
      if (stop.aborted) return
      cause = error
      throw toUnavailable('the log cannot be followed', error, ' to $all')
    } finally {
      watched.remove()
      stop.removeEventListener('abort', abort)
      buffer.end()
      // What was still on its way, too.
      void calling?.then((call) => call.cancel()).catch(() => undefined)
      void leasing?.then(({ release }) => release(cause)).catch(() => undefined)
    }
  }
