import { setTimeout as delay } from 'node:timers/promises'
import type { Asking } from './machine.ts'
import { ClientFailure, EXIT, makeSayNews, refused } from './service/output.ts'
import { type Answer, type CallOptions, refusalOf } from './service/service.ts'

export interface KeptReservation {
  readonly id: string
  /** Seconds after which it is released unless it is kept alive. */
  readonly keepalive: number
  /** Seconds by which it is extended when little is left. */
  readonly extendBy: number | undefined
  readonly reservation: Answer
}

interface Keeping extends Asking {
  readonly held: KeptReservation
  /** Ends the keeping. */
  readonly signal: AbortSignal
}

const notInForce = (why: string): ClientFailure =>
  new ClientFailure(EXIT.notInForce, `the reservation is no longer in force: ${why}`)

/** When a reservation ends, on the clock of `performance.now()`: the clock of this machine may be wrong. */
const endOf = ({ body, now }: Answer): number => performance.now() + Date.parse(String(body.end_time)) - now

/** Until when it is in force if nothing keeps it alive any more, a second early: the service says its time in seconds. */
const inForceUntil = (answer: Answer): number => {
  const { keptUntil, now } = answer
  const kept = keptUntil === undefined ? Number.POSITIVE_INFINITY : performance.now() + keptUntil - now - 1_000
  return Math.min(endOf(answer), kept)
}

/** Whether a refusal means that the reservation is over. Others are about who asks, and not about the reservation. */
const isOver = ({ body }: Answer): boolean =>
  /^reservation_(over|cancelled|not_found)$/.test(String(body.code)) || /^(over|released)$/.test(String(body.state))

/**
 * Waits so long, or until the reservation is over. Nothing is made of a service that cannot be reached, refuses, or has
 * too many that wait: whether it is over shows when it is kept alive.
 */
const waitUntilOver = async ({ service, held: { id }, limits, signal }: Keeping, within: number): Promise<void> => {
  const until = performance.now() + within
  for (;;) {
    const began = performance.now()
    const wait = Math.min(Math.floor((until - began) / 1000), limits.wait)
    if (wait < 1) return delay(Math.max(until - began, 0), undefined, { signal })
    const path = `/api/sut_reservation/${id}?include=state&wait=${wait}`
    const read = await service
      .get(path, { signal, wait, outageMs: 0, answerMs: limits.retryMs })
      .catch((error: unknown) => {
        if (!(error instanceof ClientFailure)) throw error
      })
    if (read !== undefined && isOver(read)) return
    const isEarly = performance.now() - began < limits.retryMs
    if (isEarly) await delay(Math.min(limits.retryMs, until - performance.now()), undefined, { signal })
  }
}

/** Extends a reservation of which little is left, and says once why that cannot be. Resolves to its end. */
const makeExtendIfDue = ({ service, held: { id, extendBy }, limits, output }: Keeping) => {
  const sayNews = makeSayNews(output)
  return async (end: number, asked: CallOptions): Promise<number> => {
    if (extendBy === undefined || end - performance.now() > limits.extendMs) return end
    const answer = await service.post(`/api/sut_reservation/${id}/extend`, { body: { by: extendBy }, ...asked })
    if (answer.status < 300) return endOf(answer)
    sayNews(`the reservation cannot be extended: ${answer.body.detail}`)
    return end
  }
}

/**
 * Keeps a reservation alive, and long enough.
 *
 * @param onRefused called with the refusal while the service refuses to keep it alive, and with undefined when it does
 * @throws the reason when it is no longer in force
 */
const keep = async (keeping: Keeping, onRefused: (refusal: ClientFailure | undefined) => void): Promise<never> => {
  const { service, held, limits, signal } = keeping
  // A request without an answer must not lose it: there is time for another.
  const quarter = (held.keepalive * 1000) / 4
  const [every, answerMs] = [Math.min(limits.keepMs, quarter), Math.min(limits.answerMs, quarter)]
  const [extendIfDue, sayNews] = [makeExtendIfDue(keeping), makeSayNews(keeping.output)]
  let [end, inForce] = [endOf(held.reservation), inForceUntil(held.reservation)]
  // At once at first: connections do not keep what has had a heartbeat, whatever a client that is killed leaves behind.
  for (let within = 0; ; within = every) {
    await waitUntilOver(keeping, within)
    // No outage ends it before its time: a service that is down releases nothing.
    const options = { signal, outageMs: end - performance.now(), answerMs }
    const kept = await service.post(`/api/sut_reservation/${held.id}/keepalive`, options)
    if (isOver(kept)) throw notInForce(String(kept.body.detail))
    const refusal = kept.status < 300 ? undefined : refusalOf(kept)
    onRefused(refusal)
    if (refusal === undefined) {
      inForce = inForceUntil(kept)
      end = await extendIfDue(endOf(kept), options)
      continue
    }
    const left = inForce - performance.now()
    const seconds = Math.max(Math.round(left / 1000), 0)
    const { message } = refusal
    sayNews(message, `${message}; COMMAND runs on while the reservation is in force, ${seconds} s at most`)
    if (left > every) continue
    await delay(Math.max(left, 0), undefined, { signal })
    throw refused(`the reservation can no longer be kept alive: ${refusal.message}`)
  }
}

/** Does something while a reservation is kept. When it is no longer in force, aborts `lost`, waits, and rejects. */
export const whileKept = async (
  asking: Asking,
  held: KeptReservation,
  work: (lost: AbortSignal) => Promise<number>,
): Promise<number> => {
  const [done, lost] = [new AbortController(), new AbortController()]
  let refusal: ClientFailure | undefined
  const kept = keep({ ...asking, held, signal: done.signal }, (now) => {
    refusal = now
  }).catch((error: unknown) => {
    const isUnanswered = error instanceof ClientFailure && error.exitCode === EXIT.unreachable
    if (!done.signal.aborted) lost.abort(isUnanswered ? notInForce(error.message) : error)
  })
  try {
    const exitCode = await work(lost.signal)
    lost.signal.throwIfAborted()
    // Also where COMMAND has ended by itself: whoever reads the exit code must learn that the token has to be renewed.
    if (refusal !== undefined)
      throw refused(`COMMAND ended with ${exitCode}, but the service refuses: ${refusal.message}`)
    return exitCode
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    done.abort()
    await kept
  }
}
