import { setTimeout as delay } from 'node:timers/promises'
import { ClientFailure, EXIT, refused } from './failure.ts'
import type { Limits } from './limits.ts'
import { type Output, say } from './output.ts'
import { type Answer, type Asked, acceptedBody, type Members, type Service } from './service.ts'

/** Where a machine is reached. Both become arguments and variables of programs. */
export interface Place {
  readonly host: string
  readonly port: number
}

const HOST = /^[A-Za-z0-9:][A-Za-z0-9.:%_-]{0,252}$/

/** The place of an answer of `GET /api/sut_reservation/<id>/connection`. Undefined while the port is not open. */
export const placeOf = ({ host, port, open }: Members): Place | undefined => {
  if (host === null) {
    throw new ClientFailure(EXIT.unreachable, 'this instance does not forward the machine; ask one that does')
  }
  if (typeof host !== 'string' || !HOST.test(host) || !Number.isInteger(port)) {
    throw new ClientFailure(EXIT.unreachable, 'the answer of the service has no host and port')
  }
  return open === true ? { host, port: Number(port) } : undefined
}

/** Binds a reservation to this address, unless it is bound to it: its port lets nobody else in. */
const bindHere = async (service: Service, id: string, connection: Members, giveUp?: AbortSignal): Promise<void> => {
  if (connection.bound_here !== false) return
  acceptedBody(await service.post(`/api/sut_reservation/${id}/update`, giveUp && { giveUp }))
}

/** A reservation that the client has. */
export interface Held {
  readonly id: string
  /** Seconds after which it is released unless it is kept alive. */
  readonly keepalive: number
  /** Seconds by which it is extended when little is left. */
  readonly extendBy: number | undefined
  /** The answer that has it. */
  readonly reservation: Answer
}

const notInForce = (why: string): ClientFailure =>
  new ClientFailure(EXIT.notInForce, `the reservation is no longer in force: ${why}`)

/** When a reservation ends, on the clock of `performance.now()`: the clock of this machine may be wrong. */
const endOf = ({ body, now }: Answer): number => performance.now() + Date.parse(String(body.end_time)) - now

/** Extends a reservation by its `extendBy`. Resolves to its new end, or to what the service says against it. */
const extend = async (service: Service, { id, extendBy }: Held, asked: Asked): Promise<number | string> => {
  const answer = await service.post(`/api/sut_reservation/${id}/extend`, { body: { by: extendBy }, ...asked })
  return answer.status < 300 ? endOf(answer) : String(answer.body.detail)
}

/** Keeps a reservation alive, and long enough. Resolves to the reason when it is no longer in force. */
const keep = async (
  service: Service,
  held: Held,
  { limits, output, signal }: { limits: Limits; output: Output; signal: AbortSignal },
): Promise<string> => {
  // A request without an answer must not lose it: there is time for another.
  const quarter = (held.keepalive * 1000) / 4
  const [every, answerMs] = [Math.min(limits.keepMs, quarter), Math.min(limits.answerMs, quarter)]
  let end = endOf(held.reservation)
  let said: string | undefined
  for (;;) {
    await delay(every, undefined, { signal })
    // No outage ends it before its time: a service that is down releases nothing.
    const outageMs = end - performance.now()
    const kept = await service.post(`/api/sut_reservation/${held.id}/keepalive`, { signal, outageMs, answerMs })
    if (kept.status >= 300) return String(kept.body.detail)
    end = endOf(kept)
    if (held.extendBy === undefined || end - performance.now() > limits.extendMs) continue
    const extended = await extend(service, held, { signal, outageMs: end - performance.now(), answerMs })
    if (typeof extended === 'number') end = extended
    else if (extended !== said) {
      said = extended
      say(output, `the reservation cannot be extended: ${said}`)
    }
  }
}

/** Does something while a reservation is kept. When it is no longer in force, aborts `lost`, waits, and rejects. */
export const whileKept = async <A>(
  service: Service,
  held: Held,
  { limits, output }: { readonly limits: Limits; readonly output: Output },
  work: (lost: AbortSignal) => Promise<A>,
): Promise<A> => {
  const [done, lost] = [new AbortController(), new AbortController()]
  const isDone = (error: unknown): string => {
    if (done.signal.aborted) return ''
    if (error instanceof ClientFailure) return error.message
    throw error
  }
  let why: string | undefined
  const kept = keep(service, held, { limits, output, signal: done.signal })
    .catch(isDone)
    .then((reason) => {
      if (done.signal.aborted) return
      why = reason
      lost.abort()
    })
  try {
    const result = await work(lost.signal)
    if (why !== undefined) throw notInForce(why)
    return result
  } catch (error) {
    throw why === undefined ? error : notInForce(why)
  } finally {
    done.abort()
    await kept
  }
}

/** Waits until the port of a reservation is open for this address. */
export const waitForPort = async (
  service: Service,
  id: string,
  limits: Limits,
  signal?: AbortSignal,
): Promise<Place> => {
  const until = performance.now() + limits.portMs
  for (;;) {
    const asked = { wait: limits.wait, ...(signal && { signal }) }
    const answer = await service.get(`/api/sut_reservation/${id}/connection?wait=${limits.wait}`, asked)
    const connection = acceptedBody(answer)
    const place = placeOf(connection)
    if (place !== undefined) {
      await bindHere(service, id, connection, signal)
      return place
    }
    if (performance.now() > until) throw new ClientFailure(EXIT.unreachable, 'the port of the machine does not open')
    // The service answers at once for a reservation that is over.
    await delay(limits.retryMs, undefined, signal && { signal })
  }
}

/** Gives a reservation back. Says so if that fails: it then ends by itself. */
export const giveBack = async (
  service: Service,
  { id, keepalive }: Pick<Held, 'id' | 'keepalive'>,
  outageMs: number,
  output: Output,
) => {
  const answer = await service.post(`/api/sut_reservation/${id}/cancel`, { outageMs }).catch((error: unknown) => {
    if (error instanceof ClientFailure) return error
    throw error
  })
  if (!(answer instanceof ClientFailure) && (answer.status < 300 || /^reservation_/.test(String(answer.body.code))))
    return
  const { message } = answer instanceof ClientFailure ? answer : refused(String(answer.body.detail))
  say(output, `the machine cannot be given back: ${message}; it is free by itself in ${keepalive} s`)
}
