import { setImmediate as turn } from 'node:timers/promises'
import { makeJoined } from '../../concurrency/once.ts'
import type { DeliveryFailure } from '../../domain/events/webhook.ts'
import { laterPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { FeedEntry } from '../../feed/events/entry.ts'
import { type Item, makeQueue } from './queue.ts'
import { CONNECTIONS_MAX, type Sent } from './send.ts'

/** Before each attempt after the first. */
export const RETRY_DELAYS: readonly Milliseconds[] = [5, 30, 120, 600, 3_600, 10_800, 28_800].map((s) => s * 1_000)

/** Events that were read and not delivered, so that those of many SUTs are at hand. */
const AHEAD_MAX = 256

/** Why nothing more is sent: the receiver wants no more, or the last attempt failed. */
export type DeliveryEnd = 'gone' | { readonly position: PublicPosition; readonly failure: DeliveryFailure }

export interface DeliveryOptions {
  /** Everything up to it was delivered. */
  readonly after: PublicPosition
  /** What follows a position; empty if there is nothing yet. @throws StoreUnavailable */
  readonly readAfter: (position: PublicPosition) => Promise<readonly FeedEntry[]>
  readonly isWanted: (entry: FeedEntry) => boolean
  readonly send: (entry: FeedEntry, attempt: number) => Promise<Sent>
  /** Whether this instance may send now. Asked whenever there is something to send. */
  readonly maySend: () => boolean
  /** Monotonic. */
  readonly sinceBoot: () => Milliseconds
  readonly onDelivered: () => void
  readonly onError: (error: unknown) => void
}

/** Delivers the events of the log to one receiver, in order for each SUT. */
export const makeDelivery = (options: DeliveryOptions) => {
  const { readAfter, isWanted, send, maySend, sinceBoot, onDelivered, onError } = options
  const queue = makeQueue(sinceBoot)
  /** Up to `read` the log was read. */
  let [read, isStopped] = [options.after, false]
  let over: DeliveryEnd | undefined

  const settle = (item: Item, { status, failure }: Sent): void => {
    if (failure === undefined) {
      queue.finish(item)
      onDelivered()
      return
    }
    const delay = status === 410 ? undefined : RETRY_DELAYS[item.attempts]
    queue.fail(item, delay)
    if (delay === undefined) over = status === 410 ? 'gone' : { position: item.entry.position, failure }
  }

  const begin = async (item: Item): Promise<void> => {
    item.is = 'under way'
    try {
      const sent = await send(item.entry, item.attempts + 1)
      if (!isStopped) settle(item, sent)
    } catch (error) {
      // Nothing could be sent: the next look tries again.
      item.is = 'waiting'
      throw error
    }
    act()
  }

  const deliver = (): void => {
    if (isStopped || queue.size() === 0 || !maySend()) return
    for (const item of queue.due(CONNECTIONS_MAX)) begin(item).catch(onError)
  }

  const readOn = makeJoined(async () => {
    while (!isStopped && queue.size() < AHEAD_MAX) {
      const entries = await readAfter(read)
      if (entries.length === 0) return
      // Some may have been skipped meanwhile.
      for (const entry of entries.filter(({ position }) => position > read)) if (isWanted(entry)) queue.add(entry)
      read = laterPosition(read, (entries.at(-1) as FeedEntry).position)
      deliver()
      // What others have read is at hand, and needs no I/O.
      await turn()
    }
  })

  /** Reads what is new, and sends what is due. */
  const act = (): void => {
    deliver()
    if (!isStopped && queue.size() < AHEAD_MAX) readOn().catch(onError)
  }

  return {
    act,
    /** Everything up to here was delivered, or is not wanted. */
    position: (): PublicPosition => queue.before() ?? read,
    /** Another instance has delivered everything up to a position. */
    skip: (position: PublicPosition): void => {
      queue.skip(position)
      read = laterPosition(read, position)
    },
    over: () => over,
    /** Tries at once what would wait. */
    retry: (): void => {
      over = undefined
      queue.retry()
    },
    stop: (): void => {
      isStopped = true
    },
  }
}
