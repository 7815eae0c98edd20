import * as E from 'fp-ts/lib/Either.js'
import { COMMAND_LINE } from '../domain/decider.ts'
import type { Event } from '../domain/event.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import { makeNewEvents } from './command-envelope.ts'

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
export const recordForLog = async (event: Event, { store, now, randomHex }: Recording): Promise<void> => {
  for (;;) {
    let [revision, time] = [NO_STREAM, now]
    for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
      const last = page.at(-1)
      if (last === undefined) continue
      revision = last.revision
      time = Math.max(now, epochMillisecondsOf(last.metadata.time))
    }
    const envelope = { command: undefined, actor: COMMAND_LINE, requestId: makeEventId(time, randomHex(10)) }
    const appended = await store.append(
      LISTEN_PORTS_STREAM,
      revision,
      makeNewEvents([event], envelope, time, randomHex),
    )
    if (E.isRight(appended)) return
    if (appended.left !== 'moved') throw new StoreUnavailable(`${event.type} cannot be recorded: ${appended.left}`)
  }
}
