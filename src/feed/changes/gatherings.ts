import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { BEFORE_FIRST, earlierPosition, type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { type Follow, makeCallQueue, makePace, makeWakeUpSignal } from '../call-queue.ts'
import { type Change, mergeChanges } from '../events/change.ts'
import type { LogReader } from '../log-reader.ts'
import { type Gathering, makeGathering, type Stretch } from './gathering.ts'
import type { Sight } from './visibility.ts'

/** Gatherings that are kept for readers slightly behind, and for readers that come back together. */
const [KEPT_MAX, PAST_MAX] = [64, 8]
/** Past stretches begin at multiples of this, so that readers that left at about the same position share them. */
const STEP = 1_024
/** Before reading again after a failure. */
const RETRY_DELAY_MS = 250
/** In place of a user where what is read is for all. */
const EVERYBODY = ''

interface GatheringsOptions {
  readonly reader: LogReader
  readonly views: Pick<Views, 'position'>
  readonly limits: { readonly interval: number; readonly entries: number; readonly behind: number }
  readonly sight: Sight
  /** Reads what requests are compared with. @throws StoreUnavailable */
  readonly prepareRequests: () => Promise<unknown>
  /** Resolves when what the views show of users is known elsewhere too. */
  readonly settled: () => Promise<void> | undefined
  /** Called when what follows cannot be gathered, and a retry would not help. */
  readonly onFailed: (error: unknown) => void
}

/** Reads what changed in a stretch of the log. */
const readChanges = async (
  { readAfter }: LogReader,
  userId: string,
  from: PublicPosition,
  to: PublicPosition,
): Promise<readonly Change[]> => {
  const changes: (Change | undefined)[] = []
  for (let position = from; position < to; ) {
    const entries = await readAfter(userId, position, to)
    const last = entries.at(-1)
    if (last === undefined) throw new StoreUnavailable('events of the log cannot be read')
    changes.push(...entries.map(({ change }) => change))
    position = last.position
    await turn()
  }
  return mergeChanges(changes)
}

/** Makes gatherings, also of what is not known. */
const makeGather = ({ reader, limits, sight, prepareRequests }: GatheringsOptions) => {
  const pace = makePace()
  const made = (stretch: Stretch): Gathering => makeGathering({ ...stretch, sight, pace, most: limits.entries })

  /** Undefined if it cannot be said who sees what has changed. */
  const whenComparable = async (changes: readonly Change[]): Promise<Stretch['changes']> => {
    if (!changes.some(({ kind }) => kind === 'sut_request')) return changes
    try {
      await prepareRequests()
      return changes
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    }
  }
  return {
    /** After which everything is to be read again. */
    gatherNothing: (from: PublicPosition, to: PublicPosition): Gathering => made({ from, to, changes: undefined }),
    gather: async (userId: string, from: PublicPosition, to: PublicPosition): Promise<Gathering> =>
      made({ from, to, changes: await whenComparable(await readChanges(reader, userId, from, to)) }),
  }
}

type Gather = ReturnType<typeof makeGather>

/** Gathers what is new, once for all readers, until the signal is aborted. */
const follow = async (
  { reader, views, limits, settled }: GatheringsOptions,
  { gather, gatherNothing }: Gather,
  publish: (gathering: Gathering) => void,
  signal: AbortSignal,
): Promise<void> => {
  let from = views.position()
  const wakeUp = makeWakeUpSignal()
  const leave = reader.follow(wakeUp.signal)
  signal.addEventListener('abort', leave)
  while (!signal.aborted) {
    while (views.position() === from) await wakeUp.wait()
    await delay(limits.interval, undefined, { signal, ref: false })
    const to = views.position()
    try {
      // Nothing is told before it is certain to stay.
      await reader.waitUntilDurable(to)
      // Scopes that cannot be read stay as they were, here as in lists.
      await settled()?.catch(() => undefined)
      const gathering = to - from > limits.behind ? gatherNothing(from, to) : await gather(EVERYBODY, from, to)
      if (signal.aborted) return
      from = to
      publish(gathering)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await delay(RETRY_DELAY_MS, undefined, { signal, ref: false })
    }
  }
}

/** For readers that come back. Who sees the objects may change with each event after them. */
const makePast = ({ gather }: Gather) => {
  const kept = new LRUCache<string, Promise<Gathering>>({ max: PAST_MAX })
  return (userId: string, position: PublicPosition, end: PublicPosition): Promise<Gathering> => {
    const from = toPublicPosition(Math.floor((position + 1) / STEP) * STEP - 1)
    const to = earlierPosition(toPublicPosition(from + STEP), end)
    const name = `${from} ${to} ${end}`
    const known = kept.get(name)
    if (known !== undefined) return known
    const gathering = gather(userId, from, to)
    kept.set(name, gathering)
    gathering.catch(() => kept.delete(name))
    return gathering
  }
}

/** What changed, in gatherings that follow each other without a gap and that all readers share. */
export const makeGatherings = (options: GatheringsOptions) => {
  const { views, limits, onFailed } = options
  const callSoon = makeCallQueue()
  const gather = makeGather(options)
  const gatherPast = makePast(gather)
  const followers = new Set<() => void>()
  let published = BEFORE_FIRST
  let kept: readonly Gathering[] = []
  let following = new AbortController()

  const publish = (gathering: Gathering): void => {
    published = gathering.to
    kept = [...kept.slice(1 - KEPT_MAX), gathering]
    callSoon(followers)
  }
  const start = (): void => {
    published = views.position()
    following = new AbortController()
    const { signal } = following
    follow(options, gather, publish, signal).catch((error) => {
      if (!signal.aborted) onFailed(error)
    })
  }
  const stop = (): void => {
    following.abort()
    kept = []
  }
  const followOn: Follow = (onChange) => {
    if (followers.size === 0) start()
    followers.add(onChange)
    return () => {
      followers.delete(onChange)
      if (followers.size === 0) stop()
    }
  }

  return {
    follow: followOn,
    close: stop,
    /** What follows a position, for a user; undefined if there is nothing yet. */
    readAfter: async (userId: string, position: PublicPosition): Promise<Gathering | undefined> => {
      // Of another log: this one has not got so far.
      const isUnknown = position > views.position() || published - position > limits.behind
      if (isUnknown) return gather.gatherNothing(position, published)
      if (position >= published) return undefined
      const next = kept.find(({ to }) => to > position)
      return next !== undefined && next.from <= position ? next : gatherPast(userId, position, published)
    },
  }
}
