/** What is shown, read again when it has changed. No browser is needed here. */

import { outcomeOf, type Readable, type Refused } from '../service/api.ts'
import { type Change, isAfter, type News } from './news.ts'
import type { About, Source } from './query.ts'

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

interface ReadingOptions<A> extends About {
  readonly api: Readable
  /** Reads objects by their ids, or everything. `get` waits until the answer shows what was told. */
  readonly read: (source: Source, ids: readonly string[] | undefined) => Promise<A>
  readonly onValue: (value: A) => void
  readonly onFailed: (failed: Refused) => void
}

export type OpenReading = ReturnType<typeof openReading>

export const RETRY_DELAY_MS = 8_000
/** Tries at what the service says is not there: an instance that is behind may say so of what was just made. */
const MISSING_TRIES = 3

/** An interface whose answers have reached a position. Once the reading is closed, nothing is done with them. */
const openSource = (api: Readable, after: string | undefined, isClosed: () => boolean): Source => {
  let least: string | undefined
  return {
    get: async (path, sent) => {
      const answer = await api.get(path, { ...sent, after: sent?.after ?? after })
      if (isClosed()) return new Promise(() => undefined)
      const { position = '0' } = answer
      if (least === undefined || isAfter(least, position)) least = position
      return answer
    },
    reached: () => least ?? '0',
  }
}

/** Reads at once, and then what has changed. One reading at a time; after a failure everything, some time later. */
export const openReading = <A>({ api, read, of, isInView = () => true, onValue, onFailed }: ReadingOptions<A>) => {
  let wanted: Wanted | undefined
  let reached = '0'
  let begun: Begun = { last: Number.NEGATIVE_INFINITY, lastOfAll: Number.NEGATIVE_INFINITY, inARow: 0 }
  let [isReading, isClosed] = [false, false]
  let missing = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const plan = (least = 0): void => {
    clearTimeout(timer)
    if (wanted === undefined || isReading || isClosed) return
    const wait = Math.max(least, dueAt(wanted, begun, isInView) - Date.now())
    if (wait <= 0) void start(wanted)
    else timer = setTimeout(() => wanted && void start(wanted), wait)
  }
  const start = async (due: Wanted): Promise<void> => {
    const [now, left] = divided(due, begun, Date.now())
    wanted = left
    isReading = true
    begun = beginning(now, begun, Date.now())
    const source = openSource(api, now.after, () => isClosed)
    const result = await outcomeOf(
      read(source, now.isAll ? undefined : [...now.ids.keys()]).then((value) => ({ value })),
    )
    isReading = false
    if (isClosed) return
    if (result.refused !== undefined) {
      const { refused } = result
      missing = refused.problem.code.endsWith('_not_found') ? missing + 1 : 0
      // Then it is not asked for again, until something tells of it.
      if (missing >= MISSING_TRIES) return onFailed(refused)
      const isUrgent = wanted?.isUrgent ?? false
      begun = { ...begun, inARow: 0 }
      wanted = { ...EVERYTHING, isUrgent }
      onFailed(refused)
      return plan(isUrgent ? 0 : RETRY_DELAY_MS)
    }
    missing = 0
    if (now.isAll) {
      reached = source.reached()
      wanted = leftAfter(wanted, reached)
    }
    onValue(result.value)
    plan()
  }
  const want = (more: Omit<Wanted, 'isUrgent'>): void => {
    wanted = joinWanted(wanted, more)
    plan()
  }
  const again = (): void => {
    wanted = { ...EVERYTHING, isUrgent: true }
    plan()
  }
  again()
  return {
    again,
    tell: (news: News): void => {
      const more = wantedFor(news, reached, of)
      if (more !== undefined) want(more)
    },
    readVisible: (ids: readonly string[] = []): void => (ids.length === 0 ? plan() : want(wantedNow(ids))),
    close: (): void => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
