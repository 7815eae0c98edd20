import type { Change, News } from './news.ts'

/** What is to be read. Pure. */
export interface Wanted {
  /** Objects, with the position at which each has changed, if it has; undefined for everything. */
  readonly ids: ReadonlyMap<string, string | undefined> | undefined
  /** The position that the answers must have reached. */
  readonly after: string | undefined
  /** Whether somebody waits for it. */
  readonly isUrgent: boolean
}

export const EVERYTHING: Wanted = { ids: undefined, after: undefined, isUrgent: false }

/** Whether a position lies after another. */
export const isAfter = (position: string, reached: string): boolean =>
  position.padStart(20, '0') > reached.padStart(20, '0')

/** What is left of it when everything was read up to a position. */
export const leftAfter = (wanted: Wanted | undefined, reached: string): Wanted | undefined => {
  if (wanted === undefined) return undefined
  const { ids, after, isUrgent } = wanted
  if (ids === undefined) return isUrgent || after === undefined || isAfter(after, reached) ? wanted : undefined
  const left = [...ids].filter(([, sequence]) => sequence === undefined || isAfter(sequence, reached))
  return left.length === 0 ? undefined : { ...wanted, ids: new Map(left) }
}

export const joinWanted = (before: Wanted | undefined, { ids, after }: Pick<Wanted, 'ids' | 'after'>): Wanted => {
  const isAll = ids === undefined || (before !== undefined && before.ids === undefined)
  return {
    ids: isAll ? undefined : new Map([...(before?.ids ?? []), ...ids]),
    after: after ?? before?.after,
    isUrgent: before?.isUrgent ?? false,
  }
}

/** What is to be read because of news; undefined if nothing. */
export const wantedFor = (
  { position, changes }: News,
  reached: string,
  of: (change: Change) => string | undefined,
): Pick<Wanted, 'ids' | 'after'> | undefined => {
  if (!isAfter(position, reached)) return undefined
  if (changes === undefined) return { ids: undefined, after: position }
  const ids = new Map<string, string>()
  for (const change of changes) {
    const id = isAfter(change.sequence, reached) ? of(change) : undefined
    if (id !== undefined) ids.set(id, change.sequence)
  }
  return ids.size === 0 ? undefined : { ids, after: position }
}

/** What somebody has come to look at. */
export const wantedNow = (ids: readonly string[]): Pick<Wanted, 'ids' | 'after'> => ({
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

/** When a reading has begun: what is known of all that have. */
export const beginning = ({ ids, isUrgent }: Wanted, { lastOfAll, inARow }: Begun, now: number): Begun => {
  if (ids !== undefined) return { last: now, lastOfAll, inARow }
  const isClose = now - lastOfAll < BUSY_INTERVAL_MS + IDLE_INTERVAL_MS
  return { last: now, lastOfAll: now, inARow: isUrgent ? 0 : isClose ? inARow + 1 : 1 }
}

/** When it is to be read, in Unix milliseconds. */
export const dueAt = ({ ids, isUrgent }: Wanted, begun: Begun, isInView: (id: string) => boolean): number => {
  if (isUrgent) return 0
  if (ids === undefined) return begun.lastOfAll + (begun.inARow < IN_A_ROW_MAX ? IDLE_INTERVAL_MS : BUSY_INTERVAL_MS)
  return [...ids.keys()].some(isInView) ? 0 : begun.last + IDLE_INTERVAL_MS
}
