import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'

// The command line imports this file, and must not load the whole service.

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

/**
 * Serves HTTP over a socket in the data directory that only its owner may connect to. The caller holds the directory's
 * lock, so a leftover socket is unused.
 *
 * @returns a function that closes it once requests in flight are answered
 */
export const openControlSocket = async (
  path: string,
  serve: RequestListener,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> => {
  await rm(path, { force: true })
  const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 8_192 }, serve)
  server.maxConnections = CONNECTIONS_MAX
  await once(server.listen(path), 'listening')
  server.on('error', onError)
  await chmod(path, 0o600)
  return async () => {
    const closed = new Promise((ended) => server.close(ended))
    server.closeIdleConnections()
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
    await closed
    clearTimeout(late)
  }
}
