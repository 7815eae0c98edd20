import * as E from 'fp-ts/lib/Either.js'
import { type Actor, COMMAND_LINE } from '../domain/decider.ts'
import type { Event, Recorded } from '../domain/event.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import { LISTEN_PORTS_STREAM, type RandomHex, SCHEDULE_STREAM } from '../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../domain/values/instant.ts'
import { BEGINNING, type EventStore, NO_STREAM, OtherLogVersion, StoreUnavailable } from '../event-store/event-store.ts'
import type { ClockGuard } from './clock-guard.ts'
import { appendOwn } from './command-envelope.ts'
import { BERTH } from './listen-ports.ts'

/** Events about the log as a whole, which no command records. */

/** The actor of recorded starts and ends. */
export const SCHEDULE: Actor = { _id: 'schedule', role: 'system' }

interface Recording {
  readonly store: Pick<EventStore, 'readStream' | 'append'>
  readonly randomHex: RandomHex
}

/**
 * Records an event at the end of a stream, unless one there makes it needless. Returns that one.
 *
 * @param now Unix milliseconds; the event is not before the last one of its stream
 * @throws StoreUnavailable
 */
const recordOnce = async (
  recording: Recording,
  {
    actor,
    stream,
    event,
    now,
  }: { readonly actor: Actor; readonly stream: string; readonly event: Event; readonly now: number },
  isNeedless: (earlier: Recorded) => boolean,
): Promise<Recorded | undefined> => {
  for (;;) {
    const place = { stream, revision: NO_STREAM, now }
    for await (const page of recording.store.readStream(stream, NO_STREAM)) {
      const needless = page.find(isNeedless)
      if (needless !== undefined) return needless
      const last = page.at(-1)
      if (last === undefined) continue
      place.revision = last.revision
      place.now = Math.max(now, epochMillisecondsOf(last.metadata.time))
    }
    const appended = await appendOwn(recording, actor, place, [event])
    if (E.isRight(appended)) return undefined
    if (appended.left === 'moved') continue
    const why = appended.left === 'full' ? 'the event store is full' : 'the event store cannot be written'
    throw new StoreUnavailable(`${event.type} cannot be recorded: ${why}`)
  }
}

/** Records an event about the log, typed at the command line, in the stream of its version. @throws StoreUnavailable */
export const recordForLog = (
  event: Event,
  { now, ...recording }: Recording & { readonly now: number },
): Promise<unknown> =>
  recordOnce(recording, { actor: COMMAND_LINE, stream: LISTEN_PORTS_STREAM, event, now }, () => false)

export interface BeginScheduleOptions extends Recording {
  readonly guard: Pick<ClockGuard, 'isAhead'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Records once that starts and ends are recorded from now on. Returns since when, in Unix milliseconds; undefined if that
 * cannot be recorded yet.
 */
export const tryToBeginSchedule = async (options: BeginScheduleOptions): Promise<number | undefined> => {
  const now = options.clock()
  // A clock that is ahead would begin the schedule years from now.
  if (options.guard.isAhead(now)) return undefined
  const event = { type: 'ScheduleBegan', data: { from: formatMilliseconds(now) } } as const
  const place = { actor: SCHEDULE, stream: SCHEDULE_STREAM, event, now }
  try {
    const begun = await recordOnce(options, place, ({ type }) => type === 'ScheduleBegan')
    return begun?.type === 'ScheduleBegan' ? epochMillisecondsOf(begun.data.from) : now
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
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

interface UpgradeOptions extends Recording {
  /** The version that the program writes. */
  readonly version: number
  /** Unix milliseconds. */
  readonly clock: () => number
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
  const place = { actor: BERTH, stream: LISTEN_PORTS_STREAM, event, now: clock() }
  const current = await recordOnce(options, place, (earlier) => {
    if (earlier.type === 'LogVersionSet') from = earlier.data.version
    return from === to
  })
  if (current === undefined && from !== undefined)
    log.info({ from, to }, 'log upgraded; older versions of Berth no longer start on it')
}
