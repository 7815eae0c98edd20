import { setTimeout as delay } from 'node:timers/promises'
import type { Order } from './arguments.ts'
import { giveBack } from './hold.ts'
import { ClientFailure, EXIT, refused } from './service/failure.ts'
import type { Limits } from './service/limits.ts'
import { makeSayNews, type Output } from './service/output.ts'
import { acceptedBody, idOf, type Members, type RemoteService } from './service/service.ts'

interface Waiting {
  readonly service: RemoteService
  readonly limits: Limits
  readonly output: Output
  /** Ends the waiting. */
  readonly interrupted: AbortSignal
}

/** The place of a request, and why it waits. */
const explain = ({ position, waits_for, expected_at }: Members): string => {
  const expected = typeof expected_at === 'string' ? `, expected at ${expected_at}` : ''
  const reasons = Array.isArray(waits_for) ? waits_for.join(' ') : ''
  return `waiting as number ${Number(position ?? 0) + 1} in the queue${expected}: ${reasons}`
}

/** Withdraws a request, or gives back what was granted meanwhile. */
const giveUp = async ({ service, limits, output }: Waiting, path: string, { keepalive }: Order): Promise<void> => {
  const { body } = await service.post(`${path}/withdraw`, { outageMs: limits.releaseMs })
  if (body.code !== 'request_granted') return
  await giveBack(service, { id: idOf(body.sut_reservation_id), keepalive }, limits.releaseMs, output)
}

/** Reads a request until it no longer waits, and says each time that something has changed. */
const waitForEnd = async (
  { service, limits, output, interrupted }: Waiting,
  path: string,
  order: Order,
): Promise<Members> => {
  // Who waits for a machine waits for the service, too.
  const outageMs = Math.max(limits.outageMs, order.wait * 1000)
  const sayNews = makeSayNews(output)
  for (let wait = 0; ; wait = limits.wait) {
    const asked = performance.now()
    const request = acceptedBody(await service.get(`${path}?wait=${wait}`, { wait, outageMs, signal: interrupted }))
    if (request.status !== 'waiting') return request
    sayNews(explain(request))
    // A service with too many that wait, or that stops, answers at once.
    const isEarly = wait > 0 && performance.now() - asked < limits.retryMs
    if (isEarly) await delay(limits.retryMs, undefined, { signal: interrupted })
  }
}

/**
 * Asks for a machine, which is granted now or never where the order does not wait, and otherwise waits in the queue.
 * Returns the id of the reservation.
 */
export const obtainMachine = async (waiting: Waiting, order: Order): Promise<string> => {
  const { service, interrupted } = waiting
  const { match, duration, wait, priority, keepalive } = order
  const body = { match, duration, wait, keepalive, ...(priority !== undefined && { priority }) }
  const answer = await service.post('/api/sut_request/create', { body, giveUp: interrupted })
  if (answer.body.code === 'no_sut_free') throw new ClientFailure(EXIT.noMachine, String(answer.body.detail))
  let request = acceptedBody(answer)
  const path = `/api/sut_request/${idOf(request._id)}`
  try {
    interrupted.throwIfAborted()
    if (request.status === 'waiting') request = await waitForEnd(waiting, path, order)
  } catch (error) {
    await giveUp(waiting, path, order).catch(() => undefined)
    throw error
  }
  if (request.status === 'granted') return idOf(request.sut_reservation_id)
  if (request.status === 'withdrawn') throw refused('the request was withdrawn')
  const isRetired = request.cause === 'retired'
  throw new ClientFailure(EXIT.noMachine, isRetired ? 'the machine was retired' : 'no machine became free in time')
}
