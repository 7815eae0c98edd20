import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import type { User } from '../../domain/user/user.ts'
import { earlierPosition, formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { Matching } from '../../read-models/matching/matching.ts'
import type { KnownSuts } from '../../read-models/matching/suts.ts'
import type { Views } from '../../read-models/views.ts'
import type { Change } from '../events/entry.ts'
import { eventSource, eventStream } from '../events/frames.ts'
import type { LogReader } from '../log-reader.ts'
import type { Sending } from '../stream.ts'
import { FEED_LIMITS, type FeedLimits, makeSubscribers, type SubscribersOptions } from '../subscribers.ts'
import { type Gathering, makeGatherings } from './gatherings.ts'
import type { Sight, Viewer } from './visibility.ts'

export interface ChangesLimits extends FeedLimits {
  /** Milliseconds during which changes are gathered. */
  readonly interval: number
  /** Entries of a gathering that a reader is sent. */
  readonly entries: number
  /** Events that a reader may be behind: as many as a page of the feed may have. */
  readonly behind: number
}

const CHANGES_LIMITS: ChangesLimits = {
  ...FEED_LIMITS,
  perUser: 64,
  interval: 250,
  entries: 500,
  behind: 1_000,
}

interface ChangesOptions extends Omit<SubscribersOptions, 'limits'> {
  readonly reader: LogReader
  readonly views: Pick<Views, 'position' | 'waitUntilDurable' | 'isOfAnotherLog' | 'newest' | 'asOf'>
  /** The users as they are. */
  readonly known: {
    readonly byId: (id: string) => User | undefined
    /** Resolves once what was recorded is known; undefined if it is. */
    readonly settled: () => Promise<void> | undefined
  }
  /** The SUTs that requests fit. @throws StoreUnavailable */
  readonly suts: Matching['suts']
  readonly limits?: Partial<ChangesLimits> | undefined
}

interface ChangesRequest extends Pick<Sending<Gathering>, 'after'> {
  /** The digest of the page that is served. */
  readonly digest: string
}

export type Changes = ReturnType<typeof makeChanges>

const tagsIn = (version: { readonly document: string } | undefined): Sut['tags'] | undefined =>
  version && (JSON.parse(version.document) as Sut).tags

const makeSight = ({ views: { newest, asOf }, suts }: ChangesOptions) => {
  let known: KnownSuts | undefined
  const sight: Sight = {
    now: (sutId) => tagsIn(newest('sut', sutId)),
    before: (sutId, revision) => tagsIn(asOf('sut', sutId, revision - 1)),
    isRequestIn: (requestId, scope) => {
      const version = newest('sut_request', requestId)
      if (known === undefined || version === undefined) return false
      const { match, sut_id } = JSON.parse(version.document) as SutRequest
      return known.isAnyFit({ criteria: match, sut_id, scopes: [scope] })
    },
  }
  return {
    sight,
    /** Reads the SUTs. No request is in sight before. */
    prepareRequests: async (): Promise<void> => {
      known = await suts()
    },
  }
}

/** A message that says from where a reader follows, and which page is served. */
const positionMessage = (name: 'ready' | 'reload', position: PublicPosition, digest: string): string =>
  eventSource(name, position, JSON.stringify({ sequence: formatPosition(position), digest }))

const entryMessage = ({ position, kind, id, sutId }: Change): string =>
  eventSource(
    'change',
    position,
    JSON.stringify({ sequence: formatPosition(position), kind, _id: id, sut_id: sutId ?? null }),
  )

/** Tells everyone which of the objects that they may read have changed. */
export const makeChanges = (options: ChangesOptions) => {
  const { reader, views, known } = options
  const limits = { ...CHANGES_LIMITS, ...options.limits }
  const subscribers = makeSubscribers({ ...options, limits })
  const gatherings = makeGatherings({
    ...{ reader, views, limits, settled: known.settled },
    ...makeSight(options),
  })
  return {
    subscribe: (user: User, { after, digest }: ChangesRequest) => {
      const { _id: userId, role } = user
      const viewerNow = (): Viewer | undefined => {
        const now = known.byId(userId)
        return now && { userId, role, scope: role === 'tester' ? now.scope : undefined }
      }
      return subscribers.subscribe<Gathering>(user, {
        ...{ after, end: undefined, format: eventStream, follow: gatherings.follow },
        readAfter: async (position) => {
          const gathering = await gatherings.readAfter(userId, viewerNow, position)
          return gathering === undefined ? [] : [gathering]
        },
        // The first message says from where.
        opening: (after) => {
          const told = earlierPosition(after, views.position())
          return { bytes: positionMessage('ready', told, digest), to: after, told }
        },
        encode: ([gathering]) => {
          const { to, changes } = gathering as Gathering
          return changes === undefined
            ? { bytes: positionMessage('reload', to, digest), to, told: to }
            : { bytes: changes.map(entryMessage).join(''), to, told: changes.at(-1)?.position }
        },
      })
    },
    close: async (): Promise<void> => {
      await subscribers.close()
      gatherings.close()
    },
  }
}
