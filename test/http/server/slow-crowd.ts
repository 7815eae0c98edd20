import { connect, type Socket } from 'node:net'

/** Clients that hold connections and send almost nothing. */
export interface SlowClients {
  /** Clients that send nothing. */
  readonly idle: number
  /** Clients that send a header byte by byte. */
  readonly headers: number
  /** Clients that send a body byte by byte, with credentials so that it is read. */
  readonly bodies: number
  /** Milliseconds between two bytes of a client. */
  readonly dripEvery: number
}

export interface Crowd {
  /** The numbers of bytes sent, and of clients cut off and reconnected. */
  readonly seen: { readonly drips: number; readonly cutOff: number }
  readonly leave: () => Promise<void>
}

const GET = 'GET /api/user/me HTTP/1.1\r\nHost: berth\r\nX: '
const post = (authorization: string): string =>
  `POST /api/sut/create HTTP/1.1\r\nHost: berth\r\nAuthorization: ${authorization}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n'

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket))
    socket.once('error', reject)
  })

/** Slow clients that reconnect when cut off, until they leave. */
export const gather = async (port: number, authorization: string, slow: SlowClients): Promise<Crowd> => {
  const seen = { drips: 0, cutOff: 0 }
  const present = new Set<Socket>()
  let isOver = false
  const come = async (beginning?: string): Promise<void> => {
    const socket = await open(port)
    present.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
    if (beginning !== undefined) socket.write(beginning)
    socket.once('close', () => {
      present.delete(socket)
      if (isOver) return
      seen.cutOff++
      void come(beginning).catch(() => undefined)
    })
    if (isOver) socket.destroy()
    else if (beginning !== undefined) drip(socket)
  }
  // Spreads the clients over the interval.
  const drip = (socket: Socket): void => {
    const wait = setTimeout(() => {
      const every = setInterval(() => {
        if (socket.write('a')) seen.drips++
      }, slow.dripEvery)
      socket.once('close', () => clearInterval(every))
    }, Math.random() * slow.dripEvery)
    socket.once('close', () => clearTimeout(wait))
  }
  await Promise.all([
    ...Array.from({ length: slow.idle }, () => come()),
    ...Array.from({ length: slow.headers }, () => come(GET)),
    ...Array.from({ length: slow.bodies }, () => come(post(authorization))),
  ])
  const leave = async (): Promise<void> => {
    isOver = true
    const gone = [...present].map((socket) => new Promise((resolve) => socket.destroy().once('close', resolve)))
    await Promise.all(gone)
  }
  return { seen, leave }
}
