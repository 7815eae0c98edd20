import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { laterPosition, type StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, StoreUnavailable } from '../../event-store.ts'
import { type ReadCall, type StoreClient, type StoreConnection, toUnavailable } from './connection.ts'
import { type LogEvents, readEvent, type StoreEvent, subscriptionRequest } from './read.ts'
import type { Silence, WatchedSubscription } from './silence.ts'

/**
 * Buffered events. A node drops a subscriber to which it cannot send more than some 64 new events. This buffer, and the
 * flow control window before it, absorb events while this process is busy.
 */
const BUFFER_MAX = 4_096
/** Events per page. */
const PAGE_SIZE = 256
/** For the confirmation of a subscription: a frozen node accepts connections too. */
const CONFIRM_TIMEOUT_MS = 5_000

interface Positioned {
  readonly storePosition: StorePosition
}

/** Receives events, which wait here until they are taken. */
class Subscription<A extends Positioned> implements WatchedSubscription {
  arrived: StorePosition | undefined
  responses = 0
  readonly #toEvent: (response: streams.ReadResp) => A | undefined
  readonly #events: A[] = []
  readonly #confirmed = Promise.withResolvers<boolean>()
  readonly #over = Promise.withResolvers<void>()
  #changed = Promise.withResolvers<void>()
  #ended: { readonly error: unknown } | undefined
  #call: ReadCall | undefined

  constructor(toEvent: (response: streams.ReadResp) => A | undefined) {
    this.#toEvent = toEvent
    this.#over.promise.catch(() => undefined)
  }

  get isPaused(): boolean {
    return this.#call?.isPaused() ?? false
  }

  fail(): void {
    this.end(new StoreUnavailable('the event store stopped sending to this subscription'))
  }

  /** Makes `next` throw once it has returned what had arrived. Without an error, nobody reads any more. */
  end(error: unknown): void {
    this.#ended ??= { error }
    this.#confirmed.resolve(false)
    this.#changed.resolve()
    if (error === undefined) this.#over.resolve()
    else this.#over.reject(error)
  }

  #take(response: streams.ReadResp): void {
    this.responses++
    if (response.hasConfirmation()) this.#confirmed.resolve(true)
    const event = this.#toEvent(response)
    if (event === undefined) return
    this.#events.push(event)
    this.arrived = event.storePosition
    this.#changed.resolve()
    if (this.#events.length >= BUFFER_MAX) this.#call?.pause()
  }

  /** Calls the store, and receives the events after a position until the end. */
  async receive(client: StoreClient, prefixes: readonly string[], after: StorePosition): Promise<void> {
    if (this.#ended !== undefined) return
    const call = await client.read(subscriptionRequest(prefixes, after), {})
    this.#call = call
    this.arrived = after
    const late = new StoreUnavailable('the event store does not confirm the subscription')
    const timer = setTimeout(() => this.end(late), CONFIRM_TIMEOUT_MS)
    void this.#confirmed.promise.then(() => clearTimeout(timer))
    const end = (error: unknown = new Error('the subscription has ended')): void => this.end(error)
    call
      .on('data', (response) => {
        try {
          if (this.#ended === undefined) this.#take(response)
        } catch (error) {
          call.pause()
          end(error)
        }
      })
      // Also fails after the last event was read.
      .on('error', end)
      .on('end', () => end())
      .on('close', () => end())
    await this.#over.promise.finally(() => call.cancel())
  }

  /** Resolves when the node starts sending. False if it will not: then `next` throws. */
  isConfirmed(): Promise<boolean> {
    return this.#confirmed.promise
  }

  /** Waits for events and returns up to a page. */
  async next(): Promise<readonly A[]> {
    while (this.#events.length === 0) {
      if (this.#ended !== undefined) throw this.#ended.error
      this.#changed = Promise.withResolvers()
      await this.#changed.promise
    }
    const page = this.#events.splice(0, PAGE_SIZE)
    if (this.#ended === undefined && this.isPaused && this.#events.length < BUFFER_MAX) this.#call?.resume()
    return page
  }
}

interface FollowOptions {
  readonly connection: StoreConnection
  readonly closing: AbortSignal
  readonly silence: Silence
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
    let target = Number.POSITIVE_INFINITY
    const subscription = new Subscription((response) => {
      const event = readEvent(response)
      return event && events.isOurs(event) ? as(event) : undefined
    })
    const abort = (): void => subscription.end(undefined)
    silence.subscribed(subscription)
    stop.addEventListener('abort', abort)
    const receive = async (): Promise<void> => {
      // The server's own caught-up message may repeat, and not every version sends it.
      target = await head()
      const from = laterPosition(last, begun())
      await connection.use((client) => subscription.receive(client, events.prefixes, from))
    }
    receive().catch((error) => subscription.end(error))
    try {
      if (await subscription.isConfirmed()) {
        silence.confirmed(subscription)
        if (last >= target) yield { events: [], caughtUp: true }
      }
      for (;;) {
        const page = await subscription.next()
        if (stop.aborted) return
        last = page.at(-1)?.storePosition ?? last
        yield { events: page, caughtUp: last >= target }
      }
    } catch (error) {
      if (stop.aborted) return
      throw toUnavailable('the log cannot be followed', error, ' to $all')
    } finally {
      silence.ended(subscription)
      stop.removeEventListener('abort', abort)
      subscription.end(undefined)
    }
  }
