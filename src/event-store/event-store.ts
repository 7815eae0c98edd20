import type { Either } from 'fp-ts/lib/Either.js'
import type { Logged, NewEvent, Recorded } from '../domain/event.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { type StorePosition, toStorePosition } from '../domain/values/position.ts'
import { ExpectedError } from '../files/expected-error.ts'

/** The expected revision of a stream that has no event yet. */
export const NO_STREAM = -1
/** The store position before the first event of the log. */
export const BEGINNING = toStorePosition(-1)

export interface Appended {
  /** The revision of the last event appended. */
  readonly revision: number
  /** Its store position. Views that have reached it include the append. */
  readonly storePosition: StorePosition
}

/**
 * Why an append failed.
 * - `moved`: the stream is not at the expected revision; nothing was written.
 * - `full`: the store is full; nothing was written.
 * - `unavailable`: the store could not be reached; nothing was written.
 * - `unknown`: the events may have been written. The response was lost, as were those of any retries.
 */
export type AppendFailure = 'moved' | 'full' | 'unavailable' | 'unknown'

export interface EventPosition {
  readonly storePosition: StorePosition
  readonly eventId: string
  readonly stream: string
  readonly revision: number
}

/** Events in log order. `caughtUp` means there was nothing more to read after them. */
export interface Batch {
  readonly events: readonly Logged[]
  readonly caughtUp: boolean
}

/** A stored event in its raw form, whichever version wrote it. */
export interface StoredRecord {
  readonly storePosition: StorePosition
  /** The RFC 8785 form of `{data, id, metadata, revision, stream, type}`, the input of the leaf hash. */
  readonly text: string
  /** The stored leaf hash, if the store keeps one. */
  readonly leaf?: Uint8Array
  /** The position to which an embedded store links it as its predecessor in its stream; null if there is none. */
  readonly previous?: number | null
}

/** The store could not be read. Thrown by reads and subscriptions; callers may retry. */
export class StoreUnavailable extends ExpectedError {}

/** The file or store cannot be used as a log. Nothing was changed. */
export class UnusableLog extends ExpectedError {}

/** The log has a version that this program does not use. Nothing was changed. */
export class OtherLogVersion extends ExpectedError {}

/** How long a command or a read has for the store, with everything that it waits for. */
export const STORE_TIMEOUT_MS = 10_000

/** The same result, or StoreUnavailable once the time is over. @param until in monotonic milliseconds */
export const before = async <A>(until: number, work: Promise<A>): Promise<A> => {
  const over = Promise.withResolvers<never>()
  const late = new StoreUnavailable('the event store does not answer in time')
  const timer = setTimeout(() => over.reject(late), Math.max(0, until - performance.now()))
  try {
    return await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The identity of a secret: one per field of an owner. */
export type SecretPlace = Pick<SealedSecret, 'owner' | 'field'>

/** A replacement for a secret, or its removal if there is no `next`. */
export interface SecretExchange {
  readonly old: SealedSecret
  readonly next?: SealedSecret
}

/** The vault's sealed secrets. Those that an event names are appended with it. */
export interface SecretStore {
  /** The current secrets of owners: the newest of each field, by owner and field. At most a few dozen owners at a time. */
  readonly readSecrets: (...owners: readonly string[]) => Promise<readonly SealedSecret[]>
  /** Stores secrets that no event names: the key check values. */
  readonly writeSecrets: (secrets: readonly SealedSecret[]) => Promise<void>
  /** Secrets sealed with a key, by owner and field, after `after`; at most `limit`. */
  readonly secretsSealedWith: (
    keyId: string,
    after: SecretPlace | undefined,
    limit: number,
  ) => Promise<readonly SealedSecret[]>
  /** Replaces each secret whose id and key are still current. Secrets that have changed since are left alone. */
  readonly exchangeSecrets: (exchanges: readonly SecretExchange[]) => Promise<void>
  /**
   * Deletes all secrets of an owner, former ones too. Resolves once no file of an embedded store contains them. A
   * networked store returns them no more, but its files contain them until a scavenge. Later secrets of the owner are
   * kept. Repeat it after StoreUnavailable; it costs little when there is nothing to delete.
   */
  readonly eraseSecrets: (owner: string) => Promise<void>
}

/** The log, and the vault's sealed secrets beside it. Every adapter passes test/event-store/contract/contract.ts. */
export interface EventStore extends SecretStore, AsyncDisposable {
  /** 24 hex digits created with the log. Views store it to detect another log. */
  readonly logId: string
  /** Id of the log of which this one is a copy. */
  readonly copyOf?: string
  /** Whether the newest events of an embedded log may be lost, which its operator knows. */
  readonly hasLostEvents?: boolean
  /**
   * Atomically appends events, with the secrets they name, if the stream is at revision `expected` (`NO_STREAM` for a
   * new stream). Resolves once they would survive a process crash, and a power loss too unless the store has `synced`.
   * Repeating an append with the same event ids and the original `expected` succeeds without writing again.
   *
   * @param within milliseconds that a networked store has: `STORE_TIMEOUT_MS` by default
   */
  readonly append: (
    stream: string,
    expected: number,
    events: readonly NewEvent[],
    secrets?: readonly SealedSecret[],
    within?: number,
  ) => Promise<Either<AppendFailure, Appended>>
  /** Events of a stream after revision `after`, in order, in pages. Empty if the stream does not exist. */
  readonly readStream: (stream: string, after: number) => AsyncIterable<readonly Recorded[]>
  /**
   * Every event after store position `after`, in log order, each once: first the existing ones, then new ones until the
   * signal is aborted. Applies backpressure: reads ahead no further than a bounded buffer.
   */
  readonly subscribe: (after: StorePosition, signal: AbortSignal) => AsyncIterable<Batch>
  readonly at: (storePosition: StorePosition) => Promise<Logged | undefined>
  /** The raw event at a store position, if there is one. */
  readonly recordAt: (storePosition: StorePosition) => Promise<StoredRecord | undefined>
  /** Every raw event after store position `after` up to the current end of the log, in order, in pages. */
  readonly records: (after: StorePosition) => AsyncIterable<readonly StoredRecord[]>
  /** Store position of the last event; `BEGINNING` if there is none. */
  readonly head: () => Promise<StorePosition>
  /**
   * Only for a store with deferred fsync. Resolves once everything readable is on disk; undefined if it already is. Do
   * not send any of it out of the process before. Rejects with StoreUnavailable if the sync failed.
   */
  readonly synced?: () => Promise<void> | undefined
  readonly close: () => Promise<void>
}

/** Whether the event is still at its store position. If not, the log was truncated before it. */
export const hasEventAt = async (
  store: EventStore,
  { storePosition, eventId, stream, revision }: EventPosition,
): Promise<boolean> => {
  if (storePosition === BEGINNING) return true
  for await (const [event] of store.readStream(stream, revision - 1))
    return event?.storePosition === storePosition && event.id === eventId
  return false
}
