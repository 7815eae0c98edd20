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
  OtherLogVersion,
  StoreUnavailable,
} from '../event-store/event-store.ts'
import { makeNewEvents } from './command-envelope.ts'
import { BERTH } from './listen-ports.ts'

/** Between attempts while the store does not answer. */
const RETRY_DELAY_MS = 1_000

interface UpgradeOptions {
  readonly store: EventStore
  /** The version that the program writes. */
  readonly version: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
  /** Whether to retry until the signal is aborted if the store does not answer. */
  readonly waitsForStore: boolean
  readonly signal?: AbortSignal
}

/**
 * Checks that a log begins with a version that this program knows, if it has begun at all.
 *
 * @throws OtherLogVersion
 */
export const checkLogVersion = async (store: Pick<EventStore, 'records'>): Promise<void> => {
  for await (const [first] of store.records(BEGINNING)) {
    if (first === undefined) continue
    const { type, data } = JSON.parse(first.text) as { readonly type?: unknown; readonly data?: { version?: unknown } }
    if (type === 'LogVersionSet' && Number(data?.version) <= LOG_VERSION) return
    throw new OtherLogVersion(
      `the log is of another version of Berth: it does not begin with a log version up to ${LOG_VERSION}, which this one uses`,
    )
  }
}

/** End of the stream that sets the log's version, and the version there; 0 if the log has not begun. */
interface LogVersion {
  readonly version: number
  readonly revision: number
  readonly time: number
}

/** Stops reading at the program's version. @throws UndecodableEvent if the log has a newer version */
const readLogVersion = async ({ store, version: own }: UpgradeOptions): Promise<LogVersion> => {
  let current: LogVersion = { version: 0, revision: NO_STREAM, time: 0 }
  for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
    for (const event of page) {
      const version = event.type === 'LogVersionSet' ? event.data.version : current.version
      current = { version, revision: event.revision, time: epochMillisecondsOf(event.metadata.time) }
      if (version === own) return current
    }
  }
  return current
}

const makeUpgradeError = (why: Exclude<AppendFailure, 'moved'>): StoreUnavailable =>
  new StoreUnavailable(
    why === 'full'
      ? "the log's version cannot be recorded: the event store is full"
      : "the log's version cannot be recorded: the event store cannot be written",
  )

/** One attempt. Returns the version until now; undefined after a conflict. */
const upgradeOnce = async (options: UpgradeOptions): Promise<number | undefined> => {
  const { store, version: own, clock, randomHex } = options
  const { version, revision, time } = await readLogVersion(options)
  if (version === own) return version
  const now = Math.max(clock(), time)
  const envelope = { command: undefined, actor: BERTH, requestId: makeEventId(now, randomHex(10)) }
  const set = { type: 'LogVersionSet', data: { version: own } } as const
  const appended = await store.append(LISTEN_PORTS_STREAM, revision, makeNewEvents([set], envelope, now, randomHex))
  if (E.isRight(appended)) return version
  if (appended.left === 'moved') return undefined
  throw makeUpgradeError(appended.left)
}

/**
 * Begins a log with the program's version, or upgrades an older one to it. The first of several instances does it.
 * Programs that do not know the version no longer start on the log, and running ones stop.
 *
 * @throws UndecodableEvent if the log has a newer version, StoreUnavailable if it cannot be written
 */
export const upgradeLog = async (options: UpgradeOptions): Promise<void> => {
  const { log, version, waitsForStore, signal } = options
  for (;;) {
    try {
      const from = await upgradeOnce(options)
      if (from === undefined) continue
      if (from > 0 && from < version) {
        log.info({ from, to: version }, 'log upgraded; older versions of Berth no longer start on it')
      }
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || !waitsForStore || signal?.aborted) throw error
      log.warn({ err: error }, 'event store unavailable; retrying')
      await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The events that a start records. */
const ON_START: ReadonlySet<unknown> = new Set<EventType>(['LogVersionSet', 'ScheduleBegan'])

/** Whether the log is unused: it contains only what a start records. */
export const isUnused = async (store: EventStore): Promise<boolean> => {
  for await (const page of store.records(BEGINNING)) {
    for (const { text } of page) if (!ON_START.has((JSON.parse(text) as { type?: unknown }).type)) return false
  }
  return true
}
