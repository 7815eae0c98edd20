import { quantile, type Sample } from './processes.ts'
import { FOREIGN_MAX, type Watched } from './quiet.ts'
import type { Row, TableRow } from './table.ts'

/** Of each server one sample, taken shortly after the other. */
export type Round<Name extends string> = Readonly<Record<Name, Taken>>

export interface Taken extends Sample {
  /** Microseconds of CPU that the server used. */
  readonly cpu: number
}

export type Samplers<Name extends string> = Readonly<Record<Name, () => Promise<Watched<Sample>>>>

export interface Options {
  readonly rounds: number
  /** Samples of each before the first that counts. */
  readonly warmUp?: number
  readonly say: (line: string) => void
}

export interface Alternation<Name extends string> {
  readonly rounds: readonly Round<Name>[]
  /** Cores that went to others, where the machine was too busy for figures to stand behind. */
  readonly busy?: number
}

/** How many rounds are tried for each that is wanted. */
const TRIES = 3

interface Tried<Name extends string> {
  readonly round: Round<Name>
  /** Cores that went to others in its busiest sample, and whose sample that was. */
  readonly foreign: number
  readonly beside: Name | undefined
}

const tryRound = async <Name extends string>(
  samplers: Samplers<Name>,
  order: readonly Name[],
): Promise<Tried<Name>> => {
  const round: Partial<Record<Name, Taken>> = {}
  let most: Pick<Tried<Name>, 'foreign' | 'beside'> = { foreign: 0, beside: undefined }
  for (const name of order) {
    const { taken, cpu, foreign = 0 } = await samplers[name]()
    round[name] = { ...taken, cpu }
    if (foreign > most.foreign) most = { foreign, beside: name }
  }
  return { round: round as Round<Name>, ...most }
}

/**
 * Rounds in which the servers take turns, forwards and backwards by turns. One during which others were busy is dropped and
 * taken again; where too few were quiet, the quietest are given.
 */
export const alternate = async <Name extends string>(
  samplers: Samplers<Name>,
  { rounds: wanted, warmUp = 1, say }: Options,
): Promise<Alternation<Name>> => {
  const names = Object.keys(samplers) as Name[]
  say(`${wanted} rounds of ${names.join(', ')}`)
  for (let n = 0; n < warmUp; n++) for (const name of names) await samplers[name]()
  const quiet: Tried<Name>[] = []
  const dropped: Tried<Name>[] = []
  while (quiet.length < wanted && quiet.length + dropped.length < wanted * TRIES) {
    const tried = await tryRound(samplers, quiet.length % 2 === 0 ? names : names.toReversed())
    const isQuiet = tried.foreign <= FOREIGN_MAX
    if (!isQuiet) say(`a round is dropped: others had ${tried.foreign.toFixed(2)} cores beside ${tried.beside}`)
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
export const rowOf = <Name extends string>(
  { rounds, busy }: Alternation<Name>,
  about: Omit<Row, 'figures'>,
  figure: (round: Round<Name>) => number,
): TableRow => ({ ...about, figures: rounds.map(figure), ...(busy !== undefined && { busy }) })
