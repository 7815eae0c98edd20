import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { EventType } from '../domain/event.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import {
  type AppendFailure,
  BEGINNING,
  type EventStore,
  NO_STREAM,
  StoreUnavailable,
} from '../event-store/event-store.ts'
import { BERTH } from './listen-ports.ts'
import { makeEvents } from './order.ts'

/** Milliseconds between attempts while the store does not answer. */
const AGAIN_AFTER = 1_000

interface UpgradeOptions {
  readonly store: EventStore
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
  /** Whether to retry until the signal is aborted if the store does not answer. */
  readonly waitsForStore: boolean
  readonly signal?: AbortSignal
}

/** End of the stream that defines the log version, and the version there. */
interface LogVersion {
  readonly version: number
  readonly revision: number
  readonly time: number
}

/** Stops reading at this program's version. @throws UndecodableEvent if the log has a newer version */
const readLogVersion = async (store: EventStore): Promise<LogVersion> => {
  let standing: LogVersion = { version: 1, revision: NO_STREAM, time: 0 }
  for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
    for (const event of page) {
      const version = event.type === 'StoreUpgraded' ? event.data.to : standing.version
      standing = { version, revision: event.revision, time: epochMillisecondsOf(event.metadata.time) }
      if (version === LOG_VERSION) return standing
    }
  }
  return standing
}

const makeUpgradeError = (why: Exclude<AppendFailure, 'moved'>): StoreUnavailable =>
  new StoreUnavailable(
    why === 'full'
      ? 'the log cannot be upgraded: the event store is full'
      : 'the log cannot be upgraded: the event store cannot be written',
  )

/** One attempt. Returns the version of a log that has been in use until now; undefined after a conflict. */
const upgradeOnce = async ({ store, clock, randomHex }: UpgradeOptions): Promise<number | undefined> => {
  const { version: from, revision, time } = await readLogVersion(store)
  if (from === LOG_VERSION) return from
  const now = Math.max(clock(), time)
  const order = { command: undefined, actor: BERTH, requestId: makeEventId(now, randomHex(10)) }
  const upgraded = { type: 'StoreUpgraded', data: { from, to: LOG_VERSION } } as const
  const appended = await store.append(LISTEN_PORTS_STREAM, revision, makeEvents([upgraded], order, now, randomHex))()
  // No log in use has this stream empty: every SUT takes its port from it.
  if (E.isRight(appended)) return revision === NO_STREAM ? LOG_VERSION : from
  if (appended.left === 'moved') return undefined
  throw makeUpgradeError(appended.left)
}

/**
 * Upgrades an older log to this program's version. The first of several instances does it. Programs that do not know
 * the version no longer start on the log, and running ones stop.
 *
 * @throws UndecodableEvent if the log has a newer version, StoreUnavailable if it cannot be written
 */
export const upgradeLog = async (options: UpgradeOptions): Promise<void> => {
  const { log, waitsForStore, signal } = options
  for (;;) {
    try {
      const from = await upgradeOnce(options)
      if (from === undefined) continue
      if (from < LOG_VERSION) {
        log.info({ from, to: LOG_VERSION }, 'log upgraded; older versions of Berth no longer start on it')
      }
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || !waitsForStore || signal?.aborted) throw error
      log.warn({ err: error }, 'event store unavailable; retrying')
      await delay(AGAIN_AFTER, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The events that a start records. */
const ON_START: ReadonlySet<unknown> = new Set<EventType>(['StoreUpgraded', 'ScheduleBegan'])

/** Whether the log is unused: it contains only what a start records. */
export const isUnused = async (store: EventStore): Promise<boolean> => {
  for await (const page of store.records(BEGINNING)) {
    for (const { text } of page) if (!ON_START.has((JSON.parse(text) as { type?: unknown }).type)) return false
  }
  return true
}
