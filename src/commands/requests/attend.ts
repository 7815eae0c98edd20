import * as E from 'fp-ts/lib/Either.js'
import { requestDecider } from '../../domain/request/decide.ts'
import { lifeOf } from '../../domain/request/ending.ts'
import type { Waiting } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Runner, Sender } from '../command-envelope.ts'

interface AttendOptions {
  readonly runner: Pick<Runner, 'run'>
  /** A request that waits, by id. @throws StoreUnavailable */
  readonly find: (_id: string) => Promise<Waiting | undefined>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** How a request that was made with `keepalive` is kept alive while it waits; undefined for others. */
export type Attend = (
  _id: string,
  /** Who reads it. It is a sign of life if it is theirs, or they made it. Undefined if it does not count. */
  reader: Sender | undefined,
) => Promise<Kept | undefined>

/** Makes the function that notes that somebody reads a request. What cannot be recorded is not noted. */
export const makeAttend =
  ({ runner, find, reachableFor, clock }: AttendOptions): Attend =>
  async (_id, reader) => {
    const request = await find(_id)
    const life = request && lifeOf(request)
    if (request === undefined || life === undefined || reader === undefined || clock() < keptAgainFrom(life))
      return life
    const { user_id, asker } = request
    const { actor } = reader
    if (actor._id !== user_id && actor._id !== asker._id) return life
    const shown = { user_id, status: 'waiting', sut_reservation_id: null } as const
    const command = { type: 'KeepRequest', actor, _id, ...shown, reachableFor: reachableFor() } as const
    const kept = await runner.run(requestDecider, REQUESTS_STREAM, { ...reader, command })
    if (E.isLeft(kept) || kept.right.kind !== 'recorded') return life
    const [event] = kept.right.events
    return event === undefined ? life : { ...life, kept: epochMillisecondsOf(event.metadata.time) }
  }
