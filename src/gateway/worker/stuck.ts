import { readFileSync } from 'node:fs'
import type { Entry } from './entry.ts'
import { keyOfSocket, readUnacknowledged } from './unacknowledged.ts'

/** For each connection of a reservation that is stuck, what cuts it; the one that has been so for longest first. */
export type StuckOf = (entry: Entry) => readonly (() => void)[]

/** Milliseconds between reads: whoever connects in vain again and again must not keep the thread reading. */
const READ_EVERY_MS = 1_000

const readTable = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // There is no /proc, or no IPv6.
    return ''
  }
}

/** For how long each connection of this machine has sent in vain, as of a moment ago. */
const makeUnacknowledged = () => {
  let readAt = Number.NEGATIVE_INFINITY
  let found: ReadonlyMap<string, number> = new Map()
  return (): ReadonlyMap<string, number> => {
    if (performance.now() - readAt >= READ_EVERY_MS) {
      found = readUnacknowledged(`${readTable('/proc/net/tcp')}${readTable('/proc/net/tcp6')}`)
      readAt = performance.now()
    }
    return found
  }
}

/**
 * Finds connections of which one side has acknowledged nothing for `stuckAfterMs`. The kernel gives up such a side only
 * after some 15 minutes, and Node cannot tell it otherwise (TCP_USER_TIMEOUT).
 */
export const makeStuckOf = (stuckAfterMs: number): StuckOf => {
  const unacknowledged = makeUnacknowledged()
  return ({ connections }) => {
    const table = unacknowledged()
    if (table.size === 0) return []
    return [...connections.values()]
      .flatMap(({ connection }) =>
        [...connection.sockets()].map(([socket, side]) => ({
          ms: table.get(keyOfSocket(socket) ?? '') ?? 0,
          cut: () => connection.cut(side),
        })),
      )
      .filter(({ ms }) => ms >= stuckAfterMs)
      .sort((a, b) => b.ms - a.ms)
      .map(({ cut }) => cut)
  }
}

/** Cuts what is stuck. Returns whether there was any. */
export const cutStuck = (entry: Entry, stuckOf: StuckOf): boolean => {
  const stuck = stuckOf(entry)
  for (const cut of stuck) cut()
  return stuck.length > 0
}
