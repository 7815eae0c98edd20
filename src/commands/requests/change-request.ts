import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../domain/failure.ts'
import { type RequestCommand, requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, type RequestsState, type Waiting } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type Kept, keptAgainFrom } from '../../domain/values/keepalive.ts'
import type { Outcome, Sender } from '../command-envelope.ts'
import { orUnavailable } from '../failures.ts'
import { type FinishOffer, findOffered, type RequestParts } from './search.ts'

interface ChangeRequestOptions extends Pick<RequestParts, 'runner' | 'reachableFor' | 'clock'> {
  readonly finishOffer: FinishOffer
  /** A request that waits, by id. @throws StoreUnavailable */
  readonly find: (_id: string) => Promise<Waiting | undefined>
}

/** A request and for whom it is. */
type Named = Pick<Waiting, '_id' | 'user_id'>
type Changed = Promise<E.Either<Failure, Outcome<RequestsState>>>

/** How often a withdrawal is decided again, because the request was offered another SUT meanwhile. */
const ATTEMPTS_MAX = 4

/** Makes the functions that withdraw a request, whose open offer ends first, and that keep one alive. */
export const makeChangeRequest = (options: ChangeRequestOptions) => {
  const { runner, finishOffer, find, reachableFor, clock } = options
  const run = (sender: Sender, command: RequestCommand): Changed =>
    runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command })

  const endOffer = (_id: string, requestId: string): Promise<E.Either<Failure, unknown>> =>
    orUnavailable(async () => {
      const request = await findOffered(options, _id)
      return request === undefined ? E.right(undefined) : finishOffer(request, requestId)
    })

  const keep = (sender: Sender, { _id, user_id }: Named): Changed =>
    run(sender, { type: 'KeepRequest', actor: sender.actor, _id, user_id, reachableFor: reachableFor() })

  return {
    keep,
    withdraw: async (sender: Sender, { _id, user_id }: Named): Changed => {
      for (let attempt = 1; ; attempt++) {
        const result = await endOffer(_id, sender.requestId)
        if (E.isLeft(result)) return result
        const changed = await run(sender, { type: 'WithdrawRequest', actor: sender.actor, _id, user_id })
        if (E.isRight(changed) || changed.left.code !== 'unavailable' || attempt === ATTEMPTS_MAX) return changed
      }
    },
    /**
     * Notes that somebody reads a request, which keeps it alive if it is theirs, or they made it. What cannot be recorded
     * is not noted. How it is kept alive then; undefined if it need not be.
     *
     * @param reader undefined if it does not count
     */
    attend: async (_id: string, reader: Sender | undefined): Promise<Kept | undefined> => {
      const request = await find(_id)
      const life = request?.life
      if (request === undefined || life === undefined || reader === undefined || clock() < keptAgainFrom(life))
        return life
      const isTheirs = reader.actor._id === request.user_id || reader.actor._id === request.asker._id
      const kept = isTheirs ? await keep(reader, request) : undefined
      return kept === undefined || E.isLeft(kept) ? life : findWaiting(kept.right.state.queue, _id)?.life
    },
  }
}
