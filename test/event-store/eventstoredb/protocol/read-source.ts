import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { LogEvent } from './append-rules.ts'
import type { Log } from './log.ts'
import { nameOf } from './wire.ts'

export type Options = streams.ReadReq.Options

/** The events to read, and the number that orders them. */
export interface Source {
  readonly stream?: string
  readonly events: () => readonly LogEvent[] | undefined
  readonly place: (event: LogEvent) => number
  readonly from: number | 'start' | 'end'
  readonly isWanted: (event: LogEvent) => boolean
}

const filterOf = (options: Options): Source['isWanted'] => {
  const filter = options.getFilter()
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType()
  if (filter === undefined || expression === undefined) return () => true
  const prefixes = expression.getPrefixList()
  const regex = new RegExp(expression.getRegex())
  return ({ stream, type }) => {
    const text = filter.hasStreamIdentifier() ? stream : type
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text)
  }
}

export const sourceOf = (options: Options, log: Log): Source => {
  const isWanted = filterOf(options)
  const all = options.getAll()
  if (all !== undefined) {
    const from = all.hasStart() ? 'start' : all.hasEnd() ? 'end' : Number(all.getPosition()?.getCommitPosition())
    return { events: log.all, place: ({ position }) => position, from, isWanted }
  }
  const one = options.getStream() ?? new streams.ReadReq.Options.StreamOptions()
  const stream = nameOf(one.getStreamIdentifier())
  const from = one.hasStart() ? 'start' : one.hasEnd() ? 'end' : Number(one.getRevision())
  return { stream, events: () => log.readable(stream), place: ({ revision }) => revision, from, isWanted }
}

/** The index of the first event at or after a place. */
export const indexFrom = (events: readonly LogEvent[], { place }: Source, at: number): number => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (place(events[middle] as LogEvent) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The wanted events of one read, in its direction, at most `count`. */
export const select = (source: Source, events: readonly LogEvent[], isBackwards: boolean, count: number) => {
  const { from, isWanted } = source
  const step = isBackwards ? -1 : 1
  const start = from === 'start' ? 0 : from === 'end' ? events.length : indexFrom(events, source, from)
  const isAtPlace = typeof from === 'number' && events[start] !== undefined && source.place(events[start]) === from
  const selected: LogEvent[] = []
  for (let at = isBackwards && !isAtPlace ? start - 1 : start; selected.length < count; at += step) {
    const event = events[at]
    if (event === undefined) break
    if (isWanted(event)) selected.push(event)
  }
  return selected
}

/** The place of a subscription before its first event. */
export const beginning = ({ from, events, place }: Source): number => {
  const last = events()?.at(-1)
  if (from === 'end') return last === undefined ? -1 : place(last)
  return from === 'start' ? -1 : from
}

/** Whether the read starts at a log position where no event starts. */
export const isInvalidPosition = (source: Source): boolean => {
  const { from, stream, events } = source
  const all = events()
  if (stream !== undefined || typeof from !== 'number' || all === undefined) return false
  const next = all[indexFrom(all, source, from)]
  return next !== undefined && source.place(next) !== from
}
