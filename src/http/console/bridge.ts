import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket } from 'ws'
import type { SessionCause } from '../../domain/events/session.ts'

/** Connects a client in this process, as one that the reservation is bound to, unless it is over or a limit reached. */
export type AttachClient = (
  reservationId: string,
) => Promise<Attached | { readonly refused: 'over' | 'full' | 'undecided' }>

export interface Attached {
  /** Takes the place of a client's socket. It is destroyed when the connection is cut. */
  readonly stream: Duplex
  /** Why it was destroyed. */
  readonly endedBy: () => SessionCause
}

export interface ConsoleLimits {
  /** Maximum bytes of a message. */
  readonly messageMax: number
  /** Bytes buffered for the client above which no more are read from the SUT. */
  readonly bufferedMax: number
  /** Milliseconds between pings. A client that has not answered by the next one is disconnected. */
  readonly pingEvery: number
  /** Milliseconds of silence before TCP keep-alive probes the client. */
  readonly keepAliveAfter: number
  /** Milliseconds for the closing handshake. */
  readonly closeWithin: number
}

export const CONSOLE_LIMITS: ConsoleLimits = {
  messageMax: 2 ** 20,
  bufferedMax: 2 ** 18,
  pingEvery: 20_000,
  keepAliveAfter: 60_000,
  closeWithin: 1_000,
}

/** Close codes. From 4000 on they are the application's own (RFC 6455, section 7.4.2). */
const CLOSES: Readonly<Record<SessionCause, readonly [code: number, reason: string]>> = {
  over: [4000, 'The reservation is over.'],
  released: [4001, 'The reservation was released.'],
  sut: [4002, 'The SUT ended the connection.'],
  barred: [1008, "The holder's access has ended."],
  stopped: [1001, 'The service is stopping.'],
  lost: [1011, 'The gateway failed.'],
  // The client has closed already.
  client: [1000, ''],
}
const NOT_BINARY = [1003, 'Messages must be binary.'] as const

const keepPinging = (socket: WebSocket, pingEvery: number): void => {
  let isAlive = true
  const markAlive = (): void => {
    isAlive = true
  }
  const timer = setInterval(() => {
    // While its messages are held back, so are its pongs. TCP keep-alive then notices a client that is gone.
    const isSilent = !isAlive && !socket.isPaused
    if (isSilent || socket.readyState !== socket.OPEN) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingEvery)
  socket
    .on('pong', markAlive)
    .on('message', markAlive)
    .once('close', () => clearInterval(timer))
}

/** Joins a WebSocket and a connection to a SUT. Each ends the other. Returns a function that ends both. */
export const bridge = (
  socket: WebSocket,
  { stream, endedBy }: Attached,
  { bufferedMax, pingEvery, closeWithin }: ConsoleLimits,
): ((cause: SessionCause) => void) => {
  const close = (cause: SessionCause): void => {
    // Read again, for the client's part of the closing handshake.
    socket.resume()
    socket.close(...CLOSES[cause])
  }
  keepPinging(socket, pingEvery)
  // Before the stream gets the message, of which the SUT gets nothing then.
  socket.on('message', (_, isBinary) => {
    if (isBinary) return
    client.unpipe(stream)
    stream.end()
    socket.close(...NOT_BINARY)
  })
  // Each end pauses the other while it takes no more.
  const client = createWebSocketStream(socket, { writableHighWaterMark: bufferedMax })
  // A protocol violation or a broken connection. The socket closes by itself.
  client.on('error', () => undefined)
  stream.pipe(client, { end: false })
  client.pipe(stream)
  socket.once('close', () => {
    // What the client has sent still reaches the SUT, and what this sends nobody.
    stream.unpipe(client).resume()
    if (client.destroyed) stream.end()
    const late = setTimeout(() => stream.destroy(), closeWithin)
    stream.once('close', () => clearTimeout(late))
  })
  stream.on('error', () => undefined)
  stream.once('end', () => stream.end())
  // It may have closed before the console was opened.
  if (stream.closed) close(endedBy())
  else stream.once('close', () => close(endedBy()))
  return close
}
