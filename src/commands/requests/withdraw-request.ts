import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../domain/failure.ts'
import { requestDecider, type WithdrawRequest } from '../../domain/request/decide.ts'
import type { RequestsState } from '../../domain/request/state.ts'
import { findWaiting, hasOffer } from '../../domain/request/waiting.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { Outcome, Runner, Sender } from '../command-envelope.ts'
import { orUnavailable } from '../matching/offers.ts'
import type { FinishOffer } from './finish-offer.ts'

/** A request as its document shows it. */
export type ShownRequest = Pick<WithdrawRequest, 'user_id' | 'status' | 'sut_reservation_id'>

interface WithdrawOptions {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly finishOffer: FinishOffer
}

/** How often it is decided again, because the request was offered a SUT or ended meanwhile. */
const ATTEMPTS_MAX = 4

/** Whether a refusal is about a request that has changed since it was read. */
const isOutdated = ({ status }: ShownRequest, { code }: Failure): boolean =>
  status === 'waiting' && (code === 'request_over' || code === 'unavailable')

/**
 * Makes the function that withdraws a request. An offer of it ends first. What became of the request while it was
 * decided is read again, so that a refusal says how it ended.
 *
 * @param read reads the request after everything that has been recorded
 */
export const makeWithdrawRequest =
  ({ runner, finishOffer }: WithdrawOptions) =>
  async (
    sender: Sender,
    _id: string,
    read: () => Promise<E.Either<Failure, ShownRequest>>,
  ): Promise<E.Either<Failure, Outcome<RequestsState>>> => {
    const endOffer = (): Promise<E.Either<Failure, unknown>> =>
      orUnavailable(async () => {
        const request = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => findWaiting(queue, _id))
        if (request === undefined || !hasOffer(request)) return E.right(undefined)
        return isForbidden(sender.actor, request.user_id) ? E.right(undefined) : finishOffer(request, sender.requestId)
      })
    for (let attempt = 1; ; attempt++) {
      const ended = await endOffer()
      if (E.isLeft(ended)) return ended
      const shown = await read()
      if (E.isLeft(shown)) return shown
      const command = { type: 'WithdrawRequest', actor: sender.actor, _id, ...shown.right } as const
      const withdrawn = await runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command })
      if (E.isRight(withdrawn) || attempt === ATTEMPTS_MAX || !isOutdated(shown.right, withdrawn.left)) return withdrawn
    }
  }
