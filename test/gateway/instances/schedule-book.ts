import type { Row } from '../../process/log-rows.ts'

/** A reservation, and what the log says of its start and end. */
interface Booked {
  readonly listenPort: number
  /** Unix milliseconds. */
  readonly begins: number
  ends: number
  /** Set when it was cancelled or released: nothing more may be recorded of it. */
  isGone: boolean
  /** Each `due` in Unix milliseconds. */
  readonly starts: number[]
  readonly ended: number[]
}

/** Milliseconds after which a record that is due is late. */
const LATE = 300

/** What is wrong with a start or an end in the log. */
const faultOf = (booked: Booked | undefined, what: 'start' | 'end', due: number, recorded: number): string[] => {
  if (booked === undefined) return [`is of no reservation`]
  const expected = what === 'start' ? booked.begins : booked.ends
  return [
    ...(due === expected ? [] : [`was due ${new Date(due).toISOString()}, not ${new Date(expected).toISOString()}`]),
    ...(recorded < due ? ['is recorded before it was due'] : []),
    ...(booked.isGone ? ['is recorded after the reservation was given back'] : []),
    ...(what === 'end' && booked.starts.length === 0 ? ['is recorded before the start'] : []),
  ]
}

const repeated = ({ starts, ended }: Booked): readonly string[] => [
  ...(starts.length > 1 ? [`started ${starts.length} times`] : []),
  ...(ended.length > 1 ? [`ended ${ended.length} times`] : []),
]

/** Follows the starts and ends in a log, with rules of its own. */
export const openScheduleBook = () => {
  const book = new Map<string, Booked>()
  const faults: string[] = []
  /** Starts and ends that were recorded as late as after a restart. */
  let late = 0

  const record = (what: 'start' | 'end', { _id, due }: { _id: string; due: string }, time: string): void => {
    const booked = book.get(_id)
    const at = Date.parse(due)
    faults.push(...faultOf(booked, what, at, Date.parse(time)).map((fault) => `the ${what} of ${_id} ${fault}`))
    if (Date.parse(time) > at + LATE) late++
    if (what === 'start') booked?.starts.push(at)
    else booked?.ended.push(at)
  }
  const takeOne = ({ type, data, metadata }: Row): void => {
    if (type === 'ReservationCreated') {
      const begins = Math.max(Date.parse(data.start_time), Date.parse(metadata.time))
      const [listenPort, ends] = [data.listen_port, Date.parse(data.end_time)]
      book.set(data._id, { listenPort, begins, ends, isGone: false, starts: [], ended: [] })
    } else if (type === 'ReservationStarted') record('start', data, metadata.time)
    else if (type === 'ReservationEnded') record('end', data, metadata.time)
    else if (type === 'ReservationExtended' || type === 'ReservationShortened') {
      const booked = book.get(data._id)
      if (booked !== undefined) booked.ends = Date.parse(data.end_time)
    } else if (type === 'ReservationReleased' || type === 'ReservationCancelled') {
      const booked = book.get(data._id)
      if (booked !== undefined) booked.isGone = true
    }
  }

  const portsOf = (holds: (booked: Booked) => boolean): readonly number[] =>
    [...book.values()].filter((booked) => !booked.isGone && holds(booked)).map(({ listenPort }) => listenPort)

  return {
    take: (rows: readonly Row[]): void => {
      for (const row of rows) takeOne(row)
    },
    /** What the log has and must not have, whatever the time. */
    faults: (): readonly string[] => [
      ...faults,
      ...[...book].flatMap(([id, booked]) => repeated(booked).map((fault) => `${id} ${fault}`)),
    ],
    /** The starts and ends that were due by a time, in Unix milliseconds, and are not in the log. */
    missing: (now: number): readonly string[] =>
      [...book].flatMap(([id, { begins, ends, isGone, starts, ended }]) => [
        ...(!isGone && begins <= now && starts.length === 0 ? [`the start of ${id} is missing`] : []),
        ...(!isGone && ends <= now && ended.length === 0 ? [`the end of ${id} is missing`] : []),
      ]),
    /** The ports of reservations that run from one time to another. */
    running: (from: number, to: number) => portsOf(({ begins, ends }) => begins <= from && ends > to),
    /** The ports of reservations that run at some time of a span. */
    used: (from: number, to: number) => portsOf(({ begins, ends }) => begins < to && ends > from),
    counts: () => {
      const all = [...book.values()]
      const sum = (of: (one: Booked) => number): number => all.reduce((total, one) => total + of(one), 0)
      return {
        reservations: all.length,
        starts: sum(({ starts }) => starts.length),
        ends: sum(({ ended }) => ended.length),
        late,
      }
    },
  }
}
