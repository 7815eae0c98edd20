import { factsOf, type Recorded, sutIdOf, userOf } from '../../domain/event.ts'
import { type ChangeKind, KINDS, type ObjectKind } from '../../domain/events/declaration.ts'
import type { PublicPosition } from '../../domain/values/position.ts'

/** An object that has changed, by one event or by several. */
export interface Change {
  /** The position of the last of its events. */
  readonly position: PublicPosition
  readonly kind: ChangeKind
  readonly id: string
  readonly sutId: string | undefined
  /** The holder of a reservation, request or session, or the user itself. */
  readonly userId: string | undefined
  /** Whether a user came, went, returned, was erased or renamed. */
  readonly isOfRoster: boolean
  /** Whether a user got another quota, and another scope. */
  readonly hasNewQuota: boolean
  readonly hasNewScope: boolean
  /** Where the tags of a SUT changed: revisions in its stream. */
  readonly retagged: readonly number[]
}

const isTold = (kind: ObjectKind | undefined): kind is ChangeKind => (KINDS as readonly unknown[]).includes(kind)

const isRenamed = (event: Recorded): boolean =>
  event.type === 'UserChanged' && event.data.credentials?.changed.includes('name') === true

/** What an event changes; undefined if nobody is told. */
export const changeOf = (event: Recorded, position: PublicPosition): Change | undefined => {
  const { object: kind, changesNothing = false } = factsOf(event.type)
  if (changesNothing || !isTold(kind) || !('_id' in event.data)) return undefined
  const { type, data, revision } = event
  return {
    ...{ position, kind, id: event.data._id, sutId: sutIdOf(event), userId: userOf(event) },
    isOfRoster: kind === 'user' && (type !== 'UserChanged' || isRenamed(event)),
    hasNewQuota: type === 'UserChanged' && data.quota !== undefined,
    hasNewScope: type === 'UserChanged' && data.scope !== undefined,
    retagged: type === 'SutUpdated' && data.tags !== undefined ? [revision] : [],
  }
}

const merge = (before: Change, after: Change): Change => ({
  ...after,
  isOfRoster: before.isOfRoster || after.isOfRoster,
  hasNewQuota: before.hasNewQuota || after.hasNewQuota,
  hasNewScope: before.hasNewScope || after.hasNewScope,
  retagged: [...before.retagged, ...after.retagged],
})

/** The changes of a stretch of the log, one an object, in order of their last events. */
export const mergeChanges = (changes: readonly (Change | undefined)[]): readonly Change[] => {
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
