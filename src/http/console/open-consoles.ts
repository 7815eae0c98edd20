import type { WebSocket } from 'ws'
import type { User } from '../../users/user.ts'
import type { AttachedEnd } from '../response/forwarded.ts'

export interface AccessWatch {
  /** Whether a user still may have a console, by the token or session that it was opened with. */
  readonly isHolder: (user: User) => boolean
  /** Calls the listener when that may have changed. Returns a function that ends this. */
  readonly onAccessChange: (listener: () => void) => () => void
}

/** Between checks for tokens and sessions that have expired. */
const EXPIRY_INTERVAL_MS = 1_000

interface OpenOne {
  readonly user: User
  readonly end: (cause: AttachedEnd) => void
}

/** The open consoles. The gateway ends those of users whose access ends, and this those of a token or a session. */
export const makeOpenConsoles = ({ isHolder, onAccessChange }: AccessWatch) => {
  const open = new Set<OpenOne>()
  let isClosed = false
  const endOthers = (): void => {
    for (const { user, end } of open) if (!isHolder(user)) end('barred')
  }
  const unwatch = onAccessChange(endOthers)
  const looking = setInterval(endOthers, EXPIRY_INTERVAL_MS).unref()
  return {
    add: (socket: WebSocket, one: OpenOne): void => {
      open.add(one)
      socket.once('close', () => open.delete(one))
      // The service began to stop while this console was being opened.
      if (isClosed) one.end('stopped')
    },
    isClosed: () => isClosed,
    closeAll: (): void => {
      isClosed = true
      unwatch()
      clearInterval(looking)
      for (const { end } of open) end('stopped')
    },
  }
}
export type OpenConsoles = ReturnType<typeof makeOpenConsoles>
