import { setTimeout as delay } from 'node:timers/promises'
import { ClientFailure, EXIT, refused } from './failure.ts'
import type { Limits } from './limits.ts'
import { type Output, say } from './output.ts'
import { acceptedBody, type Members, type Service } from './service.ts'

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

/** Waits until the port of a reservation is open for this address. */
export const waitForPort = async (
  service: Service,
  id: string,
  { limits, output }: { readonly limits: Limits; readonly output: Output },
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
      const { released_unused_at: unused } = connection
      if (typeof unused === 'string')
        say(output, `the machine is released at ${unused} unless somebody has connected by then`)
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
  { id, keepalive }: { readonly id: string; readonly keepalive: number },
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
