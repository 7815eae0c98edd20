/** What is shown, read again when it has changed. No browser is needed here. */

import { outcomeOf, type Readable, type Refused } from '../service/api.ts'
import { isAfter, type News } from './news.ts'
import type { About, Source } from './query.ts'
import type { Begun, Wanted } from './wanted.ts'
import { beginning, divided, dueAt, EVERYTHING, joinWanted, leftAfter, wantedFor, wantedNow } from './wanted.ts'

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
