import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'

/** Maximum request size in bytes. */
const REQUEST_MAX = 64 * 1024
/** Concurrent connections. People type these commands. */
const CONNECTIONS_MAX = 16
/** Maximum length of a socket path in bytes, without the terminating zero (`sun_path` of sockaddr_un). */
const PATH_MAX = process.platform === 'linux' ? 107 : 103

/** For requests in flight when the socket is closed. */
const DRAIN_TIMEOUT_MS = 5_000

/** File name of the socket for commands to the running service. */
export const CONTROL_SOCKET = 'berth.sock'

/** Why a path cannot be used for a socket; undefined if it can. */
export const socketPathProblem = (path: string): string | undefined => {
  if (process.platform === 'win32') return 'this system does not support socket files'
  const length = Buffer.byteLength(path)
  return length > PATH_MAX ? `its path has ${length} bytes; a socket path can have at most ${PATH_MAX}` : undefined
}

/** Handles a command. Left explains in a sentence why it was refused. */
export type ControlHandler = (input: unknown) => Promise<E.Either<string, object>>

export interface ControlSocketOptions {
  readonly path: string
  /** Handlers by command, as typed: `clock confirm`. */
  readonly handlers: Readonly<Record<string, ControlHandler>>
  /** Answers requests for routes, which begin with `/api/`. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void
  readonly onError: (error: unknown) => void
}

const read = async (request: IncomingMessage): Promise<E.Either<string, unknown>> => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > REQUEST_MAX) return E.left(`the request has more than ${REQUEST_MAX} bytes`)
      chunks.push(chunk)
    }
    return E.right(JSON.parse(Buffer.concat(chunks).toString()))
  } catch {
    return E.left('the request cannot be read')
  }
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify(body))
}

const handle = async (options: ControlSocketOptions, request: IncomingMessage, response: ServerResponse) => {
  const { handlers, serve } = options
  if (request.url?.startsWith('/api/')) return serve(request, response)
  const name = new URLSearchParams((request.url ?? '').slice(2)).get('command') ?? ''
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (handler === undefined || request.method !== 'POST') {
    return answer(response, 404, { error: 'the running service does not know this command; it is a different version' })
  }
  const input = await read(request)
  const done = E.isLeft(input) ? input : await handler(input.right)
  return E.isLeft(done) ? answer(response, 422, { error: done.left }) : answer(response, 200, done.right)
}

/**
 * Listens for commands: HTTP over a socket in the data directory that only its owner may connect to. The caller holds
 * the directory's lock, so a leftover socket is unused.
 *
 * @returns a function that closes it once requests in flight are answered
 */
export const openControlSocket = async (options: ControlSocketOptions): Promise<() => Promise<void>> => {
  const { path, onError } = options
  await rm(path, { force: true })
  const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 8_192 }, (request, response) => {
    handle(options, request, response).catch((error: unknown) => {
      onError(error)
      if (!response.headersSent) answer(response, 500, { error: 'the service failed; see its log' })
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(path, resolve)
  await promise
  server.off('error', reject).on('error', onError)
  await chmod(path, 0o600)
  return async () => {
    const closed = new Promise((ended) => server.close(ended))
    server.closeIdleConnections()
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
    await closed
    clearTimeout(late)
  }
}
