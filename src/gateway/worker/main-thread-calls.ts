import type { Calls } from '../../concurrency/calls.ts'
import type { Verdict } from '../forwarding.ts'
import type { GatewayOwner } from '../messages.ts'

/** Of the main thread. */
const ANSWER_TIMEOUT_MS = 10_000

/** The answer, or another one if it takes too long. */
const inTime = async <A>(answer: Promise<A>, otherwise: A): Promise<A> => {
  const late = Promise.withResolvers<A>()
  const timer = setTimeout(late.resolve, ANSWER_TIMEOUT_MS, otherwise)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Questions to the main thread. At most one is open for each connection. */
export const makeMainThreadCalls = (call: Calls<GatewayOwner>['call']) => ({
  admit: (reservationId: string, address: string) =>
    inTime<Verdict>(call('admit', [reservationId, address]), { admitted: false, reason: 'undecided' }),
  respond: (reservationId: string, challenge: Uint8Array) =>
    inTime(call('answerChallenge', [reservationId, challenge]), undefined),
})

export type MainThreadCalls = ReturnType<typeof makeMainThreadCalls>
