import type { Verdict } from '../forwarding.ts'
import type { Order, Question, Report } from '../messages.ts'

/** Milliseconds allowed for an answer of the main thread. */
const ANSWER_TIMEOUT_MS = 10_000

type Answer = Extract<Order, { readonly kind: 'verdict' | 'response' }>

/** Questions to the main thread. At most one is open for each connection. */
export interface Questions {
  readonly admit: (reservationId: string, address: string) => Promise<Verdict>
  readonly respond: (reservationId: string, challenge: Uint8Array) => Promise<Uint8Array | undefined>
  readonly take: (answer: Answer) => void
}

export const makeQuestions = (report: (question: Report) => void): Questions => {
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let last = 0

  /** Undefined if the main thread does not answer in time. */
  const ask = (question: Question): Promise<Answer | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const call = ++last
    const settle = (answer: Answer | undefined): void => {
      waiting.delete(call)
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => settle(undefined), ANSWER_TIMEOUT_MS)
    waiting.set(call, settle)
    report({ ...question, call })
    return promise
  }

  return {
    admit: async (reservationId, address) => {
      const answer = await ask({ kind: 'admit', reservationId, address })
      return answer?.kind === 'verdict' ? answer.verdict : { admitted: false, reason: 'undecided' }
    },
    respond: async (reservationId, challenge) => {
      const answer = await ask({ kind: 'challenge', reservationId, challenge })
      return answer?.kind === 'response' ? answer.response : undefined
    },
    take: (answer) => waiting.get(answer.call)?.(answer),
  }
}
