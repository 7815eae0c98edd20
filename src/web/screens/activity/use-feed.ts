import { useRef, useState } from 'preact/hooks'
import { entryOf, type FeedEvent, joined } from '../../features/events/feed.ts'
import { rowsOf } from '../../features/events/sentence.ts'
import { useReading } from '../../page/context.ts'
import type { Readable } from '../../service/api.ts'

interface Feed {
  /** Newest first. */
  readonly events: readonly FeedEvent[]
  /** Before which older ones are; undefined if there are none. */
  readonly older: string | undefined
}

/**
 * Events that are asked for at first, and then to fill the page, at most so often: a filter may leave nothing of them,
 * and all of an import are one row.
 */
const FIRST = 100
const MORE = 1_000
const REQUESTS_MAX = 20
const ROWS_MIN = 20
/** Between looks at the log: not all that it records changes an object. */
const POLL_INTERVAL_MS = 15_000
export const KEPT_MAX = 2_000

const queryOf = (query: string, parameters: string): string => (query === '' ? parameters : `${query}&${parameters}`)

/** `known`: how many newer ones are kept already. */
const readBack = async (api: Readable, query: string, before?: string, known = 0): Promise<Feed> => {
  const events: FeedEvent[] = []
  let next = before
  const isFull = (): boolean => events.length >= FIRST && rowsOf(events.map(entryOf)) >= ROWS_MIN
  for (let n = 0; n < REQUESTS_MAX && known + events.length < KEPT_MAX && !isFull(); n++) {
    const limit = n === 0 ? FIRST : MORE
    const asked = queryOf(query, `order=desc&limit=${limit}${next === undefined ? '' : `&before=${next}`}`)
    const { value } = await api.get(`/api/events?${asked}`)
    events.push(...value.events)
    if (value.caught_up || value.next === null) return { events, older: undefined }
    next = value.next
  }
  return { events, older: next }
}

/** Reads what is newer than what is known; from the end again if that is much. */
const readOn = async (api: Readable, query: string, feed: Feed): Promise<Feed> => {
  const last = feed.events[0]?.sequence
  if (last === undefined) return readBack(api, query)
  const { value } = await api.get(`/api/events?${queryOf(query, `after=${last}&limit=${MORE}`)}`)
  if (!value.caught_up) return readBack(api, query)
  const events = joined(value.events.toReversed(), feed.events)
  const kept = events.slice(0, KEPT_MAX)
  return { events: kept, older: kept.length < events.length ? kept.at(-1)?.sequence : feed.older }
}

export const useFeed = (query: string) => {
  /** What was there when one asked for older events. */
  const [asked, ask] = useState<Feed | undefined>(undefined)
  /** The query of which one has asked for them. */
  const olderOf = useRef<string | undefined>(undefined)
  const reading = useReading<Feed>({
    key: `feed ${query}`,
    of: ({ _id }) => _id,
    read: async (source, _ids, before) => {
      if (before === undefined) return readBack(source, query)
      if (olderOf.current !== query) return readOn(source, query, before)
      const more = await readBack(source, query, before.older, before.events.length)
      olderOf.current = undefined
      return { events: joined(before.events, more.events), older: more.older }
    },
    again: () => POLL_INTERVAL_MS,
  })
  const { value: feed, failed, retry } = reading
  const readOlder = (): void => {
    olderOf.current = query
    ask(feed)
    retry()
  }
  return { feed, failed, retry, readOlder, isReading: asked !== undefined && asked === feed && failed === undefined }
}
