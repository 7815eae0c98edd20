import { useComputed } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { RETRY_DELAY_MS } from '../../data/reading.ts'
import { type FeedEvent, joined } from '../../features/events/feed.ts'
import { usePage } from '../../page/context.ts'
import { type Api, Refused } from '../../service/api.ts'

interface Feed {
  /** Newest first. */
  readonly events: readonly FeedEvent[]
  /** Before which older ones are; undefined if there are none. */
  readonly older: string | undefined
}

/** Events of a page, and pages that are read to fill one: a filter may leave pages empty. */
const PAGE = 100
const PAGES_MAX = 20
/** Between looks at the log: not all that it records changes an object. */
const POLL_INTERVAL_MS = 15_000
/** Events that are kept, at most. */
export const KEPT_MAX = 2_000

const queryOf = (query: string, parameters: string): string => (query === '' ? parameters : `${query}&${parameters}`)

/** Reads back from a position until a page is full. */
const readBack = async (api: Api, query: string, before: string | undefined): Promise<Feed> => {
  const events: FeedEvent[] = []
  let next = before
  for (let pages = 0; pages < PAGES_MAX && events.length < PAGE; pages++) {
    const asked = queryOf(query, `order=desc&limit=${PAGE}${next === undefined ? '' : `&before=${next}`}`)
    const { value } = await api.get(`/api/events?${asked}`)
    events.push(...value.events)
    if (value.caught_up || value.next === null) return { events, older: undefined }
    next = value.next
  }
  return { events, older: next }
}

/** Reads what is newer than what is known; from the end again if that is much. */
const readOn = async (api: Api, query: string, feed: Feed): Promise<Feed> => {
  const last = feed.events[0]?.sequence
  if (last === undefined) return readBack(api, query, undefined)
  const { value } = await api.get(`/api/events?${queryOf(query, `after=${last}&limit=1000`)}`)
  if (!value.caught_up) return readBack(api, query, undefined)
  const events = joined(value.events.toReversed(), feed.events)
  const kept = events.slice(0, KEPT_MAX)
  return { events: kept, older: kept.length < events.length ? kept.at(-1)?.sequence : feed.older }
}

/** The feed from the newest event back, which grows as the log does. */
export const useFeed = (query: string) => {
  const { api, control, news, clock } = usePage()
  const reached = news.value?.position
  const tick = useComputed(() => Math.floor(clock.value / POLL_INTERVAL_MS)).value
  const isAnswered = control.isAnswered.value
  const [{ of, feed, failed }, set] = useState<{ of: string; feed?: Feed; failed?: Refused | undefined }>({ of: query })
  const [isReading, setReading] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const current = useRef<Feed | undefined>(undefined)
  const known = of === query ? feed : undefined
  current.current = known
  const retry = (): void => setAttempt((before) => before + 1)
  const fail = (error: unknown): void => {
    if (!(error instanceof Refused)) throw error
    set((before) => ({ ...(before.of === query && before), of: query, failed: error }))
  }
  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const before = current.current
    const read = before === undefined ? readBack(api, query, undefined) : readOn(api, query, before)
    read.then(
      (next) => isCurrent && set({ of: query, feed: next }),
      (error: unknown) => {
        if (!isCurrent) return
        timer = setTimeout(retry, RETRY_DELAY_MS)
        fail(error)
      },
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query, reached, tick, isAnswered, attempt])
  const readOlder = async (): Promise<void> => {
    if (known?.older === undefined) return
    setReading(true)
    try {
      const more = await readBack(api, query, known.older)
      set((before) =>
        before.of === query && before.feed !== undefined
          ? { of: query, feed: { events: joined(before.feed.events, more.events), older: more.older } }
          : before,
      )
    } catch (error) {
      fail(error)
    } finally {
      setReading(false)
    }
  }
  return { feed: known, failed: of === query ? failed : undefined, retry, readOlder, isReading }
}
