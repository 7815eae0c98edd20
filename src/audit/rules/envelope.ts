/** Rules for every event, whatever its type. */

import { factsOf, type Recorded, sutIdOf } from '../../domain/event.ts'
import { findRecord, RECORD_LIFETIME_MS } from '../../domain/idempotency-records.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../../domain/values/instant.ts'
import type { Report, Stream } from './streams.ts'

/** Unix milliseconds of a recorded time; NaN if no calendar has it. */
export const millisecondsIn = (written: string): number => {
  const time = epochMillisecondsOf(written)
  return formatMilliseconds(time) === written ? time : Number.NaN
}

export const judgeStream = (event: Recorded, report: Report): boolean => {
  const { type, data, stream } = event
  const sutId = sutIdOf(event)
  const isThere = factsOf(type).isIn(stream, data as never)
  const of = sutId === undefined ? '' : ` of the SUT ${sutId}`
  if (!isThere) report(`is a ${type}${of}, which does not belong in the stream ${stream}`)
  return isThere
}

export const judgeRevision = (stream: Stream, revision: number, report: Report): void => {
  if (revision !== stream.revision + 1) {
    report(
      stream.revision === -1
        ? `is the first event of its stream but has the revision ${revision}`
        : `has the revision ${revision}, after ${stream.revision} in its stream`,
    )
    stream.isUncertain = true
  }
  stream.revision = revision
}

export const judgeTime = (stream: Stream, time: number, written: string, report: Report): void => {
  if (Number.isNaN(time)) {
    report(`has a time that does not exist, ${written}`)
    stream.isUncertain = true
  } else if (time < stream.time) {
    report(`has the time ${written}, earlier than the previous event of its stream`)
  } else {
    stream.time = time
  }
}

/** A user of any role may give itself a new password and end its sessions, but no new name. */
const isOwnPassword = ({ type, data, metadata }: Recorded): boolean => {
  if (type !== 'UserChanged' || data._id !== metadata.actor || data.credentials === undefined) return false
  return Object.keys(data).length === 2 && !data.credentials.changed.includes('name')
}

/** A user of any role may issue and revoke its own tokens. */
const isOwnToken = ({ type, data, metadata }: Recorded): boolean =>
  factsOf(type).object === 'token' && 'user_id' in data && data.user_id === metadata.actor

export const judgeActor = (event: Recorded, report: Report): void => {
  const { type, data, metadata } = event
  const { actor, role } = metadata
  const { by } = factsOf(type)
  const isBySystem = role === 'system'
  if (!by.some((recorder) => (recorder === 'users') !== isBySystem)) {
    report(`is a ${type} by a ${role}`)
    return
  }
  if (isBySystem) {
    if (metadata.client !== undefined) report('names a client for what the service did itself')
    if (!by.some((recorder) => recorder === actor && recorder !== 'users'))
      report(`is by the service under the name ${actor}`)
    return
  }
  if (isOwnPassword(event) || isOwnToken(event)) return
  if (role === 'auditor') {
    report('is by an auditor, who cannot write')
    return
  }
  if (role !== 'tester') return
  if (!('user_id' in data)) {
    report(`is a ${type} by a tester, who cannot record it`)
    return
  }
  if (data.user_id !== actor) report(`is by the tester ${actor} for the user ${data.user_id}`)
}

/** An idempotency key is recorded at most once a day in a stream; again for a port whose creation was abandoned. */
export const judgeKey = (
  { state }: Stream,
  { type, metadata: { key } }: Recorded,
  time: number,
  report: Report,
): void => {
  if (key === undefined || state === undefined || type === 'ListenPortAssigned') return
  if (findRecord(state.keys, key, time - RECORD_LIFETIME_MS + 1) !== undefined)
    report('was recorded under an idempotency key already used in its stream')
}

/** All ids of a log are in memory: here with two digits a character. */
export const compact = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Makes the function that checks the id of an event. */
export const makeJudgeId = () => {
  const seen = new Set<string>()
  return (id: string, time: number, report: Report): void => {
    if (!UUID_7.test(id)) {
      report(`has an id that is not a UUID of version 7, ${id}`)
      return
    }
    if (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) !== time)
      report(`has an id that does not begin with its time, ${id}`)
    const before = seen.size
    if (seen.add(compact(id)).size === before) report(`has the id of an earlier event, ${id}`)
  }
}
