import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type MatchRequest, NO_MATCH } from '../protocol/router.ts'
import type { RequestQueues } from './pipelining.ts'

/** What takes connections that leave HTTP. */
export interface Upgrades {
  /** Whether a request is to be upgraded. Others are handled as if they had not asked for it. */
  readonly accepts: (request: IncomingMessage) => boolean
  /** Takes the connection, which Node no longer handles. `head` is what has arrived after the request. */
  readonly take: (request: IncomingMessage, socket: Socket, head: Buffer, isStopping: () => boolean) => void
}

/** Hands over connections after the responses to earlier requests. They count as connections until they close. */
export const handUpgrades = (server: Server, upgrades: () => Upgrades | undefined, queues: RequestQueues): void => {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // An unhandled error event would end the process.
    socket.on('error', () => socket.destroy())
    queues.afterResponses(socket, () => upgrades()?.take(request, socket, head, () => !server.listening))
  })
}

/** Upgrades the requests whose route does. Their target is a plain path. */
export const makeUpgrades = (match: MatchRequest): Upgrades => {
  const matchOf = ({ method = '', url = '' }: IncomingMessage) => (/[?#]/.test(url) ? NO_MATCH : match(method, url))
  return {
    accepts: (request) => matchOf(request).route?.upgrade?.accepts(request) === true,
    take: (request, ...[socket, head, isStopping]) => {
      const { route, params } = matchOf(request)
      route?.upgrade?.take({ request, socket, head, isStopping, route: route.path, params })
    },
  }
}
