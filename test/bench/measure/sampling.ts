import { quantile, type Sample } from './processes.ts'
import { FOREIGN_MAX, type Watched } from './quiet.ts'
import type { Row, TableRow } from './table.ts'

/** One sample of each server, taken shortly after each other. */
export type Round<Name extends string, A extends Sample = Sample> = Readonly<Record<Name, Taken<A>>>

export type Taken<A extends Sample = Sample> = A & {
  /** Microseconds of CPU that the server used. */
  readonly cpu: number
}

export type Samplers<Name extends string, A extends Sample = Sample> = Readonly<Record<Name, () => Promise<Watched<A>>>>

export interface Options {
  readonly rounds: number
  /** Warm-up samples of each server. */
  readonly warmUp?: number
  readonly say: (line: string) => void
}

export interface Alternation<Name extends string, A extends Sample = Sample> {
  readonly rounds: readonly Round<Name, A>[]
  /** Foreign load in cores, if it was too high for reliable figures. */
  readonly busy?: number
}

/** Maximum number of rounds tried per wanted round. */
const TRIES = 3

interface Tried<Name extends string, A extends Sample> {
  readonly round: Round<Name, A>
  /** Foreign load in the busiest sample, and the name of its server. */
  readonly foreign: number
  readonly during: Name | undefined
}

const tryRound = async <Name extends string, A extends Sample>(
  samplers: Samplers<Name, A>,
  order: readonly Name[],
): Promise<Tried<Name, A>> => {
  const round: Partial<Record<Name, Taken<A>>> = {}
  let most: Pick<Tried<Name, A>, 'foreign' | 'during'> = { foreign: 0, during: undefined }
  for (const name of order) {
    const { taken, cpu, foreign = 0 } = await samplers[name]()
    round[name] = { ...taken, cpu }
    if (foreign > most.foreign) most = { foreign, during: name }
  }
  return { round: round as Round<Name, A>, ...most }
}

/**
 * Rounds in which the servers take turns, in alternating order. Rounds with foreign load are dropped and repeated; if too
 * few are quiet, the quietest count.
 */
export const alternate = async <Name extends string, A extends Sample = Sample>(
  samplers: Samplers<Name, A>,
  { rounds: wanted, warmUp = 1, say }: Options,
): Promise<Alternation<Name, A>> => {
  const names = Object.keys(samplers) as Name[]
  say(`${wanted} rounds of ${names.join(', ')}`)
  for (let n = 0; n < warmUp; n++) for (const name of names) await samplers[name]()
  const quiet: Tried<Name, A>[] = []
  const dropped: Tried<Name, A>[] = []
  while (quiet.length < wanted && quiet.length + dropped.length < wanted * TRIES) {
    const tried = await tryRound(samplers, quiet.length % 2 === 0 ? names : names.toReversed())
    const isQuiet = tried.foreign <= FOREIGN_MAX
    if (!isQuiet) say(`round dropped: others used ${tried.foreign.toFixed(2)} cores during ${tried.during}`)
    const kept = isQuiet ? quiet : dropped
    kept.push(tried)
  }
  const quietest = dropped.toSorted((a, b) => a.foreign - b.foreign).slice(0, wanted - quiet.length)
  const rounds = [...quiet, ...quietest].map(({ round }) => round)
  if (quietest.length === 0) return { rounds }
  const foreign = dropped.map((tried) => tried.foreign)
  return { rounds, busy: quantile(foreign, 0.5) }
}

/** A row with a figure of every round. */
export const rowOf = <Name extends string, A extends Sample = Sample>(
  { rounds, busy }: Alternation<Name, A>,
  about: Omit<Row, 'figures'>,
  figure: (round: Round<Name, A>) => number,
): TableRow => ({ ...about, figures: rounds.map(figure), ...(busy !== undefined && { busy }) })
