import type { Event } from '../http/store/log-rows.ts'
import type { Random } from '../process/random.ts'
import { EVENT_STREAM, eventsIn, LINES, openStream, readEventStream, readLines, sequenceAt } from './readers.ts'

/** A feed query, and the events that match it. */
export interface Wanted {
  readonly query: string
  readonly isWanted: (event: Event) => boolean
}

/** Gaps, repeats and wrong order in the events of a reader, compared with the log. */
export const faultsOf = (
  read: readonly string[],
  log: readonly Event[],
  isWanted: Wanted['isWanted'] = () => true,
): readonly string[] => {
  const wanted = log.flatMap((event, position) => (isWanted(event) ? [`${sequenceAt(position)} ${event.id}`] : []))
  const had = read.map((json) => {
    const { sequence, id } = JSON.parse(json) as { sequence: string; id: string }
    return `${sequence} ${id}`
  })
  const missing = wanted.filter((one) => !had.includes(one)).map((one) => `gap at ${one}`)
  const repeats = had.filter((one, i) => had.indexOf(one) !== i).map((one) => `repeat of ${one}`)
  const strange = had.filter((one) => !wanted.includes(one)).map((one) => `unexpected ${one}`)
  const isInOrder = had.every((one, i) => i === 0 || (had[i - 1] as string) < one)
  return [...missing, ...repeats, ...strange, ...(isInOrder ? [] : ['not in order'])]
}

/** A reader that is disconnected repeatedly. */
export interface Follower {
  /** The events read so far, as JSON. */
  readonly read: readonly string[]
  readonly cuts: () => number
  /** Resolves when the reader has reached the position. */
  readonly upTo: (position: number) => Promise<void>
}

/** Returns the port to connect to, which may differ each time. */
type Ports = () => number

interface FollowerOptions extends Wanted {
  readonly ports: Ports
  readonly random: Random
  /** Maximum number of events before a disconnect; 2 by default. */
  readonly takeMax?: number
}

/** A reader whose connection is cut in the middle of an event, after every event or two. */
const followStream = (
  { ports, random, query, takeMax = 2 }: FollowerOptions,
  accept: string,
  resume: (place: string | undefined) => { readonly query: string; readonly headers: Readonly<Record<string, string>> },
): Follower => {
  const read: string[] = []
  let place: string | undefined
  let cuts = 0
  const once = async (target: string): Promise<void> => {
    const { query: more, headers } = resume(place)
    const stream = await openStream(ports(), `?${[query, more].filter((part) => part !== '').join('&')}`, {
      accept,
      headers,
    })
    if (stream.status !== 200) throw new Error(`${stream.status} at ${place}`)
    const take = 1 + random.below(takeMax)
    const isThere = (at: string | undefined): boolean => at !== undefined && at >= target
    await stream.until(({ messages }) => messages.length >= take || isThere(messages.at(-1)?.position))
    stream.close()
    cuts++
    // Cut in the middle of the next event.
    const text = stream.text()
    const parse = accept === LINES ? readLines : readEventStream
    const whole = parse(text).messages.slice(0, take)
    const end = (whole.at(-1) as { data: string }).data
    const cut = text.slice(0, text.indexOf(end) + end.length + 2 + random.below(200))
    const reading = parse(cut)
    read.push(...eventsIn(reading).map(({ data }) => data))
    place = reading.messages.at(-1)?.position ?? place
  }
  return {
    read,
    cuts: () => cuts,
    upTo: async (position) => {
      const target = sequenceAt(position)
      while (place === undefined || place < target) await once(target)
    },
  }
}

export const followEventStream = (options: FollowerOptions): Follower =>
  followStream(options, EVENT_STREAM, (place) => ({
    query: '',
    headers: place === undefined ? {} : { 'Last-Event-ID': place },
  }))

export const followLines = (options: FollowerOptions): Follower =>
  followStream(options, LINES, (place) => ({
    query: place === undefined ? 'follow=true' : `follow=true&after=${place}`,
    headers: {},
  }))

interface Page {
  readonly events: readonly object[]
  readonly next: string | null
  readonly caught_up: boolean
}

/** A reader of pages of random sizes. */
export const followPages = (
  { ports, random, query }: FollowerOptions,
  get: (port: number, path: string) => Promise<string>,
): Follower => {
  const read: string[] = []
  let place: string | null = null
  let pages = 0
  return {
    read,
    cuts: () => pages,
    upTo: async (position) => {
      const target = sequenceAt(position)
      while (place === null || place < target) {
        const parameters = [query, `limit=${1 + random.below(3)}`, ...(place === null ? [] : [`after=${place}`])]
        const text = await get(ports(), `/api/events?${parameters.filter((part) => part !== '').join('&')}`)
        const { events, next } = JSON.parse(text) as Page
        read.push(...events.map((event) => JSON.stringify(event)))
        place = next
        pages++
      }
    },
  }
}
