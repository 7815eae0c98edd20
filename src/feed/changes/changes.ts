import type { Sut } from '../../../projections/sut.ts'
import { earlierPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import type { DelayedStart } from '../delayed-start.ts'
import { makeWaitUntilDurable } from '../durability.ts'
import { eventStream } from '../events/frames.ts'
import type { Sending } from '../stream.ts'
import { FEED_LIMITS, type FeedLimits, makeSubscribers, type SubscribersOptions } from '../subscribers.ts'
import { makeWaiting } from '../waiting.ts'
import { type Gathering, positionMessage } from './gathering.ts'
import { makeGatherings } from './gatherings.ts'
import type { Sight, Viewer } from './visibility.ts'

export interface ChangesLimits extends FeedLimits {
  /** Milliseconds during which changes are gathered. */
  readonly interval: number
  /** Entries of a gathering that a reader is sent. */
  readonly entries: number
  /** Events that a reader may be behind. */
  readonly behind: number
}

const CHANGES_LIMITS: ChangesLimits = {
  ...FEED_LIMITS,
  perUser: 64,
  interval: 250,
  entries: 500,
  behind: 10_000,
}

interface ChangesOptions extends Omit<SubscribersOptions, 'limits'> {
  readonly store: EventStore
  readonly views: Pick<Views, 'log' | 'position' | 'isOfAnotherLog' | 'watch' | 'newest' | 'asOf'>
  /** The users as they are. */
  readonly known: Pick<Users, 'byId' | 'settled'>
  /** Which requests users with a scope see. */
  readonly requests: {
    /** @throws StoreUnavailable */
    readonly prepare: () => Promise<unknown>
    readonly isIn: Sight['isRequestIn']
  }
  readonly limits?: Partial<ChangesLimits> | undefined
}

interface ChangesRequest {
  readonly after: PublicPosition
  /** The digest of the page that is served. */
  readonly digest: string
}

export type Changes = ReturnType<typeof makeChanges>

const tagsIn = (version: { readonly document: string } | undefined): Sut['tags'] | undefined =>
  version && (JSON.parse(version.document) as Sut).tags

const makeSight = ({ views: { newest, asOf }, requests }: ChangesOptions): Sight => ({
  now: (sutId) => tagsIn(newest('sut', sutId)),
  before: (sutId, revision) => tagsIn(asOf('sut', sutId, revision - 1)),
  isRequestIn: requests.isIn,
})

/** Writes gatherings as one reader sees them. The first message says from where. */
const makeWriterFor =
  ({ views, known }: ChangesOptions, { _id, role }: User, digest: string): Sending<Gathering>['makeWriter'] =>
  (sink, after) => {
    let position = after
    let told = earlierPosition(after, views.position())
    const viewer = (): Viewer | undefined => {
      const user = known.byId(_id)
      return user && { userId: _id, role, scope: role === 'tester' ? user.scope : undefined }
    }
    sink.write(positionMessage('ready', told, digest))
    return {
      position: () => position,
      write: ([gathering]) => {
        if (gathering === undefined) return
        const reader = viewer()
        const messages = reader && gathering.messagesFor(reader, position)
        position = gathering.to
        if (messages === 'reload') {
          told = position
          sink.write(positionMessage('reload', position, digest))
        } else if (messages?.last !== undefined) {
          told = messages.last
          sink.write(messages.bytes)
        }
      },
      writeCheckpoint: () => {
        if (position !== told) sink.write(eventStream.checkpoint(position))
        told = position
      },
    }
  }

/** Tells everyone which of the objects that they may read have changed. */
export const makeChanges = (options: ChangesOptions) => {
  const { store, views, known } = options
  const limits = { ...CHANGES_LIMITS, ...options.limits }
  const subscribers = makeSubscribers({ ...options, limits })
  const waiting = makeWaiting()
  const gatherings = makeGatherings({
    ...{ store, views, limits },
    sight: makeSight(options),
    prepareRequests: options.requests.prepare,
    waitUntilDurable: makeWaitUntilDurable({ store, views }),
    settled: known.settled,
    wake: waiting.wake,
    onFailed: subscribers.fail,
  })
  const source = { ...gatherings, onChange: waiting.add, forget: waiting.forget }
  const sending = { end: undefined, format: eventStream, source }
  return {
    subscribe: (user: User, { after, digest }: ChangesRequest, delayedStart?: DelayedStart) => {
      const makeWriter = makeWriterFor(options, user, digest)
      return subscribers.subscribe(user, { ...sending, after, makeWriter }, delayedStart)
    },
    close: async (): Promise<void> => {
      await subscribers.close()
      gatherings.close()
    },
  }
}
