import type { Row, TableRow } from '../measure/table.ts'

/** Figures of several rounds, with the foreign load if it was too high for reliable ones. */
export interface Rounds<A> {
  readonly rounds: readonly A[]
  readonly busy?: number
}

/** Takes samples one after the other. */
export const inRounds = async <A>(wanted: number, take: (round: number) => Promise<A>): Promise<Rounds<A>> => {
  const rounds: A[] = []
  while (rounds.length < wanted) rounds.push(await take(rounds.length))
  return { rounds }
}

/** Combines several sets of rounds; the busiest says how busy it was. */
export const together = <A>(all: readonly Rounds<A>[]): Rounds<A> => {
  const busy = all.flatMap((one) => one.busy ?? [])
  return { rounds: all.flatMap(({ rounds }) => rounds), ...(busy.length > 0 && { busy: Math.max(...busy) }) }
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
