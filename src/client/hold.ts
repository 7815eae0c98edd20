import { setTimeout as delay } from 'node:timers/promises'
import type { MachineAddress } from './programs/viewers.ts'
import { ClientFailure, EXIT, refused } from './service/failure.ts'
import type { Limits } from './service/limits.ts'
import { makeSayNews, type Output, say } from './service/output.ts'
import { acceptedBody, type Members, type RemoteService } from './service/service.ts'

const HOST = /^[A-Za-z0-9:][A-Za-z0-9.:%_-]{0,252}$/

/** The place of an answer of `GET /api/sut_reservation/<id>/connection`. Undefined while the port is not open. */
export const placeOf = ({ host, port, open }: Members): MachineAddress | undefined => {
  if (host === null) {
    throw new ClientFailure(EXIT.unreachable, 'this instance does not forward the machine; ask one that does')
  }
  if (typeof host !== 'string' || !HOST.test(host) || !Number.isInteger(port)) {
    throw new ClientFailure(EXIT.unreachable, 'the answer of the service has no host and port')
  }
  return open === true ? { host, port: Number(port) } : undefined
}

/** Binds a reservation to this address, unless it is bound to it: its port lets nobody else in. */
const bindHere = async (
  service: RemoteService,
  id: string,
  connection: Members,
  giveUp?: AbortSignal,
): Promise<void> => {
  if (connection.bound_here !== false) return
  acceptedBody(await service.post(`/api/sut_reservation/${id}/update`, giveUp && { giveUp }))
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
  service: RemoteService,
  id: string,
  { limits, output }: { readonly limits: Limits; readonly output: Output },
  signal?: AbortSignal,
): Promise<MachineAddress> => {
  const until = performance.now() + limits.portMs
  const sayNews = makeSayNews(output)
  // At first without waiting: what is known already is said at once.
  for (let wait = 0; ; wait = limits.wait) {
    const asked = { wait, ...(signal && { signal }) }
    const connection = acceptedBody(await service.get(`/api/sut_reservation/${id}/connection?wait=${wait}`, asked))
    const place = placeOf(connection)
    if (place !== undefined) {
      await bindHere(service, id, connection, signal)
      const { released_unused_at: unused } = connection
      if (typeof unused === 'string')
        say(output, `the machine is released at ${unused} unless somebody has connected by then`)
      return place
    }
    const problem = portProblemOf(connection)
    if (performance.now() > until) {
      const why = problem === undefined ? '' : `: ${problem}`
      throw new ClientFailure(EXIT.unreachable, `the port of the machine does not open${why}`)
    }
    sayNews(problem && `the port ${Number(connection.port)} of the machine is not open yet: ${problem}`)
    // The service answers at once for a reservation that is over.
    if (wait > 0) await delay(limits.retryMs, undefined, signal && { signal })
  }
}

/** Gives a reservation back. Says so if that fails: it then ends by itself. */
export const giveBack = async (
  service: RemoteService,
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
