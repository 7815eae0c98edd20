import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Logged, NewEvent, Recorded } from '../domain/event.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'

/** The expected revision of a stream that has no event yet. */
export const NO_STREAM = -1
/** The mark before the first event of the log. */
export const BEGINNING = -1

export interface Appended {
  /** The revision of the last event appended. */
  readonly revision: number
  /** Its mark: views that have come this far show the append. */
  readonly mark: number
}

/**
 * Why an append did not end in `Appended`.
 * - `moved`: the stream is not at the expected revision; nothing was written.
 * - `full`: the store has no room; nothing was written.
 * - `unavailable`: the store could not be asked; nothing was written.
 * - `unknown`: it may have been written. Its answer was lost, and so were those of its repetitions where they make sense.
 */
export type AppendFailure = 'moved' | 'full' | 'unavailable' | 'unknown'

/** An event of the log, and its place there. */
export interface EventPlace {
  readonly mark: number
  readonly eventId: string
  readonly stream: string
  readonly revision: number
}

/** Some events of the log in its order; `caughtUp` when, after them, there was nothing more to read. */
export interface Batch {
  readonly events: readonly Logged[]
  readonly caughtUp: boolean
  /** How many are known to follow them, where the store can tell. */
  readonly ahead?: number
}

/** An event as it lies in the log, whatever version wrote it. */
export interface StoredRecord {
  readonly mark: number
  /** The RFC 8785 form of `{data, id, metadata, revision, stream, type}`: what the leaf hash is taken of. */
  readonly text: string
  /** The leaf hash that is kept beside it, where the store keeps one. */
  readonly leaf?: Uint8Array
}

/** The store could not be read. Thrown by reads and subscriptions, which may be tried again. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** Why something cannot be used as a log. It is as it was. */
export class UnusableLog extends Error {
  override name = 'UnusableLog'
}

/** Where a secret stands: there is one for each field of a SUT. */
export type SecretPlace = Pick<SealedSecret, 'sut_id' | 'field'>

/** A secret sealed anew, or to be removed where there is no `next`. */
export interface SecretExchange {
  readonly old: SealedSecret
  readonly next?: SealedSecret
}

/**
 * The log, and the secrets beside it. The laws that every adapter keeps are in test/event-store/contract/contract.ts.
 */
export interface EventStore {
  /** 24 hex digits made with the log: tells whether views belong to it. */
  readonly logId: string
  /**
   * Appends all events or none, if the stream is at revision `expected` (`NO_STREAM` where it has none), together with
   * the secrets they name. Answered only when both would survive a crash, of the machine too unless there is `synced`.
   * Repeating an append with the same event ids and the original `expected` succeeds without writing again.
   */
  readonly append: (
    stream: string,
    expected: number,
    events: readonly NewEvent[],
    secrets?: readonly SealedSecret[],
  ) => TaskEither<AppendFailure, Appended>
  /** The events of a stream behind revision `after`, in order, in pages; none where there is no such stream. */
  readonly readStream: (stream: string, after: number) => AsyncIterable<readonly Recorded[]>
  /**
   * Every event behind the mark `after`, in log order, each once: first those there are, then each as it comes, until
   * the signal is aborted. Pulled: nothing is read ahead of a consumer that does not ask, beyond a bounded buffer.
   */
  readonly subscribe: (after: number, signal: AbortSignal) => AsyncIterable<Batch>
  /** The event at a mark; undefined where there is none. */
  readonly at: (mark: number) => Promise<Logged | undefined>
  /** The event at a mark as it lies there, whatever version wrote it; undefined where there is none. */
  readonly recordAt: (mark: number) => Promise<StoredRecord | undefined>
  /** Every event behind the mark `after` up to where the log ends now, in order, in pages, as it lies there. */
  readonly records: (after: number) => AsyncIterable<readonly StoredRecord[]>
  /** The mark of the log's last event, `BEGINNING` where there is none. */
  readonly head: () => Promise<number>
  /** A SUT's secrets as they stand: the newest of each field. */
  readonly readSecrets: (sutId: string) => Promise<readonly SealedSecret[]>
  /** Keeps secrets that no event names: the values by which keys are recognised. */
  readonly writeSecrets: (secrets: readonly SealedSecret[]) => Promise<void>
  /** The secrets sealed with a key, by SUT and field, behind the place `after`; at most `limit`. */
  readonly secretsSealedWith: (
    keyId: string,
    after: SecretPlace | undefined,
    limit: number,
  ) => Promise<readonly SealedSecret[]>
  /**
   * Exchanges each secret that still stands, under the same id and key. What has come in its place meanwhile is left as
   * it is.
   */
  readonly exchangeSecrets: (exchanges: readonly SecretExchange[]) => Promise<void>
  /**
   * Of a store that syncs behind: resolves when all that can be read of it is on the disk, undefined when it is. Nothing
   * of that may leave the process before. Rejects with StoreUnavailable when it never will be.
   */
  readonly synced?: () => Promise<void> | undefined
  readonly close: () => Promise<void>
}

/** Whether the event is still in its place, so that the log has not been cut off before it. */
export const hasEventAt = async (
  store: EventStore,
  { mark, eventId, stream, revision }: EventPlace,
): Promise<boolean> => {
  if (mark === BEGINNING) return true
  for await (const [event] of store.readStream(stream, revision - 1))
    return event?.mark === mark && event.id === eventId
  return false
}
