import { type Change, isAfter, type News } from './news.ts'

export interface Wanted {
  /** Whether everything is: that is read some time later, and changed objects in view meanwhile. */
  readonly isAll: boolean
  /** Objects, with the position at which each has changed, if it has. */
  readonly ids: ReadonlyMap<string, string | undefined>
  /** The position that the answers must have reached. */
  readonly after: string | undefined
  readonly isUrgent: boolean
}

export const EVERYTHING: Wanted = { isAll: true, ids: new Map(), after: undefined, isUrgent: false }

type More = Omit<Wanted, 'isUrgent'>

export const leftAfter = (wanted: Wanted | undefined, reached: string): Wanted | undefined => {
  if (wanted === undefined) return undefined
  const { after, isUrgent } = wanted
  const isAll = wanted.isAll && (isUrgent || after === undefined || isAfter(after, reached))
  const left = [...wanted.ids].filter(([, sequence]) => sequence === undefined || isAfter(sequence, reached))
  return isAll || left.length > 0 ? { ...wanted, isAll, ids: new Map(left) } : undefined
}

export const joinWanted = (before: Wanted | undefined, { isAll, ids, after }: More): Wanted => ({
  isAll: isAll || (before?.isAll ?? false),
  ids: new Map([...(before?.ids ?? []), ...ids]),
  after: after ?? before?.after,
  isUrgent: before?.isUrgent ?? false,
})

export const wantedFor = (
  { position, changes }: News,
  reached: string,
  of: (change: Change) => string | undefined,
): More | undefined => {
  if (!isAfter(position, reached)) return undefined
  if (changes === undefined) return { ...EVERYTHING, after: position }
  const ids = new Map<string, string>()
  for (const change of changes) {
    const id = isAfter(change.sequence, reached) ? of(change) : undefined
    if (id !== undefined) ids.set(id, change.sequence)
  }
  return ids.size === 0 ? undefined : { isAll: false, ids, after: position }
}

export const wantedNow = (ids: readonly string[]): More => ({
  isAll: false,
  ids: new Map(ids.map((id) => [id, undefined])),
  after: undefined,
})

/** When readings began, in Unix milliseconds. */
export interface Begun {
  readonly last: number
  readonly lastOfAll: number
  /** How many of everything followed one another closely, because everything had changed. */
  readonly inARow: number
}

/** Between readings of what nobody sees, and of everything. */
const IDLE_INTERVAL_MS = 10_000
/** Between readings of everything once there were some in a row: hundreds of pages must leave the service its time. */
const BUSY_INTERVAL_MS = 60_000
const IN_A_ROW_MAX = 3

export const beginning = ({ isAll, isUrgent }: Wanted, { lastOfAll, inARow }: Begun, now: number): Begun => {
  if (!isAll) return { last: now, lastOfAll, inARow }
  const isClose = now - lastOfAll < BUSY_INTERVAL_MS + IDLE_INTERVAL_MS
  return { last: now, lastOfAll: now, inARow: isUrgent ? 0 : isClose ? inARow + 1 : 1 }
}

const allDueAt = ({ lastOfAll, inARow }: Begun): number =>
  lastOfAll + (inARow < IN_A_ROW_MAX ? IDLE_INTERVAL_MS : BUSY_INTERVAL_MS)

/** When some of it is to be read, in Unix milliseconds. */
export const dueAt = ({ isAll, ids, isUrgent }: Wanted, begun: Begun, isInView: (id: string) => boolean): number => {
  if (isUrgent || [...ids.keys()].some(isInView)) return 0
  return isAll ? allDueAt(begun) : begun.last + IDLE_INTERVAL_MS
}

/** What of it is read when some of it is due, and what is left: everything, while it is too early for that. */
export const divided = (wanted: Wanted, begun: Begun, now: number): readonly [Wanted, Wanted | undefined] =>
  !wanted.isAll || wanted.isUrgent || allDueAt(begun) <= now
    ? [wanted, undefined]
    : [
        { ...wanted, isAll: false },
        { ...EVERYTHING, after: wanted.after },
      ]
