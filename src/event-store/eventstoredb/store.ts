import * as E from 'fp-ts/lib/Either.js'
import type { RandomHex } from '../../domain/values/ids.ts'
import { type AppendFailure, BEGINNING, type EventStore, STORE_TIMEOUT_MS, StoreUnavailable } from '../event-store.ts'
import { makeAppend } from './append.ts'
import { type BegunLog, beginLog, endCopy, probeAppend, StoreDenied } from './log.ts'
import { makeSecrets } from './secrets.ts'
import type { EventStoreDbAddress } from './server/address.ts'
import { openStoreConnection } from './server/connection.ts'
import { faultOf } from './server/faults.ts'
import { makeFollow } from './server/follow.ts'
import { probeNodes } from './server/probe-nodes.ts'
import { LOG_STREAM, makeLogEvents, makeReadPage, makeStoreReader, type ReadPage } from './server/read.ts'
import { Silence } from './server/silence.ts'

/** Of one attempt. Short, so that read-only commands fail fast. */
const OPEN_TIMEOUT_MS = 3_000

export interface EventStoreDbOptions {
  readonly address: EventStoreDbAddress
  readonly randomHex: RandomHex
  /** Called when the store has not answered commands for some seconds, and when it answers again. */
  readonly onSilence?: (isSilent: boolean) => void
  /** For tools used while services run: never creates a log. */
  readonly isReadOnly?: boolean
  /** Id of the log being copied into this one. No service can use the copy before `endCopy`. */
  readonly copyOf?: string
}

export interface EventStoreDb extends EventStore {
  /** Marks a copied log as complete, so that a service can use it. */
  readonly endCopy: () => Promise<void>
}

/** Whether the store answered an append with this outcome. */
const isAnswered = (result: E.Either<AppendFailure, unknown>): boolean =>
  E.isRight(result) || result.left === 'moved' || result.left === 'full'

/** Adds why no node can be reached. @throws StoreDenied if that is a certificate of an authority that is not trusted */
const explain = async (error: StoreUnavailable, address: EventStoreDbAddress): Promise<StoreUnavailable> => {
  const failures = await probeNodes(address)
  const untrusted = failures.find(({ isUntrusted }) => isUntrusted)
  if (untrusted !== undefined) {
    const remedy = 'tlsCAFile must name the authority that signed the certificate of the event store'
    throw new StoreDenied(`${untrusted.reason}: ${remedy}`)
  }
  if (failures.length < address.hosts.length) return error
  const reasons = failures.map(({ reason }) => reason).join('; ')
  const message = `${LOG_STREAM} cannot be read: no event store node can be reached: ${reasons}`
  return new StoreUnavailable(message, { cause: error.cause })
}

/** @throws StoreDenied, or StoreUnavailable that says why */
const reachLog = async (
  { address, randomHex, isReadOnly = false, copyOf }: EventStoreDbOptions,
  logStream: Parameters<typeof beginLog>[0],
  head: EventStore['head'],
): Promise<BegunLog> => {
  try {
    const log = await beginLog(logStream, { randomHex, isReadOnly, copyOf })
    await head()
    return log
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    if (error.cause !== undefined && faultOf(error.cause) === 'denied') throw new StoreDenied(error.message)
    throw await explain(error, address)
  }
}

/**
 * The networked store: EventStoreDB 23.10 or later, or KurrentDB. Store positions are commit positions in `$all`.
 *
 * @throws StoreDenied if credentials or tlsCAFile do not suffice, UnusableLog if there is no log or an unfinished copy,
 * StoreUnavailable
 */
export const openEventStoreDb = async (options: EventStoreDbOptions): Promise<EventStoreDb> => {
  const { address, onSilence = () => undefined } = options
  const commands = openStoreConnection(address, 'commands')
  const subscriptions = openStoreConnection(address, 'subscriptions')
  const closing = new AbortController()
  const readPage = makeReadPage(commands)
  const logStream = { connection: commands, readPage: makeReadPage(commands, OPEN_TIMEOUT_MS) }
  const events = makeLogEvents(commands.prefix)
  const silence = new Silence(() => probeAppend(logStream), onSilence)
  const watchedPage: ReadPage = (...page) => silence.watch('read', readPage(...page), () => true)
  const reader = makeStoreReader(commands, events, watchedPage)
  const { head } = reader
  let begun: BegunLog | undefined
  const follow = makeFollow({
    ...{ connection: subscriptions, closing: closing.signal, silence, events, head },
    begun: () => begun?.storePosition ?? BEGINNING,
  })
  const { keepWithEvent, ...secrets } = makeSecrets(commands, readPage)
  const append = makeAppend({ connection: commands, readPage, keepSecrets: keepWithEvent })

  const close = async (): Promise<void> => {
    silence.stop()
    closing.abort()
    await Promise.all([commands.close(), subscriptions.close()])
  }

  try {
    begun = await reachLog(options, logStream, head)
    const { storePosition: _, ...identity } = begun
    return {
      ...identity,
      append: async (stream, expected, events, sealed = [], within = STORE_TIMEOUT_MS) => {
        const result = await silence.watch('append', append(stream, expected, events, sealed, within), isAnswered)
        if (E.isRight(result)) silence.appended(result.right.storePosition)
        return result
      },
      ...reader,
      subscribe: (after, signal) => follow(events.toLogged, after, signal),
      async *records(after) {
        if ((await head()) <= after) return
        const { signal } = new AbortController()
        for await (const page of follow(events.toStoredRecord, after, signal)) {
          yield page.events
          if (page.caughtUp) return
        }
      },
      ...secrets,
      endCopy: () => endCopy(logStream),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
