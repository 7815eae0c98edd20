import { connect, type Socket } from 'node:net'
import { type Answer, answerOf } from '../client.ts'

/** A connection that sends raw bytes, valid HTTP or not. */
export interface RawConnection {
  readonly send: (bytes: string | Uint8Array) => void
  /** The next answer on this connection. Undefined if it closes without one. */
  readonly answer: () => Promise<RawAnswer | undefined>
  /** Resolves when the service has ended the connection. */
  readonly ended: () => Promise<void>
  /** Resets the connection, like a client that has crashed. */
  readonly reset: () => void
  readonly close: () => void
}

export interface RawAnswer extends Answer {
  readonly statusLine: string
  /** Whether the answer is final. An informational one is followed by another. */
  readonly isFinal: boolean
}

/** Milliseconds after which a missing answer is a failure. */
const WITHIN = 20_000

const header = (head: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )

/** Parses the first complete answer, and returns its length in bytes. An answer to HEAD has no body. */
const firstAnswer = (received: Buffer, isToHead: boolean): { answer: RawAnswer; length: number } | undefined => {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Z]/i.exec(statusLine)?.[1])
  const headers = header(lines)
  const isBare = status < 200 || status === 204 || status === 304 || isToHead
  const length = end + 4 + (isBare ? 0 : Number(headers['content-length'] ?? 0))
  if (received.length < length) return undefined
  const answer = answerOf(status, headers, received.subarray(end + 4, length).toString())
  return { answer: Object.assign(answer, { statusLine, isFinal: status >= 200 }), length }
}

const withTimeLimit = <A>(promise: Promise<A>, what: string): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} within ${WITHIN} ms`)), WITHIN)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

const over = (socket: Socket, isToHead: boolean): RawConnection => {
  let received = Buffer.alloc(0)
  let isOver = false
  let wake = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const changed = (): void => {
    wake.resolve()
    wake = Promise.withResolvers<void>()
  }
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    changed()
  })
  const end = (): void => {
    isOver = true
    ended.resolve()
    changed()
  }
  socket.on('end', end)
  socket.on('close', end)
  socket.on('error', end)
  const next = async (): Promise<RawAnswer | undefined> => {
    for (;;) {
      const first = firstAnswer(received, isToHead)
      if (first !== undefined) {
        received = received.subarray(first.length)
        return first.answer
      }
      if (isOver) return undefined
      await wake.promise
    }
  }
  return {
    send: (bytes) => socket.write(bytes),
    answer: () => withTimeLimit(next(), 'no answer'),
    ended: () => withTimeLimit(ended.promise, 'not ended'),
    reset: () => socket.resetAndDestroy(),
    close: () => socket.destroy(),
  }
}

export const openRaw = (port: number, isToHead = false): Promise<RawConnection> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(over(socket, isToHead))
    })
  })

/** Sends bytes on a new connection and returns the first final answer. */
export const exchange = async (port: number, bytes: string | Uint8Array): Promise<RawAnswer | undefined> => {
  const connection = await openRaw(port, Buffer.from(bytes).subarray(0, 5).toString() === 'HEAD ')
  try {
    connection.send(bytes)
    let answer = await connection.answer()
    while (answer !== undefined && !answer.isFinal) answer = await connection.answer()
    return answer
  } finally {
    connection.close()
  }
}
