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

interface Noted {
  readonly _id: string
  readonly until: number
}

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
    end: (nameOf: (sutId: string) => string): Group => ({
      count,
      named: first.map(({ _id, until }) => ({ name: nameOf(_id), ...(until > 0 && { until }) })),
    }),
  }
}

/** @param isSeen whether the reader sees a SUT, and may know its name */
export const surveySuts = async (
  suts: Pick<KnownSuts, 'at'>,
  own: SlotSet,
  asked: Asked,
  isSeen: (slot: number) => boolean,
  nameOf: (sutId: string) => string,
): Promise<Survey> => {
  const groups = {
    ...{ free: makeGroup(), taken: makeGroup(), short: makeGroup(), full: makeGroup() },
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
  const { free, taken, short, full, offline, inactive } = groups
  return {
    fitting,
    ...{ free: free.end(nameOf), taken: taken.end(nameOf), short: short.end(nameOf), full: full.end(nameOf) },
    ...{ offline: offline.end(nameOf), inactive: inactive.end(nameOf) },
  }
}
