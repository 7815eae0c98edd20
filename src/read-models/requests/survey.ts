import { setImmediate as turn } from 'node:timers/promises'
import { type SlotSet, slotsIn } from '../../domain/matching/fit-index.ts'
import type { KnownSut, KnownSuts } from '../matching/suts.ts'
import { type Asked, type Standing, standingOf } from './standing.ts'
import { type Group, NAMED_MAX } from './words.ts'

type Kind = Standing['is']

/** The SUTs that fit a request, by how they stand. */
type Survey = Readonly<Record<Kind, Group>> & { readonly fitting: number }

/** SUTs looked at in one turn of the event loop. */
const TURN_SIZE = 128

export interface Noted {
  readonly _id: string
  /** Unix seconds; 0 where that says nothing. */
  readonly until: number
}

/** Who has SUTs from now on until they are free, by name, as everybody knows who sees them. */
export type HoldersOf = (suts: readonly Noted[]) => Promise<ReadonlyMap<string, readonly string[]>>

/** Counts SUTs, and remembers the first few that are to be named: those that are free for it soonest. */
const makeGroup = () => {
  let count = 0
  let first: Noted[] = []
  return {
    add: (): void => {
      count++
    },
    name: (noted: Noted): void => {
      if (first.length < NAMED_MAX || noted.until < (first.at(-1)?.until ?? 0))
        first = [...first, noted].sort((a, b) => a.until - b.until).slice(0, NAMED_MAX)
    },
    first: (): readonly Noted[] => first,
    end: (nameOf: (sutId: string) => string, holders?: ReadonlyMap<string, readonly string[]>): Group => ({
      count,
      named: first.map(({ _id, until }) => {
        const by = holders?.get(_id)
        return { name: nameOf(_id), ...(until > 0 && { until }), ...(by !== undefined && { by }) }
      }),
    }),
  }
}

/** Surveys the SUTs that fit. The reader knows the names of those that it sees, and of who has them. */
export const surveySuts = async (
  suts: Pick<KnownSuts, 'at'>,
  own: SlotSet,
  asked: Omit<Asked, 'before'>,
  {
    isSeen,
    nameOf,
    holdersOf,
  }: {
    readonly isSeen: (slot: number) => boolean
    readonly nameOf: (sutId: string) => string
    readonly holdersOf: HoldersOf
  },
): Promise<Survey> => {
  const groups = {
    ...{ free: makeGroup(), taken: makeGroup(), short: makeGroup() },
    ...{ offline: makeGroup(), inactive: makeGroup() },
  } satisfies Record<Kind, unknown>
  let fitting = 0
  for (const slot of slotsIn(own)) {
    const sut: KnownSut | undefined = suts.at(slot)
    if (sut === undefined) continue
    if (++fitting % TURN_SIZE === 0) await turn()
    const standing = standingOf(sut, asked)
    groups[standing.is].add()
    if (isSeen(slot)) groups[standing.is].name({ _id: sut._id, until: 'until' in standing ? standing.until : 0 })
  }
  const { free, taken, short, offline, inactive } = groups
  const held = taken.first()
  const holders = held.length === 0 ? undefined : await holdersOf(held)
  return {
    fitting,
    ...{ free: free.end(nameOf), taken: taken.end(nameOf, holders), short: short.end(nameOf) },
    ...{ offline: offline.end(nameOf), inactive: inactive.end(nameOf) },
  }
}
