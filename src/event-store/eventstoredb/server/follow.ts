import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { laterPosition, type StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING, StoreUnavailable } from '../../event-store.ts'
import { type Lease, type StoreConnection, toUnavailable } from './connection.ts'
import { readEvent, type StoreEvent, subscriptionRequest } from './requests.ts'
import type { Silence } from './silence.ts'
import type { ReadCall } from './store-client.ts'

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

/** Events in `$all`. */
export interface FollowedEvents<A extends Positioned> {
  /** Begins the sentence of an error. */
  readonly failure: string
  /** Of the names of their streams. */
  readonly prefixes: readonly string[]
  /** The event in what the prefixes let through; undefined if it is another's. */
  readonly as: (event: StoreEvent) => A | undefined
  /** Store position of the last of them. */
  readonly head: () => Promise<StorePosition>
  /** Store position after which they begin. */
  readonly begun: () => StorePosition
}

type Inflow<A extends Positioned> = ReturnType<typeof startInflow<A>>

/** Reads events of a subscription from the wire into a buffer until it is full. */
const startInflow = <A extends Positioned>(
  call: ReadCall,
  as: (response: streams.ReadResp) => A | undefined,
  after: StorePosition,
) => {
  const buffer: A[] = []
  let arrived = after
  let responses = 0
  let ended: { readonly error: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  const confirmed = Promise.withResolvers<boolean>()
  const end = (error: unknown = new Error('the subscription has ended')): void => {
    ended ??= { error }
    confirmed.resolve(false)
    changed.resolve()
  }
  const late = new StoreUnavailable('the event store does not confirm the subscription')
  const timer = setTimeout(end, CONFIRM_TIMEOUT_MS, late)
  void confirmed.promise.then(() => clearTimeout(timer))

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
      changed.resolve()
      if (buffer.length >= BUFFER_MAX) call.pause()
    })
    // Also fails after the last event was read.
    .on('error', end)
    .on('end', () => end())
    .on('close', () => end())

  return {
    /** Resolves when the node starts sending. False if it will not: then `take` throws. */
    confirmed: confirmed.promise,
    /** Store position of the last event that has arrived, or after which the subscription began. */
    arrived: () => arrived,
    responses: () => responses,
    isPaused: () => call.isPaused(),
    /** Makes `take` throw once it has returned what had arrived. */
    end,
    /** Waits for events and returns up to a page. */
    take: async (): Promise<readonly A[]> => {
      while (buffer.length === 0) {
        if (ended !== undefined) throw ended.error
        changed = Promise.withResolvers()
        await changed.promise
      }
      const events = buffer.splice(0, PAGE)
      if (ended === undefined && call.isPaused() && buffer.length < BUFFER_MAX) call.resume()
      return events
    },
  }
}

/** Follows events in `$all` over a connection. `silence` watches those that run on. */
export const makeFollow = (connection: StoreConnection, closing: AbortSignal, silence?: Pick<Silence, 'subscribed'>) =>
  /**
   * The events after a store position: first the existing ones, then new ones. Does not reconnect, since the consumer
   * knows best where to resume.
   *
   * @throws StoreUnavailable if the connection is lost, after all received events were yielded
   */
  async function* follow<A extends Positioned>(
    { failure, prefixes, as, head, begun }: FollowedEvents<A>,
    after: StorePosition,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly events: readonly A[]; readonly caughtUp: boolean }> {
    const stop = AbortSignal.any([signal, closing])
    if (stop.aborted) return
    let last = laterPosition(after, BEGINNING)
    let leasing: Promise<Lease> | undefined
    let calling: Promise<ReadCall> | undefined
    let inflow: Inflow<A> | undefined
    let cause: unknown
    // Rejects at once while the store is waited for, also for its place among the calls.
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => undefined)
    const end = (error: Error): void => {
      over.reject(error)
      inflow?.end(error)
    }
    const abort = (): void => end(new StoreUnavailable('the subscription was stopped'))
    const watched = silence?.subscribed({
      arrived: () => inflow?.arrived(),
      responses: () => inflow?.responses() ?? 0,
      isPaused: () => inflow?.isPaused() ?? false,
      fail: () => end(new StoreUnavailable('the event store stopped sending to this subscription')),
    })
    stop.addEventListener('abort', abort)
    try {
      // The server's own caught-up message may repeat, and not every version sends it.
      const target = await Promise.race([head(), over.promise])
      leasing = connection.lease()
      const { client } = await Promise.race([leasing, over.promise])
      calling = client.read(subscriptionRequest(prefixes, laterPosition(last, begun())), {})
      const call = await Promise.race([calling, over.promise])
      const ofResponse = (response: streams.ReadResp): A | undefined => {
        const event = readEvent(response)
        return event && as(event)
      }
      inflow = startInflow(call, ofResponse, last)
      if (await inflow.confirmed) {
        watched?.confirm()
        if (last >= target) yield { events: [], caughtUp: true }
      }
      for (;;) {
        const events = await inflow.take()
        if (stop.aborted) return
        last = events.at(-1)?.storePosition ?? last
        yield { events, caughtUp: last >= target }
      }
    } catch (error) {
      if (stop.aborted) return
      cause = error
      throw toUnavailable(failure, error, ' to $all')
    } finally {
      watched?.remove()
      stop.removeEventListener('abort', abort)
      inflow?.end()
      // What was still on its way, too.
      void calling?.then((call) => call.cancel()).catch(() => undefined)
      void leasing?.then(({ release }) => release(cause)).catch(() => undefined)
    }
  }

export type Follow = ReturnType<typeof makeFollow>
