import { setTimeout as delay } from 'node:timers/promises'
import type { Order } from './arguments.ts'
import type { MachineAddress } from './programs/find.ts'
import type { Limits } from './service/limits.ts'
import { ClientFailure, EXIT, makeSayNews, type Output, refused, say, unreachable } from './service/output.ts'
import { acceptedBody, idOf, type Members, type RemoteService } from './service/service.ts'

/** What asks for a machine, waits for it and gives it back. */
export interface Asking {
  readonly service: RemoteService
  readonly limits: Limits
  readonly output: Output
}

/** Gives a reservation back. Says so if that fails: it then ends by itself. */
export const giveBack = async (
  { service, limits, output }: Asking,
  { id, keepalive }: { readonly id: string; readonly keepalive: number },
) => {
  const options = { outageMs: limits.releaseMs }
  const answer = await service.post(`/api/sut_reservation/${id}/cancel`, options).catch((error: unknown) => {
    if (error instanceof ClientFailure) return error
    throw error
  })
  if (!(answer instanceof ClientFailure) && (answer.status < 300 || /^reservation_/.test(String(answer.body.code))))
    return
  const { message } = answer instanceof ClientFailure ? answer : refused(String(answer.body.detail))
  say(output, `the machine cannot be given back: ${message}; it is free by itself in ${keepalive} s`)
}

const explainPlace = ({ position, waits_for, expected_at }: Members): string => {
  const expected = typeof expected_at === 'string' ? `, expected at ${expected_at}` : ''
  const reasons = Array.isArray(waits_for) ? waits_for.join(' ') : ''
  return `waiting as number ${Number(position ?? 0) + 1} in the queue${expected}: ${reasons}`
}

/** Withdraws a request, or gives back what was granted meanwhile. */
const leaveQueue = async (asking: Asking, path: string, { keepalive }: Order): Promise<void> => {
  const { body } = await asking.service.post(`${path}/withdraw`, { outageMs: asking.limits.releaseMs })
  if (body.code === 'request_granted') await giveBack(asking, { id: idOf(body.sut_reservation_id), keepalive })
}

/** Reads a request until it no longer waits, and says each time that something has changed. */
const waitInQueue = async (
  { service, limits, output }: Asking,
  path: string,
  order: Order,
  signal: AbortSignal,
): Promise<Members> => {
  // Who waits for a machine waits for the service, too.
  const outageMs = Math.max(limits.outageMs, order.wait * 1000)
  const sayNews = makeSayNews(output)
  for (let wait = 0; ; wait = limits.wait) {
    const began = performance.now()
    const request = acceptedBody(await service.get(`${path}?wait=${wait}`, { wait, outageMs, signal }))
    if (request.status !== 'waiting') return request
    sayNews(explainPlace(request))
    // A service with too many that wait, or that stops, answers at once.
    const isEarly = wait > 0 && performance.now() - began < limits.retryMs
    if (isEarly) await delay(limits.retryMs, undefined, { signal })
  }
}

/**
 * Asks for a machine, which is granted now or never where the order does not wait, and otherwise waits in the queue.
 * Returns the id of the reservation.
 *
 * @param interrupted ends the waiting
 */
export const obtainMachine = async (asking: Asking, order: Order, interrupted: AbortSignal): Promise<string> => {
  const { match, duration, wait, priority, keepalive } = order
  const body = { match, duration, wait, keepalive, ...(priority !== undefined && { priority }) }
  const answer = await asking.service.post('/api/sut_request/create', { body, giveUp: interrupted })
  if (answer.body.code === 'no_sut_free') throw new ClientFailure(EXIT.noMachine, String(answer.body.detail))
  let request = acceptedBody(answer)
  const path = `/api/sut_request/${idOf(request._id)}`
  try {
    interrupted.throwIfAborted()
    if (request.status === 'waiting') request = await waitInQueue(asking, path, order, interrupted)
  } catch (error) {
    await leaveQueue(asking, path, order).catch(() => undefined)
    throw error
  }
  if (request.status === 'granted') return idOf(request.sut_reservation_id)
  if (request.status === 'withdrawn') throw refused('the request was withdrawn')
  const isRetired = request.cause === 'retired'
  throw new ClientFailure(EXIT.noMachine, isRetired ? 'the machine was retired' : 'no machine became free in time')
}

const HOST = /^[A-Za-z0-9:][A-Za-z0-9.:%_-]{0,252}$/

/** The place of an answer of `GET /api/sut_reservation/<id>/connection`. Undefined while the port is not open. */
export const placeOf = ({ host, port, open }: Members): MachineAddress | undefined => {
  if (host === null) throw unreachable('this instance does not forward the machine; ask one that does')
  if (typeof host !== 'string' || !HOST.test(host) || !Number.isInteger(port))
    throw unreachable('the answer of the service has no host and port')
  return open === true ? { host, port: Number(port) } : undefined
}

const PORT_ERRORS: Readonly<Record<string, string>> = {
  port_taken: 'another program on the machine of the service has it',
  port_unusable: 'the system of the service refuses to open it',
}

/** Why the port of an answer of `.../connection` is not open, as far as the service knows. */
export const portProblemOf = ({ last_error }: Members): string | undefined =>
  PORT_ERRORS[String((last_error as Members | null | undefined)?.cause)]

/** Waits until the port of a reservation is open for this address. */
export const waitForPort = async (
  { service, limits, output }: Asking,
  id: string,
  signal: AbortSignal,
): Promise<MachineAddress> => {
  const until = performance.now() + limits.portMs
  const sayNews = makeSayNews(output)
  // At first without waiting: what is known already is said at once.
  for (let wait = 0; ; wait = limits.wait) {
    const path = `/api/sut_reservation/${id}/connection?wait=${wait}`
    const connection = acceptedBody(await service.get(path, { wait, signal }))
    const place = placeOf(connection)
    if (place !== undefined) {
      const { bound_here, released_unused_at: unused } = connection
      // Its port lets nobody else in.
      if (bound_here === false)
        acceptedBody(await service.post(`/api/sut_reservation/${id}/update`, { giveUp: signal }))
      if (typeof unused === 'string')
        say(output, `the machine is released at ${unused} unless somebody has connected by then`)
      return place
    }
    const problem = portProblemOf(connection)
    if (performance.now() > until)
      throw unreachable(`the port of the machine does not open${problem === undefined ? '' : `: ${problem}`}`)
    sayNews(problem && `the port ${Number(connection.port)} of the machine is not open yet: ${problem}`)
    // The service answers at once for a reservation that is over.
    if (wait > 0) await delay(limits.retryMs, undefined, { signal })
  }
}
