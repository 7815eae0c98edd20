import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { formatScope } from '../../domain/user/scope.ts'
import { BEFORE_FIRST, formatPosition, laterPosition, type PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { type Follow, makeCallQueue, makePace, type Pace } from '../call-queue.ts'
import { type Change, mergeChanges } from '../events/change.ts'
import { eventSource } from '../events/frames.ts'
import type { LogReader } from '../log-reader.ts'
import { isToldTo, type Sight, type Viewer } from './visibility.ts'

/** Changes that one reader's view is compared with in one turn, where SUTs or requests are looked up for it. */
const LOOKUPS = 8
/** And where not. */
const COMPARED = 128

/** The same for all who see the same. */
export interface Messages {
  readonly bytes: Buffer
  /** The position of the last one; undefined if there is none. */
  readonly last: PublicPosition | undefined
}

/** A stretch of the log, as messages. */
export interface Gathering {
  /** The position of its last event. */
  readonly to: PublicPosition
  /** The messages for a reader; `reload` if it must read everything again. */
  readonly messagesFor: (viewer: Viewer) => Promise<Messages | 'reload'>
}

interface GatheringOptions {
  readonly to: PublicPosition
  readonly changes: readonly Change[]
  readonly sight: Sight
  /** Who sees what is found out in slices, a few of them in each turn of the event loop. */
  readonly pace: Pace
  /** Entries that a reader is sent; one with more reads everything again. */
  readonly entriesMax: number
}

/** A message that says from where a reader follows, and which page is served. */
export const positionMessage = (name: 'ready' | 'reload', position: PublicPosition, digest: string): string =>
  eventSource(name, position, JSON.stringify({ sequence: formatPosition(position), digest }))

const entryMessage = ({ position, kind, id, sutId }: Change): string =>
  eventSource(
    'change',
    position,
    JSON.stringify({ sequence: formatPosition(position), kind, _id: id, sut_id: sutId ?? null }),
  )

/** What changed in a stretch of the log, found out once for all who see the same of it. */
const makeGathering = ({ to, changes, sight, pace, entriesMax }: GatheringOptions): Gathering => {
  /** Owners of changed objects see what nobody else does. */
  const owners = new Set(changes.map(({ userId }) => userId))
  const shared = new Map<string, Promise<Messages | 'reload'>>()

  const messagesFor = async (viewer: Viewer): Promise<Messages | 'reload'> => {
    const { userId, role, scope } = viewer
    const isTester = role === 'tester'
    // What it may see has changed as a whole.
    if (isTester && changes.some((change) => change.userId === userId && change.hasNewScope)) return 'reload'
    const slice = isTester && scope !== undefined ? LOOKUPS : COMPARED
    const seen: Change[] = []
    for (let n = 0; n < changes.length && seen.length <= entriesMax; n += slice) {
      await pace()
      seen.push(...changes.slice(n, n + slice).filter((change) => isToldTo(change, viewer, sight)))
    }
    if (seen.length > entriesMax) return 'reload'
    return { bytes: Buffer.from(seen.map(entryMessage).join('')), last: seen.at(-1)?.position }
  }
  const nameOf = ({ userId, role, scope }: Viewer): string =>
    role === 'tester' ? `${owners.has(userId) ? userId : ''} ${scope === undefined ? '' : formatScope(scope)}` : 'all'

  return {
    to,
    messagesFor: (viewer) => {
      const name = nameOf(viewer)
      const messages = shared.get(name) ?? messagesFor(viewer)
      shared.set(name, messages)
      messages.catch(() => shared.delete(name))
      return messages
    },
  }
}

/** Gatherings that are kept for all who have read as far: those that follow, and those that come back together. */
const KEPT_MAX = 64

interface GatheringsOptions {
  readonly reader: LogReader
  readonly views: Pick<Views, 'position' | 'waitUntilDurable'>
  readonly limits: { readonly interval: number; readonly entries: number; readonly behind: number }
  readonly sight: Sight
  /** Reads what requests are compared with. @throws StoreUnavailable */
  readonly prepareRequests: () => Promise<unknown>
  /** Resolves when what the views show of users is known elsewhere too. */
  readonly settled: () => Promise<void> | undefined
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

/** Remembers the tags that are looked up. */
const remembering = ({ now, before, isRequestIn }: Sight): Sight => {
  const known = new Map<string, ReturnType<Sight['now']>>()
  const remember = (name: string, look: () => ReturnType<Sight['now']>): ReturnType<Sight['now']> => {
    if (!known.has(name)) known.set(name, look())
    return known.get(name)
  }
  return {
    now: (sutId) => remember(sutId, () => now(sutId)),
    before: (sutId, revision) => remember(`${sutId} ${revision}`, () => before(sutId, revision)),
    isRequestIn,
  }
}

/** Says every `interval` that there is more to read, as far as it is certain to stay. */
const makeFollow = ({ reader, views, limits, settled }: GatheringsOptions) => {
  const callSoon = makeCallQueue()
  const followers = new Set<() => void>()
  let published = BEFORE_FIRST
  let timer: NodeJS.Timeout | undefined
  let leave: (() => void) | undefined

  const publishSoon = (): void => {
    timer ??= setTimeout(() => void publish(), limits.interval).unref()
  }
  const publish = async (): Promise<void> => {
    const to = views.position()
    try {
      await views.waitUntilDurable(to)
      // Scopes that cannot be read stay as they were, here as in lists.
      await settled()?.catch(() => undefined)
      published = laterPosition(published, to)
      callSoon(followers)
    } catch {
      // The store reports why. It is tried again.
    }
    timer = undefined
    if (leave !== undefined && views.position() > published) publishSoon()
  }
  const stop = (): void => {
    leave?.()
    leave = undefined
    clearTimeout(timer)
    timer = undefined
  }
  const follow: Follow = (onChange) => {
    if (leave === undefined) {
      published = views.position()
      leave = reader.follow(publishSoon)
    }
    followers.add(onChange)
    return () => {
      followers.delete(onChange)
      if (followers.size === 0) stop()
    }
  }
  return { follow, published: () => published, close: stop }
}

/** What changed since any position. Readers at the same position share it. */
export const makeGatherings = (options: GatheringsOptions) => {
  const { reader, views, limits, sight, prepareRequests } = options
  const { published, ...following } = makeFollow(options)
  const pace = makePace()
  const kept = new LRUCache<string, Promise<Gathering>>({ max: KEPT_MAX })
  /** What is looked up until there is more to read. */
  let [looked, lookedAt] = [sight, BEFORE_FIRST]

  const gather = async (userId: string, from: PublicPosition, to: PublicPosition): Promise<Gathering> => {
    const changes = await readChanges(reader, userId, from, to)
    if (changes.some(({ kind }) => kind === 'sut_request')) await prepareRequests()
    if (to !== lookedAt) looked = remembering(sight)
    lookedAt = to
    return makeGathering({ to, changes, sight: looked, pace, entriesMax: limits.entries })
  }

  return {
    ...following,
    /**
     * What follows a position, for a user; undefined if there is nothing yet.
     *
     * @throws StoreUnavailable if it cannot be read
     */
    readAfter: async (userId: string, position: PublicPosition): Promise<Gathering | undefined> => {
      const to = published()
      // Too far behind, or of another log: this one has not got so far.
      if (position > views.position() || to - position > limits.behind) return { to, messagesFor: async () => 'reload' }
      if (position >= to) return undefined
      const name = `${position} ${to}`
      const gathering = kept.get(name) ?? gather(userId, position, to)
      kept.set(name, gathering)
      gathering.catch(() => kept.delete(name))
      return gathering
    },
  }
}
