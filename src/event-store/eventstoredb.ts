import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jsonEvent } from '@eventstore/db-client'
import type { RandomHex } from '../domain/ids.ts'
import type { EventStoreDbAddress } from '../eventstoredb-address.ts'
import { type EventStore, StoreUnavailable, UnusableLog } from './event-store.ts'
import { makeAppend } from './eventstoredb-append.ts'
import { type Connection, credentialsOf, openConnection, unavailable } from './eventstoredb-connection.ts'
import { faultOf } from './eventstoredb-faults.ts'
import { makeHead, makeReadPage, makeReadStream, type ReadPage } from './eventstoredb-read.ts'
import { makeSecrets } from './eventstoredb-secrets.ts'
import { makeRecords, makeSubscribe } from './eventstoredb-subscribe.ts'

/** The stream that says which log this is; its one event is no event of Berth's. */
const LOG_STREAM = 'berth-log'
const LOG_BEGUN = 'LogBegun'
/** Milliseconds between attempts to reach the store at a start. */
const AGAIN_AFTER = 1_000

export interface EventStoreDbOptions {
  readonly address: EventStoreDbAddress
  readonly randomHex: RandomHex
  /** Told each time that the store could not be reached at the start, before it is tried again. */
  readonly onWaiting?: (error: Error) => void
  /** Ends the waiting. */
  readonly signal?: AbortSignal
  /** For tools beside running services: makes no log where there is none. */
  readonly isReadOnly?: boolean
}

/** The credentials do not allow what the service must do, so that waiting would not help. */
export class StoreDenied extends Error {
  override name = 'StoreDenied'
}

/** The log's id: made by whoever comes first. */
const logIdOf = async (
  connection: Connection,
  address: EventStoreDbAddress,
  readPage: ReadPage,
  randomHex: RandomHex,
  isReadOnly: boolean,
): Promise<string> => {
  for (;;) {
    const [begun] = (await readPage(LOG_STREAM, 0, 1)) ?? []
    const { log_id } = (begun?.data ?? {}) as { log_id?: unknown }
    if (typeof log_id === 'string' && /^[0-9a-f]{24}$/.test(log_id)) return log_id
    if (begun !== undefined) throw new StoreDenied(`the stream ${LOG_STREAM} is not Berth's`)
    if (isReadOnly) throw new UnusableLog('there is no log in the event store: start the service once')
    const event = jsonEvent({ id: randomUUID(), type: LOG_BEGUN, data: { log_id: randomHex(12) } })
    try {
      await connection.persist(5_000, (client) =>
        client.appendToStream(LOG_STREAM, event, {
          expectedRevision: 'no_stream',
          credentials: credentialsOf(address),
          deadline: 3_000,
          requiresLeader: true,
        }),
      )
    } catch (error) {
      // Whoever was first has said it.
      if (faultOf(error) !== 'moved') throw unavailable(`${LOG_STREAM} cannot be written`, error)
    }
  }
}

/**
 * The store a lab moves to: an EventStoreDB 23.10 or later, or a KurrentDB. Its `mark` is the commit position in `$all`.
 * Waits for a store that cannot be reached yet.
 *
 * @throws StoreDenied when the credentials do not suffice, StoreUnavailable when the signal ended the waiting
 */
export const openEventStoreDb = async (options: EventStoreDbOptions): Promise<EventStore> => {
  const { address, randomHex, onWaiting, signal, isReadOnly = false } = options
  const credentials = credentialsOf(address)
  const commands = openConnection(address, 'commands')
  const subscriptions = openConnection(address, 'subscriptions')
  const closing = new AbortController()
  const readPage = makeReadPage(commands, credentials)
  const head = makeHead(commands, credentials)
  const secrets = makeSecrets(commands, subscriptions, credentials, readPage)
  const append = makeAppend({ connection: commands, credentials, readPage, keepSecrets: secrets.keepWithEvent })
  const { keepWithEvent: _, ...ofSecrets } = secrets
  const followed = { connection: subscriptions, credentials, head, closing: closing.signal }

  const close = async (): Promise<void> => {
    closing.abort()
    await Promise.all([commands.close(), subscriptions.close()])
  }

  const reached = async (): Promise<string> => {
    for (;;) {
      try {
        const logId = await logIdOf(commands, address, readPage, randomHex, isReadOnly)
        await head()
        return logId
      } catch (error) {
        const { cause } = error as Error
        if (cause !== undefined && faultOf(cause) === 'denied') throw new StoreDenied((error as Error).message)
        if (!(error instanceof StoreUnavailable) || signal?.aborted) throw error
        onWaiting?.(error)
        await delay(AGAIN_AFTER, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  try {
    const logId = await reached()
    return {
      logId,
      append:
        (stream, expected, events, sealed = []) =>
        () =>
          append(stream, expected, events, sealed),
      readStream: makeReadStream(readPage),
      subscribe: makeSubscribe(followed),
      records: makeRecords(followed),
      head,
      ...ofSecrets,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
