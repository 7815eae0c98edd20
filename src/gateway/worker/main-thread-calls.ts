import type { Calls } from '../../concurrency/calls.ts'
import { within } from '../../concurrency/waits.ts'
import type { Verdict } from '../forwarding.ts'
import type { GatewayOwner } from '../messages.ts'

/** Of the main thread. */
const ANSWER_TIMEOUT_MS = 10_000

const UNDECIDED: Verdict = { admitted: false, reason: 'undecided' }

/** Questions to the main thread. At most one is open for each connection. */
export const makeMainThreadCalls = (call: Calls<GatewayOwner>['call']) => ({
  admit: (reservationId: string, address: string) =>
    within<Verdict, Verdict>(ANSWER_TIMEOUT_MS, call('admit', [reservationId, address]), UNDECIDED),
  respond: (reservationId: string, challenge: Uint8Array) =>
    within(ANSWER_TIMEOUT_MS, call('answerChallenge', [reservationId, challenge]), undefined),
})

export type MainThreadCalls = ReturnType<typeof makeMainThreadCalls>
