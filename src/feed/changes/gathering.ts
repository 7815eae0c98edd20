import { formatScope } from '../../domain/user/scope.ts'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import { eventSource } from '../events/frames.ts'
import type { Change } from './change.ts'
import { hasNewVisibility, isVisible, type Sight, type Viewer } from './visibility.ts'

/** The same for all who see the same. */
export interface Messages {
  readonly bytes: Buffer
  /** The position of the last one; undefined if there is none. */
  readonly last: PublicPosition | undefined
}

/** What changed in a stretch of the log, as messages. */
export interface Gathering extends Pick<Stretch, 'from' | 'to'> {
  /** The messages for a reader that has read up to a position; `reload` if it must read everything again. */
  readonly messagesFor: (viewer: Viewer, after: PublicPosition) => Messages | 'reload'
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

/** Looks up each SUT once. */
const remembering = ({ now, before, isRequestIn }: Sight): Sight => {
  const known = new Map<string, ReturnType<Sight['now']>>()
  return {
    now: (sutId) => {
      if (!known.has(sutId)) known.set(sutId, now(sutId))
      return known.get(sutId)
    },
    before,
    isRequestIn,
  }
}

export const makeGathering = ({ from, to, changes, sight: readSight, most }: GatheringOptions): Gathering => {
  const sight = remembering(readSight)
  /** Owners of changed objects see what nobody else does. */
  const owners = new Set(changes?.map(({ userId }) => userId))
  const shared = new Map<string, Messages | 'reload'>()

  const messagesFor = (viewer: Viewer, after: PublicPosition): Messages | 'reload' => {
    if (changes === undefined || hasNewVisibility(changes, viewer, after)) return 'reload'
    const seen: Change[] = []
    for (const change of changes) {
      if (!isVisible(change, viewer, after, sight)) continue
      if (seen.push(change) > most) return 'reload'
    }
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
      return made
    },
  }
}
