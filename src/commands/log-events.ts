/** Events about the log as a whole, which no command records. */

import * as E from 'fp-ts/lib/Either.js'
import { type Actor, COMMAND_LINE } from '../domain/decider.ts'
import type { Event, Recorded } from '../domain/event.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import { LISTEN_PORTS_STREAM, type RandomHex } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { Clock } from '../domain/values/units.ts'
import { BEGINNING, type EventStore, NO_STREAM, OtherLogVersion, StoreUnavailable } from '../event-store/event-store.ts'
import { appendOwn } from './command-envelope.ts'
import { BERTH } from './listen-ports.ts'

export const SCHEDULE: Actor = { _id: 'schedule', role: 'system' }

interface Recording {
  readonly store: Pick<EventStore, 'readStream' | 'append'>
  readonly randomHex: RandomHex
}

/**
 * Records an event about the log, unless one in the stream of its version makes it needless. Whether it did.
 *
 * @param now Unix milliseconds; the event is not before the last one of its stream
 * @throws StoreUnavailable
 */
const recordUnless = async (
  { store, randomHex }: Recording,
  event: Event,
  { actor, now }: { readonly actor: Actor; readonly now: number },
  isNeedless: (earlier: Recorded) => boolean,
): Promise<boolean> => {
  for (;;) {
    const place = { stream: LISTEN_PORTS_STREAM, revision: NO_STREAM, now }
    for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
      if (page.some(isNeedless)) return false
      const last = page.at(-1)
      if (last === undefined) continue
      place.revision = last.revision
      place.now = Math.max(now, epochMillisecondsOf(last.metadata.time))
    }
    const appended = await appendOwn({ store, randomHex }, actor, place, [event])
    if (E.isRight(appended)) return true
    if (appended.left === 'moved') continue
    const why = appended.left === 'full' ? 'the event store is full' : 'the event store cannot be written'
    throw new StoreUnavailable(`${event.type} cannot be recorded: ${why}`)
  }
}

/** Records an event about the log, typed at the command line. @throws StoreUnavailable */
export const recordForLog = (
  event: Event,
  { now, ...recording }: Recording & { readonly now: number },
): Promise<unknown> => recordUnless(recording, event, { actor: COMMAND_LINE, now }, () => false)

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

interface UpgradeOptions extends Recording {
  readonly version: number
  readonly clock: Clock
  readonly log: Record<'info', (facts: object, sentence: string) => void>
}

/**
 * Begins a log with the program's version, or upgrades an older one to it. The first of several instances does it.
 * Programs that do not know the version no longer start on the log, and running ones stop.
 *
 * @throws UndecodableEvent if the log has a newer version, StoreUnavailable if it cannot be written
 */
export const upgradeLog = async (options: UpgradeOptions): Promise<void> => {
  const { log, version: to, clock } = options
  const event = { type: 'LogVersionSet', data: { version: to } } as const
  let from: number | undefined
  const isRecorded = await recordUnless(options, event, { actor: BERTH, now: clock() }, (earlier) => {
    if (earlier.type === 'LogVersionSet') from = earlier.data.version
    return from === to
  })
  if (isRecorded && from !== undefined)
    log.info({ from, to }, 'log upgraded; older versions of Berth no longer start on it')
}
