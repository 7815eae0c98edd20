import { formatScope } from '../../domain/user/scope.ts'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { Pace } from '../call-queue.ts'
import type { Change } from '../events/change.ts'
import { eventSource } from '../events/frames.ts'
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
export const makeGathering = ({ to, changes, sight, pace, entriesMax }: GatheringOptions): Gathering => {
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
