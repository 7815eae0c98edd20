import { createServer, type Server, type Socket } from 'node:net'
import { SOCKET_OPTIONS } from '../connections/sockets.ts'

interface ListenerOptions {
  readonly host: string
  readonly port: number
  /** Milliseconds between attempts while another program has the port. */
  readonly retryMs: number
}

interface ListenerHooks {
  readonly onConnection: (socket: Socket) => void
  /** A connection was lost because the process has no file descriptors left. */
  readonly onExhausted: () => void
  readonly onOpened: () => void
  /** Called once, with the error's code, before it keeps retrying. */
  readonly onTaken: (code: string) => void
}

/**
 * Attempts, and milliseconds between them, before a port counts as taken. The system may take a moment to free the port
 * of a closed listener.
 */
const ATTEMPTS_MAX = 10
const RETRY_DELAY_MS = 10

/** Listens on a port, and retries while it is taken. */
export const listenOn = ({ host, port, retryMs }: ListenerOptions, hooks: ListenerHooks) => {
  const { promise: tried, resolve } = Promise.withResolvers<void>()
  let server: Server | undefined
  let retry: NodeJS.Timeout | undefined
  let isTaken = false
  let tries = 0

  const retryAfter = ({ code = 'unknown' }: NodeJS.ErrnoException): void => {
    if (++tries < ATTEMPTS_MAX && code === 'EADDRINUSE') {
      retry = setTimeout(attempt, RETRY_DELAY_MS)
      return
    }
    retry = setTimeout(attempt, retryMs)
    resolve()
    if (!isTaken) hooks.onTaken(code)
    isTaken = true
  }

  const attempt = (): void => {
    const attempted = createServer(SOCKET_OPTIONS, hooks.onConnection)
    server = attempted
    attempted.on('error', (error) => {
      if (server !== attempted) return
      if (attempted.listening) hooks.onExhausted()
      else retryAfter(error)
    })
    const onListening = (): void => {
      resolve()
      if (server === attempted) hooks.onOpened()
      else attempted.close()
    }
    try {
      attempted.listen({ host, port, exclusive: true }, onListening)
    } catch (error) {
      // Node throws for an invalid port number.
      retryAfter(error as Error)
    }
  }
  attempt()

  return {
    port,
    /** Resolves, after the first attempts, to whether the port is open. */
    isListening: async (): Promise<boolean> => {
      await tried
      return server?.listening === true
    },
    /** The port is free when it returns. */
    close: (): void => {
      clearTimeout(retry)
      const closing = server
      server = undefined
      resolve()
      if (closing?.listening) closing.close()
    },
  }
}

export type Listener = ReturnType<typeof listenOn>
