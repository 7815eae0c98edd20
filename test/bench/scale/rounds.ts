import { readFileSync } from 'node:fs'
import { cpuOf, isLinux, quantile } from '../measure/processes.ts'
import { FOREIGN_MAX, foreignCores, type Moment } from '../measure/quiet.ts'
import type { Row, TableRow } from '../measure/table.ts'

/** Figures, with the foreign load if it was too high for reliable ones. */
export interface Rounds<A> {
  readonly rounds: readonly A[]
  readonly busy?: number
}

const look = (): Moment => ({
  stat: readFileSync('/proc/stat', 'utf8'),
  used: cpuOf(process.pid),
  at: performance.now() * 1_000,
})

/** Runs something and measures the load of other processes than this one and its children. */
const watched = async <A>(take: () => Promise<A>): Promise<{ readonly taken: A; readonly foreign: number }> => {
  if (!isLinux) return { taken: await take(), foreign: 0 }
  const before = look()
  const taken = await take()
  return { taken, foreign: foreignCores(before, look()) }
}

/**
 * Takes `wanted` samples. Samples with foreign load are repeated, up to `tries` times as many as wanted; then the
 * quietest count.
 */
export const inRounds = async <A>(
  wanted: number,
  take: (round: number) => Promise<A>,
  tries = 1,
): Promise<Rounds<A>> => {
  const all: { readonly taken: A; readonly foreign: number }[] = []
  const isQuiet = ({ foreign }: { readonly foreign: number }): boolean => foreign <= FOREIGN_MAX
  while (all.filter(isQuiet).length < wanted && all.length < wanted * tries) {
    all.push(await watched(() => take(all.length)))
  }
  const quietest = all.toSorted((a, b) => a.foreign - b.foreign).slice(0, wanted)
  const rounds = quietest.map(({ taken }) => taken)
  const busy = quietest.filter((one) => !isQuiet(one)).map(({ foreign }) => foreign)
  return { rounds, ...(busy.length > 0 && { busy: quantile(busy, 0.5) }) }
}

/** Combines several sets of rounds. */
export const together = <A>(all: readonly Rounds<A>[]): Rounds<A> => {
  const busy = all.flatMap((one) => one.busy ?? [])
  return { rounds: all.flatMap(({ rounds }) => rounds), ...(busy.length > 0 && { busy: quantile(busy, 0.5) }) }
}

/** Runs two things in sequence, in reverse order every other round. */
export const bothWays = async <A, B>(
  round: number,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<readonly [A, B]> => {
  if (round % 2 === 0) return [await one(), await other()]
  const second = await other()
  return [await one(), second]
}

export const rowOf = <A>(
  { rounds, busy }: Rounds<A>,
  about: Omit<Row, 'figures'>,
  figure: (round: A) => number,
): TableRow => ({
  ...about,
  figures: rounds.map(figure),
  ...(busy !== undefined && { busy }),
})
