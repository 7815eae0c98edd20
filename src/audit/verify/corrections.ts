import type { Recorded } from '../../domain/event.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { formatId } from '../rules/calendar.ts'
import { type ClockCorrected, type Correction, toHeld } from '../rules/corrections.ts'
import { millisecondsIn } from '../rules/moments.ts'
import { judgeData } from '../rules/rules.ts'
import { type Held, newStream, type Sut } from '../rules/state.ts'
import type { Findings } from './findings.ts'
import { readEvent } from './read.ts'

/** A stream folded without the times that one of its events corrects. */
interface Replay {
  readonly correction: Correction
  readonly sut: Sut
  /** Unix milliseconds: the latest correct time. */
  time: number
  /** Revisions of its events among the corrected positions. */
  first: number | undefined
  last: number | undefined
}

interface Corrected {
  /** Folded with its recorded times. */
  readonly sut: Sut
  readonly replays: Replay[]
}

const NO_CONTEXT = {
  log: { version: 1 },
  ports: undefined,
  knownSut: () => undefined,
  ownUser: (userId: string) => userId,
}
/** Violations were already reported in the first pass. */
const applyEvent = (sut: Sut, event: Recorded, time: number): void =>
  judgeData(sut, event, time, NO_CONTEXT, () => undefined)

const isIn = ({ from, to }: Correction['positions'], place: number): boolean => place >= from && place <= to

const applyCorrected = (replay: Replay, event: Recorded, position: number): void => {
  const { revisions, positions } = replay.correction
  if (isIn(positions, position)) {
    replay.first ??= event.revision
    replay.last = event.revision
  }
  if (!isIn(revisions, event.revision)) replay.time = millisecondsIn(event.metadata.time)
  applyEvent(replay.sut, event, replay.time)
}

const isSame = (a: Held, b: Held | undefined): boolean =>
  a.start === b?.start && a.end === b.end && a.endOffset === b.endOffset && a.user_id === b.user_id

/** Checks the windows that a correction restores. */
const findWrongWindows = (
  { windows, remaining }: ClockCorrected,
  expectedSut: Sut,
  actual: Sut,
  time: number,
): string[] => {
  const standing = new Set(actual.windows.map(formatId))
  const dropped = expectedSut.windows.filter((held) => held.end * 1_000 > time && !standing.has(formatId(held)))
  const expected = new Map(dropped.map((held) => [formatId(held), held]))
  const wrong = windows
    .filter((window) => !isSame(toHeld(window), expected.get(window._id)))
    .map(({ _id }) => `restores the reservation ${_id}, which differs from what the corrected times give`)
  if (expected.size - windows.length !== remaining) {
    wrong.push(`restores ${windows.length} reservations and leaves ${remaining}, of ${expected.size} to restore`)
  }
  return wrong
}

/** Effective times of positions, including earlier corrections. */
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

/** Reads the log a second time and verifies each clock correction by replaying it. */
export const judgeCorrections = async (
  records: AsyncIterable<readonly StoredRecord[]>,
  corrections: readonly Correction[],
  findings: Findings,
  isDense: boolean,
): Promise<void> => {
  const streams = new Map<string, Corrected>()
  for (const correction of corrections) {
    const corrected = streams.get(correction.stream) ?? { sut: newStream().sut, replays: [] }
    corrected.replays.push({ correction, sut: newStream().sut, time: 0, first: undefined, last: undefined })
    streams.set(correction.stream, corrected)
  }
  const times = makeTimes(corrections)

  const judge = ({ sut, replays }: Corrected, data: ClockCorrected, event: Recorded, position: number): void => {
    const report = (what: string): void => findings.add(position, `the event ${what}`)
    const replay = replays.find(({ correction }) => correction.position === position)
    if (replay === undefined) return
    const { first, last, time } = replay
    const now = millisecondsIn(event.metadata.time)
    for (const wrong of findWrongWindows(data, replay.sut, sut, now)) report(wrong)
    if (first !== data.revisions.from || last !== data.revisions.to) {
      report(
        `corrects revisions of its stream that are not those at the positions ${data.positions.from} to ${data.positions.to}`,
      )
    }
    if (now < time) report('has a time before an event with a correct time')
    const before = times.before(data.positions.from)
    if (before !== undefined && before !== data.time) report(`sets the corrected time to ${data.time}, not ${before}`)
    if (data.remaining === 0) times.corrected(data)
    replays.splice(replays.indexOf(replay), 1)
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
      applyEvent(corrected.sut, event, millisecondsIn(event.metadata.time))
      for (const replay of corrected.replays) applyCorrected(replay, event, position)
    }
  }
}
