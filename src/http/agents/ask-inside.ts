import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { Handle } from '../server/listen.ts'

/** A request to a route of this service, with its query, and a body as JSON. */
export interface InnerRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | undefined
}

export interface InnerAnswer {
  readonly status: number
  readonly keptUntil: unknown
  /** Undefined if it has more bytes than asked for. */
  readonly text: string | undefined
}

/** Sends a request as the client of another one, through all checks but not over the network. */
export type AskInside = (client: IncomingMessage, request: InnerRequest, bytesMax: number) => Promise<InnerAnswer>

/** Who sends it, from where and to which host. */
const OF_CLIENT = ['authorization', 'host', 'x-forwarded-for', 'traceparent']

const toMessage = (client: IncomingMessage, { method, path, headers, body }: InnerRequest): IncomingMessage => {
  const bytes = body && Buffer.from(JSON.stringify(body))
  const taken = OF_CLIENT.flatMap((name) => (name in client.headers ? [[name, client.headers[name] as string]] : []))
  const ofBody = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }
  const all: Record<string, string> = { ...Object.fromEntries(taken), ...headers, ...ofBody }
  const message = new IncomingMessage(client.socket)
  if (bytes !== undefined) message.push(bytes)
  message.push(null)
  // HTTP/1.0 has no chunks.
  const head = { method, url: path, headers: all, rawHeaders: Object.entries(all).flat(), httpVersionMajor: 1 }
  return Object.assign(message, head, { httpVersionMinor: 0, complete: true })
}

/** @param app answers the requests, once there is one */
export const makeAskInside =
  (app: () => Handle): AskInside =>
  async (client, request, bytesMax) => {
    const message = toMessage(client, request)
    const response = new ServerResponse(message)
    const [pieces, ends] = [[] as Buffer[], Promise.withResolvers<void>()]
    let left = bytesMax
    const write: Writable['_write'] = (bytes: Buffer, _encoding, done) => {
      left -= bytes.length
      if (left >= 0) pieces.push(bytes)
      done()
    }
    response.assignSocket(new Writable({ write }) as unknown as Socket)
    app()(message, response.once('finish', ends.resolve).once('close', ends.resolve))
    await ends.promise
    const raw = Buffer.concat(pieces).toString()
    const text = left < 0 ? undefined : raw.slice(raw.indexOf('\r\n\r\n') + 4)
    return { status: response.statusCode, keptUntil: response.getHeader('keepalive-until'), text }
  }
