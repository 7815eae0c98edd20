import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Upgraded } from '../protocol/route.ts'
import { linger } from '../response/unread-body.ts'
import type { Handle } from './bursts.ts'

/** What has arrived after each request that is to be upgraded. */
const heads = new WeakMap<IncomingMessage, Buffer>()

/**
 * Hands on the requests that are to be upgraded as if they were not: they may be refused like any other. Node no longer
 * handles their sockets. A client that has not waited for earlier responses is disconnected.
 */
export const handUpgrades = (server: Server, handle: Handle, isWaiting: (socket: Socket) => boolean): void => {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // An unhandled error event would end the process.
    socket.on('error', () => socket.destroy())
    if (isWaiting(socket)) return void socket.destroy()
    heads.set(request, head)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => linger(socket))
    handle(request, response)
  })
}

/** The connection of a request that is to be upgraded. */
export const upgradedOf = (request: IncomingMessage, response: ServerResponse): Upgraded | undefined => {
  const head = heads.get(request)
  if (head === undefined) return undefined
  const { socket } = request
  return { request, socket, head, takeOver: () => response.detachSocket(socket) }
}
