import type { DataOf, Recorded } from '../../domain/event.ts'
import { type AssignedIds, makeAssignedIds } from '../state/ids.ts'
import { millisecondsIn } from '../state/moments.ts'
import { copyText, type Report, type Stream } from '../state/state.ts'

type SessionOpened = DataOf<'SessionOpened'>

/**
 * A number for each pair of SUT and user, from 1: kept for each reservation in place of their ids. Bounded by the pairs of
 * the log.
 */
export type HolderMarks = (holder: { readonly sut_id: string; readonly user_id: string }) => number

const makeHolderMarks = (): HolderMarks => {
  const bySut = new Map<string, Map<string, number>>()
  let last = 0
  return ({ sut_id, user_id }) => {
    const byUser = bySut.get(sut_id) ?? new Map<string, number>()
    if (byUser.size === 0) bySut.set(copyText(sut_id), byUser)
    const known = byUser.get(user_id)
    if (known !== undefined) return known
    byUser.set(copyText(user_id), ++last)
    return last
  }
}

const memberText = ({ reservation_id, sut_id, user_id, instance, opened_at }: SessionOpened): string =>
  JSON.stringify([reservation_id, instance, sut_id, user_id, opened_at])

/** The reservation and the instance come first in the text of its members. */
const isOfSame = (members: string, { reservation_id, instance }: SessionOpened): boolean =>
  members.startsWith(JSON.stringify([reservation_id, instance]).slice(0, -1))

/** What was assigned before, and whether the stream of a SUT lacks some of it. */
export interface Assigned {
  readonly ids: AssignedIds
  readonly markOf: HolderMarks
  readonly hasUncertain: (sutId: string) => boolean
}

const judgeReservation = (data: SessionOpened, { ids, markOf }: Assigned, report: Report): void => {
  const { reservation_id: id } = data
  const mark = ids.find(id)
  if (mark === undefined) report(`is about the reservation ${id}, which does not exist`)
  else if (mark !== markOf(data)) report(`names another SUT or user than the reservation ${id} has`)
}

/** Checks an event of a session and applies it. Other events are left alone. */
export const judgeSession = (stream: Stream, event: Recorded, assigned: Assigned, report: Report): void => {
  if (event.type !== 'SessionOpened' && event.type !== 'SessionClosed') return
  const { _id } = event.data
  stream.sessions ??= new Map()
  const members = stream.sessions.get(_id)
  if (event.type === 'SessionOpened') {
    if (!assigned.hasUncertain(event.data.sut_id)) judgeReservation(event.data, assigned, report)
    for (const open of stream.sessions.values()) {
      if (isOfSame(open, event.data)) report(`opens a second session of ${event.data.reservation_id} at one instance`)
    }
    stream.sessions.set(copyText(_id), copyText(memberText(event.data)))
    return
  }
  const { opened_at, closed_at } = event.data
  if (members === undefined) report(`closes the session ${_id}, which is not open`)
  else if (members !== memberText(event.data)) report(`closes the session ${_id} with other members`)
  if (millisecondsIn(closed_at) < millisecondsIn(opened_at)) report('closes a session before it was opened')
  stream.sessions.delete(_id)
}

export const newAssigned = (hasUncertain: Assigned['hasUncertain']): Assigned => ({
  ...{ ids: makeAssignedIds(), markOf: makeHolderMarks(), hasUncertain },
})
