import { setImmediate as turn } from 'node:timers/promises'
import { BEFORE_FIRST, laterPosition, type PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { type Follow, makeCallQueue, makePace } from '../call-queue.ts'
import type { Change } from '../events/entry.ts'
import type { LogReader } from '../log-reader.ts'
import { isToldTo, type Sight, type Viewer } from './visibility.ts'

/** Changes that one reader's view is compared with in one turn, where SUTs or requests are looked up for it. */
const LOOKUPS = 8
/** And where not. */
const COMPARED = 128

/** What a reader is told of a stretch of the log. */
export interface Gathering {
  /** The position of its last event. */
  readonly to: PublicPosition
  /** Undefined if the reader must read everything again. */
  readonly changes: readonly Change[] | undefined
}

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

const merge = (before: Change, after: Change): Change => ({
  ...after,
  isOfRoster: before.isOfRoster || after.isOfRoster,
  hasNewQuota: before.hasNewQuota || after.hasNewQuota,
  hasNewScope: before.hasNewScope || after.hasNewScope,
  retagged: [...before.retagged, ...after.retagged],
})

/** The changes of a stretch of the log, one an object, in order of their last events. */
const mergeChanges = (changes: readonly (Change | undefined)[]): readonly Change[] => {
  const byObject = new Map<string, Change>()
  for (const change of changes) {
    if (change === undefined) continue
    const name = `${change.kind} ${change.id}`
    const before = byObject.get(name)
    // Put at the end, where its last event is.
    byObject.delete(name)
    byObject.set(name, before === undefined ? change : merge(before, change))
  }
  return [...byObject.values()]
}

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

/** What changed since any position, as readers see it. */
export const makeGatherings = (options: GatheringsOptions) => {
  const { reader, views, limits, sight, prepareRequests } = options
  const { published, ...following } = makeFollow(options)
  const pace = makePace()
  /** What is looked up for all readers, until there is more to read. */
  let [looked, lookedAt] = [sight, BEFORE_FIRST]

  const seenBy = async (
    { userId, role, scope }: Viewer,
    changes: readonly Change[],
  ): Promise<readonly Change[] | undefined> => {
    const isTester = role === 'tester'
    // What it may see has changed as a whole.
    if (isTester && changes.some((change) => change.userId === userId && change.hasNewScope)) return undefined
    if (changes.some(({ kind }) => kind === 'sut_request')) await prepareRequests()
    const slice = isTester && scope !== undefined ? LOOKUPS : COMPARED
    const seen: Change[] = []
    for (let n = 0; n < changes.length && seen.length <= limits.entries; n += slice) {
      // A few readers in each turn of the event loop.
      await pace()
      seen.push(...changes.slice(n, n + slice).filter((change) => isToldTo(change, { userId, role, scope }, looked)))
    }
    return seen.length > limits.entries ? undefined : seen
  }

  return {
    ...following,
    /**
     * What follows a position, for a user as it is then; undefined if there is nothing yet, or the user is gone.
     *
     * @throws StoreUnavailable if it cannot be read
     */
    readAfter: async (
      userId: string,
      viewerNow: () => Viewer | undefined,
      position: PublicPosition,
    ): Promise<Gathering | undefined> => {
      const to = published()
      // Too far behind, or of another log: this one has not got so far.
      if (position > views.position() || to - position > limits.behind) return { to, changes: undefined }
      if (position >= to) return undefined
      const changes = await readChanges(reader, userId, position, to)
      if (to !== lookedAt) looked = remembering(sight)
      lookedAt = to
      const viewer = viewerNow()
      return viewer && { to, changes: await seenBy(viewer, changes) }
    },
  }
}
