import type { Role } from '../../domain/events/user.ts'
import { fits, type Scope } from '../../domain/user/scope.ts'
import type { Change } from '../events/entry.ts'

/** Who reads, as far as it decides on what is told. */
export interface Viewer {
  readonly userId: string
  readonly role: Role
  /** Undefined if it may see every SUT. */
  readonly scope: Scope | undefined
}

type Tags = Readonly<Record<string, string>>

/** What decides on who sees what, as it is. */
export interface Sight {
  /** The tags of a SUT; undefined if there is none. */
  readonly now: (sutId: string) => Tags | undefined
  /** What they were before the event at a revision of the SUT's stream. */
  readonly before: (sutId: string, revision: number) => Tags | undefined
  /** Whether a SUT in a scope fits a request. */
  readonly isRequestIn: (requestId: string, scope: Scope) => boolean
}

const isInScope = (tags: Tags | undefined, scope: Scope): boolean => tags !== undefined && fits(tags, scope)

/** A SUT that has left the scope is told too. */
const isSutSeen = ({ id, retagged }: Change, scope: Scope, { now, before }: Sight): boolean =>
  isInScope(now(id), scope) || retagged.some((revision) => isInScope(before(id, revision), scope))

export const isToldTo = (change: Change, { userId, role, scope }: Viewer, sight: Sight): boolean => {
  if (role !== 'tester') return true
  const isOwn = change.userId === userId
  switch (change.kind) {
    case 'session':
      return isOwn
    case 'user':
      return change.isOfRoster ? scope === undefined || isOwn : isOwn && change.hasNewQuota
    case 'sut_reservation':
      return scope === undefined || isOwn || (change.sutId !== undefined && isInScope(sight.now(change.sutId), scope))
    case 'sut_request':
      return scope === undefined || isOwn || sight.isRequestIn(change.id, scope)
    case 'sut':
      return scope === undefined || isSutSeen(change, scope, sight)
    default:
      return change.kind satisfies never
  }
}
