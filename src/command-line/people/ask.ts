import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { type CallFailure, mayHaveActed, type ServiceCall, tryCall } from '../service/call.ts'
import { randomHexOf, type Terminal } from '../terminal/command.ts'

/** How long a request whose answer was lost is sent again. */
const WAIT_TIMEOUT_MS = 10_000
const RETRY_INTERVAL_MS = 100
const KEY_BYTES = 16

/** A request of a command, which adds an Idempotency-Key to a POST. */
export type Request<A> = Omit<ServiceCall<A>, 'idempotencyKey'>
/** @param within milliseconds in which a request that was not answered is sent again */
export type Ask = <A>(request: Request<A>, within?: number) => Promise<E.Either<CallFailure, A>>

/** What another attempt with the same key can have another answer to. */
const isRepeatable = ({ kind, code }: CallFailure): boolean =>
  kind === 'cut off' || ['unavailable', 'outcome_unknown', 'idempotency_in_progress'].includes(code ?? '')

/** Whether it says of earlier attempts with the same key too that they did nothing. */
const isFinal = ({ kind, code }: CallFailure): boolean => kind === 'refused' && code !== 'unavailable'

/**
 * Asks the service at BERTH_URL or on the data directory. A request whose answer was lost is sent again with its key, so
 * that it acts once. That a service is not there is said at once.
 */
export const makeAsk = (config: Config, terminal: Terminal): Ask => {
  const send = async <A>(call: ServiceCall<A>, within: number): Promise<E.Either<CallFailure, A>> => {
    let end = performance.now() + within
    /** The last failure of an attempt that may have been handled. */
    let lost: CallFailure | undefined
    for (;;) {
      const answered = await tryCall(config, call)
      if (E.isRight(answered)) return answered
      const { left: failure } = answered
      if (mayHaveActed(failure)) {
        // A slow answer that is lost in the end leaves time for another attempt too.
        if (lost === undefined) end = Math.max(end, performance.now() + within)
        lost = failure
      }
      const isLate = performance.now() >= end
      const isRepeated = isRepeatable(failure) || (lost !== undefined && failure.kind === 'absent')
      if (!isRepeated || isLate) return E.left(isFinal(failure) ? failure : (lost ?? failure))
      await delay(RETRY_INTERVAL_MS)
    }
  }
  return (request, within = terminal.waitMax ?? WAIT_TIMEOUT_MS) => {
    const call = request.method === 'POST' ? { ...request, idempotencyKey: randomHexOf(terminal)(KEY_BYTES) } : request
    return send(call, within)
  }
}
