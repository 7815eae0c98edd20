import { setTimeout as delay } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Attached, AttachedEnd } from '../routes/access/forwarded.ts'

/** Limits of a console. */
export interface ConsoleLimits {
  /** Bytes of a message. */
  readonly messageMax: number
  /** Bytes on their way to the client above which no more are taken from the SUT. */
  readonly bufferedMax: number
  /** Milliseconds between pings. A client that has not answered one by the next is cut off. */
  readonly pingEvery: number
  /** Milliseconds for the closing handshake. */
  readonly closeWithin: number
}

export const CONSOLE_LIMITS: ConsoleLimits = {
  messageMax: 2 ** 20,
  bufferedMax: 2 ** 18,
  pingEvery: 20_000,
  closeWithin: 1_000,
}

/** Close codes. From 4000 on they are the application's own (RFC 6455, section 7.4.2). */
const CLOSES: Readonly<Record<AttachedEnd, readonly [code: number, reason: string]>> = {
  over: [4000, 'The reservation is over.'],
  released: [4001, 'The reservation was released.'],
  sut: [4002, 'The SUT ended the connection.'],
  barred: [1008, 'The holder may no longer use reservations.'],
  stopped: [1001, 'The service is stopping.'],
  lost: [1011, 'The gateway failed.'],
  // The client has closed already.
  client: [1000, ''],
}
const NOT_BINARY = [1003, 'Messages must be binary.'] as const

/** Milliseconds to learn why the gateway has closed a stream. A SUT that was never reached gives no reason. */
const CAUSE_WITHIN = 500

/** Pings the client until it is gone. */
const keepPinging = (socket: WebSocket, pingEvery: number): void => {
  let isAlive = true
  const show = (): void => {
    isAlive = true
  }
  const timer = setInterval(() => {
    // While its messages are held back, its answers are, too. TCP's keep-alive notices a client that is gone.
    const isSilent = !isAlive && !socket.isPaused
    if (isSilent || socket.readyState !== socket.OPEN) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingEvery)
  socket
    .on('pong', show)
    .on('message', show)
    .once('close', () => clearInterval(timer))
}

/** From the SUT to the client. Takes no more while the client has too much to read. */
const passToClient = (socket: WebSocket, stream: Attached['stream'], bufferedMax: number): void => {
  const goOn = (): void => {
    if (stream.isPaused() && socket.bufferedAmount < bufferedMax / 2) stream.resume()
  }
  stream.on('data', (bytes: Buffer) => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(bytes, { binary: true }, goOn)
    if (socket.bufferedAmount > bufferedMax) stream.pause()
  })
}

/** From the client to the SUT. Reads no more while the SUT takes none. */
const passToSut = (socket: WebSocket, stream: Attached['stream']): void => {
  socket.on('message', (bytes, isBinary) => {
    if (!isBinary) return socket.close(...NOT_BINARY)
    if (!stream.writable || stream.write(bytes as Buffer)) return
    socket.pause()
  })
  stream.on('drain', () => socket.resume())
}

/** Connects a WebSocket with a connection to a SUT. Each ends the other. Returns what ends both. */
export const bridge = (
  socket: WebSocket,
  { stream, ended, leave }: Attached,
  { bufferedMax, pingEvery, closeWithin }: ConsoleLimits,
): ((cause: AttachedEnd) => void) => {
  const close = (cause: AttachedEnd): void => {
    // The client's part of the closing handshake must be read.
    socket.resume()
    socket.close(...CLOSES[cause])
  }
  keepPinging(socket, pingEvery)
  passToClient(socket, stream, bufferedMax)
  passToSut(socket, stream)
  // The protocol is violated or the connection broken. The socket closes by itself.
  socket.on('error', () => undefined)
  socket.once('close', () => {
    // What the client has sent still arrives.
    stream.resume().end()
    const late = setTimeout(() => stream.destroy(), closeWithin)
    stream.once('close', () => clearTimeout(late))
  })
  stream.on('error', () => undefined)
  stream.once('end', () => stream.end())
  stream.once('close', async () => {
    const unknown = delay(CAUSE_WITHIN, 'sut' as const, { ref: false })
    close(await Promise.race([ended, unknown]))
    leave()
  })
  return close
}
