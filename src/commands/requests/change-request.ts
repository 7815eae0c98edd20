import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../domain/failure.ts'
import { type RequestCommand, requestDecider } from '../../domain/request/decide.ts'
import { lifeOf } from '../../domain/request/ending.ts'
import { findWaiting, hasOffer, type RequestsState, type Waiting } from '../../domain/request/queue.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Outcome, Runner, Sender } from '../command-envelope.ts'
import { orUnavailable } from '../failures.ts'
import type { FinishOffer } from './finish-offer.ts'

type Command<T extends RequestCommand['type']> = Extract<RequestCommand, { readonly type: T }>

/** A request as its document shows it. */
export type ShownRequest = Pick<Command<'WithdrawRequest'>, 'user_id' | 'status' | 'sut_reservation_id'>

interface ChangeRequestOptions {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly finishOffer: Pick<FinishOffer, 'finish'>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
}

interface AttendOptions extends Pick<ChangeRequestOptions, 'reachableFor'> {
  readonly runner: Pick<Runner, 'run'>
  /** A request that waits, by id. @throws StoreUnavailable */
  readonly find: (_id: string) => Promise<Waiting | undefined>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** @param read reads the request after everything that has been recorded */
type Change = (
  sender: Sender,
  _id: string,
  read: () => Promise<E.Either<Failure, ShownRequest>>,
) => Promise<E.Either<Failure, Outcome<RequestsState>>>

/** How often a change is decided again, because the request was offered a SUT or ended meanwhile. */
const ATTEMPTS_MAX = 4

/** Whether a refusal is about a request that has changed since it was read. */
const isOutdated = ({ status }: ShownRequest, { code }: Failure): boolean =>
  status === 'waiting' && (code === 'request_over' || code === 'unavailable')

/**
 * Makes the functions that withdraw a request, whose open offer ends first, and that keep one alive. What became of it
 * while that was decided is read again, so that a refusal says how it ended.
 */
export const makeChangeRequest = ({ runner, finishOffer, reachableFor }: ChangeRequestOptions) => {
  const endOffer = ({ actor, requestId }: Sender, _id: string): Promise<E.Either<Failure, unknown>> =>
    orUnavailable(async () => {
      const request = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => findWaiting(queue, _id))
      if (request === undefined || !hasOffer(request)) return E.right(undefined)
      return isForbidden(actor, request.user_id) ? E.right(undefined) : finishOffer.finish(request, requestId)
    })

  const change =
    (
      prepare: typeof endOffer | undefined,
      commandFor: (of: Omit<Command<'WithdrawRequest'>, 'type'>) => Command<'WithdrawRequest'> | Command<'KeepRequest'>,
    ): Change =>
    async (sender, _id, read) => {
      for (let attempt = 1; ; attempt++) {
        const prepared = await prepare?.(sender, _id)
        if (prepared !== undefined && E.isLeft(prepared)) return prepared
        const shown = await read()
        if (E.isLeft(shown)) return shown
        const command = commandFor({ actor: sender.actor, _id, ...shown.right })
        const changed = await runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command })
        if (E.isRight(changed) || attempt === ATTEMPTS_MAX || !isOutdated(shown.right, changed.left)) return changed
      }
    }

  return {
    withdraw: change(endOffer, (of) => ({ type: 'WithdrawRequest', ...of })),
    keep: change(undefined, (of) => ({ type: 'KeepRequest', ...of, reachableFor: reachableFor() })),
  }
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
