import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { COMMAND_LINE } from '../domain/decider.ts'
import type { Event } from '../domain/event.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import { LISTEN_PORTS_STREAM, type RandomHex } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import {
  type AppendFailure,
  BEGINNING,
  type EventStore,
  NO_STREAM,
  OtherLogVersion,
  StoreUnavailable,
} from '../event-store/event-store.ts'
import { appendOwn } from './command-envelope.ts'
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
  const { version: own, clock } = options
  const { version, revision, time } = await readLogVersion(options)
  if (version === own) return version
  const now = Math.max(clock(), time)
  const set = { type: 'LogVersionSet', data: { version: own } } as const
  const appended = await appendOwn(options, BERTH, { stream: LISTEN_PORTS_STREAM, revision, now }, [set])
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

interface Recording {
  readonly store: EventStore
  /** Unix milliseconds. */
  readonly now: number
  readonly randomHex: RandomHex
}

/**
 * Records an event about the log as a whole, in the stream of its version.
 *
 * @throws StoreUnavailable
 */
export const recordForLog = async (event: Event, recording: Recording): Promise<void> => {
  const { store, now } = recording
  for (;;) {
    const place = { stream: LISTEN_PORTS_STREAM, revision: NO_STREAM, now }
    for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
      const last = page.at(-1)
      if (last === undefined) continue
      place.revision = last.revision
      place.now = Math.max(now, epochMillisecondsOf(last.metadata.time))
    }
    const appended = await appendOwn(recording, COMMAND_LINE, place, [event])
    if (E.isRight(appended)) return
    if (appended.left !== 'moved') throw new StoreUnavailable(`${event.type} cannot be recorded: ${appended.left}`)
  }
}
