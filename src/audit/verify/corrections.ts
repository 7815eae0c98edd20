import type { Recorded } from '../../domain/event.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { nameOf } from '../rules/calendar.ts'
import { type ClockCorrected, type Correction, heldBy } from '../rules/corrections.ts'
import { millisecondsIn } from '../rules/moments.ts'
import { judgeData } from '../rules/rules.ts'
import { type Held, newStream, type Sut } from '../rules/state.ts'
import type { Findings } from './findings.ts'
import { readEvent } from './read.ts'

/** A stream as it stands when the times that one of its events corrects are left out. */
interface Right {
  readonly correction: Correction
  readonly sut: Sut
  /** Unix milliseconds: the latest time that counts. */
  time: number
  /** The revisions of its events among the corrected positions. */
  first: number | undefined
  last: number | undefined
}

interface Corrected {
  /** As its own times have it. */
  readonly sut: Sut
  readonly rights: Right[]
}

const ALONE = {
  log: { version: 1 },
  ports: undefined,
  knownSut: () => undefined,
  ownUser: (userId: string) => userId,
}
/** What is unlawful was told at the first look. */
const fold = (sut: Sut, event: Recorded, time: number): void => judgeData(sut, event, time, ALONE, () => undefined)

const isIn = ({ from, to }: Correction['positions'], place: number): boolean => place >= from && place <= to

const foldRight = (right: Right, event: Recorded, position: number): void => {
  const { revisions, positions } = right.correction
  if (isIn(positions, position)) {
    right.first ??= event.revision
    right.last = event.revision
  }
  if (!isIn(revisions, event.revision)) right.time = millisecondsIn(event.metadata.time)
  fold(right.sut, event, right.time)
}

const isSame = (a: Held, b: Held | undefined): boolean =>
  a.start === b?.start && a.end === b.end && a.endOffset === b.endOffset && a.user_id === b.user_id

/** What is wrong with the windows that a correction gives back. */
const windowsWrong = ({ windows, remaining }: ClockCorrected, right: Sut, actual: Sut, time: number): string[] => {
  const standing = new Set(actual.windows.map(nameOf))
  const dropped = right.windows.filter((held) => held.end * 1_000 > time && !standing.has(nameOf(held)))
  const expected = new Map(dropped.map((held) => [nameOf(held), held]))
  const wrong = windows
    .filter((window) => !isSame(heldBy(window), expected.get(window._id)))
    .map(({ _id }) => `gives back the reservation ${_id}, which does not stand so without the wrong times`)
  if (expected.size - windows.length !== remaining) {
    wrong.push(`gives back ${windows.length} reservations and leaves ${remaining}, of ${expected.size} that stand`)
  }
  return wrong
}

/** The times that count of positions, those corrected before with what took their place. */
const makeTimes = (corrections: readonly Correction[]) => {
  const times = new Map<number, string | undefined>(corrections.map(({ positions }) => [positions.from - 1, undefined]))
  return {
    note: (position: number, time: string): void => {
      if (times.has(position)) times.set(position, time)
    },
    corrected: ({ positions, time }: ClockCorrected): void => {
      for (const position of times.keys()) if (isIn(positions, position)) times.set(position, time)
    },
    before: (position: number): string | undefined => times.get(position - 1),
  }
}

/** Looks at the whole log once more, and derives what every correction of times says. */
export const judgeCorrections = async (
  records: AsyncIterable<readonly StoredRecord[]>,
  corrections: readonly Correction[],
  findings: Findings,
  isDense: boolean,
): Promise<void> => {
  const streams = new Map<string, Corrected>()
  for (const correction of corrections) {
    const corrected = streams.get(correction.stream) ?? { sut: newStream().sut, rights: [] }
    corrected.rights.push({ correction, sut: newStream().sut, time: 0, first: undefined, last: undefined })
    streams.set(correction.stream, corrected)
  }
  const times = makeTimes(corrections)

  const judge = ({ sut, rights }: Corrected, data: ClockCorrected, event: Recorded, position: number): void => {
    const tell = (what: string): void => findings.add(position, `the event ${what}`)
    const right = rights.find(({ correction }) => correction.position === position)
    if (right === undefined) return
    const { first, last, time } = right
    const now = millisecondsIn(event.metadata.time)
    for (const wrong of windowsWrong(data, right.sut, sut, now)) tell(wrong)
    if (first !== data.revisions.from || last !== data.revisions.to) {
      tell(
        `corrects revisions of its stream that are not those at the positions ${data.positions.from} to ${data.positions.to}`,
      )
    }
    if (now < time) tell('has a time before that of an event whose time counts')
    const before = times.before(data.positions.from)
    if (before !== undefined && before !== data.time) tell(`has times begin again at ${data.time}, not at ${before}`)
    if (data.remaining === 0) times.corrected(data)
    rights.splice(rights.indexOf(right), 1)
  }

  let position = -1
  for await (const page of records) {
    for (const { text, mark } of page) {
      position = isDense ? mark : position + 1
      const read = readEvent(text, position)
      if (!('event' in read)) continue
      const { event } = read
      times.note(position, event.metadata.time)
      const corrected = streams.get(event.stream)
      if (corrected === undefined) continue
      if (event.type === 'ClockCorrected') judge(corrected, event.data, event, position)
      fold(corrected.sut, event, millisecondsIn(event.metadata.time))
      for (const right of corrected.rights) foldRight(right, event, position)
    }
  }
}
