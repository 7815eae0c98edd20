import { formatScope } from '../../domain/user/scope.ts'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { Pace } from '../call-queue.ts'
import type { Change } from '../events/change.ts'
import { eventSource } from '../events/frames.ts'
import { hasNewVisibility, isToldTo, type Sight, type Viewer } from './visibility.ts'

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

/** What changed in a stretch of the log, as messages. */
export interface Gathering extends Pick<Stretch, 'from' | 'to'> {
  /** The messages for a reader that has read up to a position; `reload` if it must read everything again. */
  readonly messagesFor: (viewer: Viewer, after: PublicPosition) => Promise<Messages | 'reload'>
}

/** Changes of a stretch of the log. */
export interface Stretch {
  /** The position before it, and its last. */
  readonly from: PublicPosition
  readonly to: PublicPosition
  /** Undefined if there are too many. */
  readonly changes: readonly Change[] | undefined
}

interface GatheringOptions extends Stretch {
  readonly sight: Sight
  /** Who sees what is found out in slices, a few of them in each turn of the event loop. */
  readonly pace: Pace
  /** Entries, at most; a reader with more reads everything again. */
  readonly most: number
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

/** Calls `act` with each of them, so many in one turn of the event loop. */
const inSlices = async <A>(pace: Pace, all: readonly A[], slice: number, act: (one: A) => void): Promise<void> => {
  for (let n = 0; n < all.length; n += slice) {
    await pace()
    all.slice(n, n + slice).forEach(act)
  }
}

/** Remembers what is looked up. */
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

export const makeGathering = ({ from, to, changes, sight: readSight, pace, most }: GatheringOptions): Gathering => {
  const sight = remembering(readSight)
  /** Owners of changed objects see what nobody else does. */
  const owners = new Set(changes?.map(({ userId }) => userId))
  const shared = new Map<string, Promise<Messages | 'reload'>>()

  const messagesFor = async (viewer: Viewer, after: PublicPosition): Promise<Messages | 'reload'> => {
    if (changes === undefined) return 'reload'
    await pace()
    if (hasNewVisibility(changes, viewer, after)) return 'reload'
    const hasScope = viewer.role === 'tester' && viewer.scope !== undefined
    const seen: Change[] = []
    const compare = (change: Change): void => {
      if (seen.length <= most && isToldTo(change, viewer, after, sight)) seen.push(change)
    }
    await inSlices(pace, changes, hasScope ? LOOKUPS : COMPARED, compare)
    if (seen.length > most) return 'reload'
    return { bytes: Buffer.from(seen.map(entryMessage).join('')), last: seen.at(-1)?.position }
  }
  const nameOf = ({ userId, role, scope }: Viewer, after: PublicPosition): string => {
    const start = after <= from ? '' : `${after}`
    if (role !== 'tester') return `all ${start}`
    return `${owners.has(userId) ? userId : ''} ${start} ${scope === undefined ? '' : formatScope(scope)}`
  }

  return {
    from,
    to,
    messagesFor: (viewer, after) => {
      const name = nameOf(viewer, after)
      const found = shared.get(name)
      if (found !== undefined) return found
      const made = messagesFor(viewer, after)
      shared.set(name, made)
      made.catch(() => shared.delete(name))
      return made
    },
  }
}
