import type { Duplex } from 'node:stream'
import { onceEnded } from './sockets.ts'

/**
 * Calls `onIdle` once a client has half-closed and nothing has moved for `timeoutMs`. Node no longer reads from such a
 * socket, so it notices neither a reset nor a failed keep-alive: a client that is gone looks like one that waits.
 */
export const watchHalfClosed = (client: Duplex, movedAt: () => number, timeoutMs: number, onIdle: () => void) => {
  let closedAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  /**
   * Since when nothing has moved after the client half-closed, in milliseconds of the monotonic clock. Undefined before
   * that.
   */
  const idleSince = (): number | undefined => (closedAt === undefined ? undefined : Math.max(closedAt, movedAt()))

  const check = (): void => {
    const left = timeoutMs - (performance.now() - (idleSince() ?? 0))
    if (left <= 0) onIdle()
    else timer = setTimeout(check, Math.ceil(left))
  }
  onceEnded(client, () => {
    closedAt = performance.now()
    if (!isStopped) check()
  })

  return {
    idleSince,
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

export type HalfClosed = ReturnType<typeof watchHalfClosed>
