import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { NEVER, openingAt } from '../../domain/matching/openings.ts'
import type { KnownSuts } from './suts.ts'

/** What every SUT has free at one quarter, by slot. Kept up to date by `refresh`. */
export interface Quarter {
  readonly refresh: () => void
  /** As in Opening. */
  readonly begins: (slot: number) => number
  readonly from: (slot: number) => number
  readonly until: (slot: number) => number
  readonly lastEnd: (slot: number) => number
  readonly retry: (slot: number) => number
}

/** Bytes of what is remembered. */
const KEPT_MAX = 48 * 1024 * 1024
const COLUMNS = 5
/** SUTs looked at in one turn of the event loop. */
const TURN_SIZE = 4_096

/** Remembers what was free at the quarters that were asked for last. */
export const makeQuarters = (suts: KnownSuts): ((quarter: number) => Promise<Quarter>) => {
  const kept = new LRUCache<number, Promise<Quarter>>({ maxSize: KEPT_MAX })

  const read = async (quarter: number): Promise<Quarter> => {
    /** One row a slot: begins, from, until, lastEnd, retry. */
    let rows = new Uint32Array(0)
    const grow = (): void => {
      if (rows.length >= COLUMNS * suts.size()) return
      const larger = new Uint32Array(Math.ceil(COLUMNS * suts.size() * 1.25))
      larger.set(rows)
      rows = larger
    }
    const look = (slot: number): void => {
      const sut = suts.at(slot)
      const at = COLUMNS * slot
      if (sut === undefined) {
        rows[at] = NEVER
        return
      }
      const { begins, from, until, lastEnd, retry } = openingAt(sut.windows, quarter, sut.turnaround)
      rows[at] = begins
      rows[at + 1] = from
      rows[at + 2] = until
      rows[at + 3] = lastEnd
      rows[at + 4] = retry
    }
    const moved = suts.moves.follow()
    for (let slot = 0; slot < suts.size(); slot++) {
      if (slot > 0 && slot % TURN_SIZE === 0) await turn()
      grow()
      look(slot)
    }
    const column =
      (n: number) =>
      (slot: number): number =>
        rows[COLUMNS * slot + n] ?? NEVER
    return {
      refresh: () => {
        grow()
        for (const slot of moved()) look(slot)
      },
      begins: column(0),
      from: column(1),
      until: column(2),
      lastEnd: column(3),
      retry: column(4),
    }
  }

  return (quarter) => {
    const known = kept.get(quarter)
    if (known !== undefined) return known
    const reading = read(quarter)
    kept.set(quarter, reading, { size: 4 * COLUMNS * suts.size() + 1 })
    return reading
  }
}
