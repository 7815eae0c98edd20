import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type Entry, type Filter, firstOf, isFiltering, isWanted } from './entry.ts'
import type { Format, Why } from './frames.ts'
import { type Bell, makeBell, makeOutlet, type Outlet } from './outlet.ts'
import type { Source } from './source.ts'

/** Events passed over for a reader that wants others, after which it is told how far it has come. */
const UNTOLD_MAX = 1_024
/** Characters that are written at a time, but for a single event: what a reader who stands still holds. */
const CHARACTERS_MAX = 1 << 16
/** Milliseconds before a log is read again that could not be read. */
const AGAIN_AFTER = 250

export interface Wish {
  /** The position behind which to begin; -1 for the beginning. */
  readonly after: number
  /** The last position that is told; it goes on live where there is none. */
  readonly end: number | undefined
  readonly filter: Filter
  readonly format: Format
}

export interface StreamOptions extends Wish {
  readonly source: Pick<Source, 'behind' | 'written' | 'onChange' | 'forget'>
  /** Milliseconds between two signs of life. */
  readonly heartbeat: number
  /** Milliseconds within which a reader must have taken what was written. */
  readonly patience: number
  /** Milliseconds after which a reader that was cut off comes back. */
  readonly retry: number
  /** Something failed that nobody foresaw. */
  readonly onFailed: (error: unknown) => void
}

export type Ended = Why | 'left' | 'done'

/** One subscriber's stream, on its connection. */
export interface Stream {
  /** Resolves when it has ended, one way or the other. */
  readonly ended: Promise<Ended>
  /** Ends it, with a last event that says why. */
  readonly end: (why: Why) => void
  /** Looks at what time has brought; `now` as `performance.now()` has it. */
  readonly look: (now: number) => void
}

/** What a reader has been told, and how far it has come. */
interface Telling {
  readonly position: () => number
  /** Tells the first of some events. */
  readonly tell: (entries: readonly Entry[]) => void
  /** Tells how far it has come, where that is further than it knows. */
  readonly tellPlace: () => void
}

const makeTelling = (outlet: Outlet, { after, end, filter, format, source }: StreamOptions): Telling => {
  const isFiltered = isFiltering(filter)
  let position = after
  let known = after
  const tellPlace = (): void => {
    if (position !== known) outlet.write(format.checkpoint(position))
    known = position
  }
  return {
    position: () => position,
    tellPlace,
    tell: (entries) => {
      const wanted = isFiltered ? entries.filter((entry) => isWanted(filter, entry)) : entries
      const first = firstOf(wanted, CHARACTERS_MAX)
      // What is behind the last of them and not wanted has been passed too.
      position = ((first.length === wanted.length ? entries : first).at(-1) as Entry).position
      known = first.at(-1)?.position ?? known
      outlet.write(isFiltered ? first.map(format.event).join('') : source.written(format, first))
      if (end === undefined && position - known >= UNTOLD_MAX) tellPlace()
    },
  }
}

interface Run extends Pick<StreamOptions, 'source' | 'end'> {
  readonly outlet: Outlet
  readonly bell: Bell
  readonly telling: Telling
  readonly isOver: () => boolean
}

/** Tells everything up to the end, as fast as it is taken; for ever where there is no end. */
const tellAll = async ({ source, end, outlet, bell, telling, isOver }: Run): Promise<void> => {
  let hasCaughtUp = false
  const step = async (): Promise<void> => {
    if (outlet.fullSince() !== undefined) return bell.rung()
    let entries = await source.behind(telling.position(), end)
    if (entries.length === 0) {
      source.onChange(bell.ring)
      // What has come between looking and listening.
      entries = await source.behind(telling.position(), end)
    }
    if (isOver()) return source.forget(bell.ring)
    if (entries.length === 0) {
      if (!hasCaughtUp) telling.tellPlace()
      hasCaughtUp = true
      return bell.rung()
    }
    telling.tell(entries)
    // Others come to their turn, however fast this reader is.
    return turn()
  }
  while (!isOver() && (end === undefined || telling.position() < end)) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      setTimeout(bell.ring, AGAIN_AFTER)
      await bell.rung()
    }
  }
}

/** Starts to tell a reader of events; the head of the answer has been written. */
export const startStream = (response: ServerResponse, options: StreamOptions): Stream => {
  const { source, format, end: last, heartbeat, patience, retry, onFailed } = options
  const over = Promise.withResolvers<Ended>()
  const bell = makeBell()
  const outlet = makeOutlet(response, bell.ring)
  const telling = makeTelling(outlet, options)
  let isOver = false
  let lastBeat = performance.now()

  const finish = (how: Ended): void => {
    isOver = true
    source.forget(bell.ring)
    bell.ring()
    over.resolve(how)
  }
  const end = (why: Why): void => {
    if (isOver) return
    const ending = format.ending(why, telling.position())
    // What was to be told whole is seen not to have been.
    if (last === undefined) response.end(ending)
    else response.write(ending, () => response.destroy())
    finish(why)
  }
  const run = async (): Promise<void> => {
    outlet.write(format.opening(retry))
    await tellAll({ source, end: last, outlet, bell, telling, isOver: () => isOver })
    if (isOver) return
    response.end()
    finish('done')
  }

  response.on('close', () => finish('left'))
  response.on('error', () => undefined)
  if (response.destroyed) finish('left')
  else
    run().catch((error) => {
      onFailed(error)
      end('failed')
    })
  return {
    ended: over.promise,
    end,
    look: (now) => {
      if (isOver) return
      const fullSince = outlet.fullSince()
      if (fullSince !== undefined && now - fullSince >= patience) return end('too_slow')
      if (last !== undefined || fullSince !== undefined || now - lastBeat < heartbeat) return
      lastBeat = now
      telling.tellPlace()
      outlet.write(format.heartbeat)
      bell.ring()
    },
  }
}
