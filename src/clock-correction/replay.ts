import { formatId, UNRECORDED_MAX } from '../audit/state/calendar.ts'
import { millisecondsIn } from '../audit/state/moments.ts'
import { type AuditedReservation, type AuditedSut, newStream } from '../audit/state/state.ts'
import type { Recorded } from '../domain/event.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { type ClockCorrected, type Correction, restoreWindows, toAuditedReservation } from './judge.ts'

/** Applies an event, recorded at a time in Unix milliseconds, to its SUT by the rules of the audit. */
export type Fold = (sut: AuditedSut, event: Recorded, time: number, unrecordedMax: number) => void

/** An event and its position. */
interface Positioned {
  readonly event: Recorded
  readonly position: PublicPosition
}

/** A stream folded without the times that one of its events corrects. */
interface Replay {
  readonly correction: Correction
  readonly sut: AuditedSut
  /** Unix milliseconds: the latest correct time. */
  time: number
  /** Revisions of its events among the corrected positions. */
  first: number | undefined
  last: number | undefined
}

interface Corrected {
  /** Folded with its recorded times. */
  readonly sut: AuditedSut
  /** Seconds that both folds keep an ended window for the record of its end. */
  readonly unrecordedMax: number
  readonly replays: Replay[]
}

const isIn = ({ from, to }: Correction['positions'], at: number): boolean => at >= from && at <= to

const applyCorrected = (apply: Fold, replay: Replay, { event, position }: Positioned, unrecordedMax: number): void => {
  const { revisions, positions } = replay.correction
  if (isIn(positions, position)) {
    replay.first ??= event.revision
    replay.last = event.revision
  }
  if (!isIn(revisions, event.revision)) replay.time = millisecondsIn(event.metadata.time)
  // Starts and ends within the span count as not recorded.
  else if (event.type === 'ReservationStarted' || event.type === 'ReservationEnded') return
  apply(replay.sut, event, replay.time, unrecordedMax)
}

const isSame = (a: AuditedReservation, b: AuditedReservation | undefined): boolean =>
  a.start === b?.start &&
  a.end === b.end &&
  a.endOffset === b.endOffset &&
  a.user_id === b.user_id &&
  a.hasStarted === b.hasStarted &&
  a.keepalive?.seconds === b.keepalive?.seconds

/** The windows to restore: those that the span's times dropped, or whose start was recorded in it. */
const findLost = (
  expected: AuditedSut,
  actual: AuditedSut,
  now: number,
  unrecordedMax: number,
): readonly AuditedReservation[] => {
  const actualStarts = new Map(actual.windows.map((held) => [formatId(held), held.hasStarted]))
  return expected.windows.filter(
    (held) => held.end > now / 1_000 - unrecordedMax && actualStarts.get(formatId(held)) !== held.hasStarted,
  )
}

/** Checks the windows that a correction restores. */
const findWrongWindows = ({ windows, remaining }: ClockCorrected, lost: readonly AuditedReservation[]): string[] => {
  const expected = new Map(lost.map((held) => [formatId(held), held]))
  const wrong = windows
    .filter((window) => !isSame(toAuditedReservation(window, 0), expected.get(window._id)))
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
    note: (position: PublicPosition, time: string): void => {
      if (times.has(position)) times.set(position, time)
    },
    corrected: ({ positions, time }: ClockCorrected): void => {
      for (const position of times.keys()) if (isIn(positions, position)) times.set(position, time)
    },
    before: (position: number): string | undefined => times.get(position - 1),
  }
}

/** Folds corrections, too: what was restored by an earlier one may be lost by a later one. */
const withCorrections =
  (fold: Fold): Fold =>
  (sut, event, time, unrecordedMax) => {
    if (event.type === 'ClockCorrected') restoreWindows(sut, event.data, time, () => undefined)
    else fold(sut, event, time, unrecordedMax)
  }

/** The streams to fold, by name. Corrections before there was a schedule are folded apart. */
const toFold = (corrections: readonly Correction[]): ReadonlyMap<string, readonly Corrected[]> => {
  const streams = new Map<string, Corrected[]>()
  for (const correction of corrections) {
    // Before there was a schedule, every event dropped what had ended.
    const unrecordedMax = correction.hasSchedule ? UNRECORDED_MAX : 0
    const ofStream = streams.get(correction.stream) ?? []
    streams.set(correction.stream, ofStream)
    const corrected = ofStream.find((other) => other.unrecordedMax === unrecordedMax) ?? {
      sut: newStream().sut,
      unrecordedMax,
      replays: [],
    }
    corrected.replays.push({ correction, sut: newStream().sut, time: 0, first: undefined, last: undefined })
    if (!ofStream.includes(corrected)) ofStream.push(corrected)
  }
  return streams
}

/**
 * Verifies each correction by folding its stream again, with and without the times that it corrects.
 *
 * @param events every event of the log that can be read
 */
export const judgeCorrections = async (
  events: AsyncIterable<readonly Positioned[]>,
  corrections: readonly Correction[],
  fold: Fold,
  report: (position: PublicPosition, what: string) => void,
): Promise<void> => {
  const streams = toFold(corrections)
  const times = makeTimes(corrections)
  const apply = withCorrections(fold)

  const judge = (corrected: Corrected, data: ClockCorrected, { event, position }: Positioned): void => {
    const { replays } = corrected
    const replay = replays.find(({ correction }) => correction.position === position)
    if (replay === undefined) return
    const { first, last, time } = replay
    const now = millisecondsIn(event.metadata.time)
    const lost = findLost(replay.sut, corrected.sut, now, corrected.unrecordedMax)
    for (const wrong of findWrongWindows(data, lost)) report(position, wrong)
    if (first !== data.revisions.from || last !== data.revisions.to) {
      const { from, to } = data.positions
      report(position, `corrects revisions of its stream that are not those at the positions ${from} to ${to}`)
    }
    if (now < time) report(position, 'has a time before an event with a correct time')
    const before = times.before(data.positions.from)
    if (before !== undefined && before !== data.time)
      report(position, `sets the corrected time to ${data.time}, not ${before}`)
    if (data.remaining === 0) times.corrected(data)
    replays.splice(replays.indexOf(replay), 1)
  }

  for await (const page of events) {
    for (const one of page) {
      const { event, position } = one
      times.note(position, event.metadata.time)
      for (const corrected of streams.get(event.stream) ?? []) {
        if (event.type === 'ClockCorrected') judge(corrected, event.data, one)
        apply(corrected.sut, event, millisecondsIn(event.metadata.time), corrected.unrecordedMax)
        for (const replay of corrected.replays) applyCorrected(apply, replay, one, corrected.unrecordedMax)
      }
    }
  }
}
