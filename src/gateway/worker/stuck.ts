import { makeJoined } from '../../concurrency/once.ts'
import type { ForwardedReservation } from './entry.ts'
import { keyOfSocket, readTables } from './unacknowledged.ts'

/** A client that connects in vain again and again must not keep the thread reading. */
const READ_INTERVAL_MS = 1_000

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Finds connections of which one side has acknowledged nothing for `stuckAfterMs`. The kernel gives up such a side only
 * after some 15 minutes, and Node cannot tell it otherwise (TCP_USER_TIMEOUT).
 */
export const makeStuck = (stuckAfterMs: number) => {
  let readAt = Number.NEGATIVE_INFINITY
  let table: ReadonlyMap<string, number> = new Map()
  const isFresh = (): boolean => performance.now() - readAt < READ_INTERVAL_MS

  const read = makeJoined(async (): Promise<void> => {
    table = await readTables(TABLES)
    readAt = performance.now()
  })

  return {
    /** Reads the kernel's tables. Undefined if they were read a moment ago. */
    refresh: (): Promise<void> | undefined => (isFresh() ? undefined : read()),
    /**
     * For each connection of a reservation that is stuck, what cuts it; the one that has been so for longest first. None
     * unless the tables were read a moment ago.
     */
    cutsOf: ({ connections }: ForwardedReservation): readonly (() => void)[] => {
      if (!isFresh() || table.size === 0) return []
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
    },
  }
}

export type Stuck = ReturnType<typeof makeStuck>

/** Cuts what is stuck. Resolves with whether there was any. */
export const cutStuck = async (entry: ForwardedReservation, stuck: Stuck): Promise<boolean> => {
  await stuck.refresh()
  const cuts = stuck.cutsOf(entry)
  for (const cut of cuts) cut()
  return cuts.length > 0
}
