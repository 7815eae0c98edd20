import type { EventType, Recorded } from '../../domain/event.ts'
import { LISTEN_PORTS_STREAM, monitoringStream, SCHEDULE_STREAM, sessionStream } from '../../domain/values/ids.ts'
import { type GivenIds, hexAt, type SeenIds } from './ids.ts'
import { copyText, type Report, type Stream } from './state.ts'

/** Rules for every event, whatever its type. */

/** Whether an event is in the stream that its type and SUT require. */
const isInItsStream = ({ type, data, stream }: Recorded, sutId: string | undefined): boolean => {
  switch (type) {
    case 'ScheduleBegan':
      return stream === SCHEDULE_STREAM
    case 'SutWentOnline':
    case 'SutWentOffline':
      return stream === monitoringStream(data._id)
    case 'SessionOpened':
    case 'SessionClosed':
      return stream === sessionStream(data.sut_id)
    case 'ListenPortAssigned':
    case 'ListenPortReleased':
    case 'StoreUpgraded':
      return stream === LISTEN_PORTS_STREAM
    default:
      if (sutId !== undefined)
        return stream.length === 4 + sutId.length && stream.startsWith('sut-') && stream.endsWith(sutId)
      if (type !== 'ClockCorrected') return stream === LISTEN_PORTS_STREAM
      if (stream.startsWith(monitoringStream('')) || stream.startsWith(sessionStream(''))) return true
      return stream === LISTEN_PORTS_STREAM || stream === SCHEDULE_STREAM
  }
}

export const judgeStream = (event: Recorded, report: Report): boolean => {
  const { type, data, stream } = event
  const sutId = 'sut_id' in data ? data.sut_id : '_id' in data ? data._id : undefined
  const isThere = isInItsStream(event, sutId)
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

const [DASH, SEVEN] = ['-'.charCodeAt(0), '7'.charCodeAt(0)]

export const judgeId = (id: string, time: number, seen: SeenIds, report: Report): void => {
  const [a, b, c, d] = [hexAt(id, 0, 8), hexAt(id, 9, 13), hexAt(id, 14, 18), hexAt(id, 19, 23)]
  const [e, f] = [hexAt(id, 24, 28), hexAt(id, 28, 36)]
  const hasDashes =
    id.charCodeAt(8) === DASH && id.charCodeAt(13) === DASH && id.charCodeAt(18) === DASH && id.charCodeAt(23) === DASH
  const isHex = a + b + c + d + e + f >= 0
  if (!isHex || !hasDashes || id.charCodeAt(14) !== SEVEN || d >>> 14 !== 2) {
    report(`has an id that is not a UUID of version 7, ${id}`)
    return
  }
  if (a * 65_536 + b !== time) report(`has an id that does not begin with its time, ${id}`)
  if (!seen.add(a, b * 65_536 + c, d * 65_536 + e, f)) report(`has the id of an earlier event, ${id}`)
}

/**
 * Assigned ids begin with the second they were assigned.
 *
 * @param mark a number to find with the id, not 0
 */
export const judgeNewId = (_id: string, time: number, given: GivenIds, report: Report, mark = 1): void => {
  const second = Math.floor(time / 1_000) % 2 ** 32
  const first = hexAt(_id, 0, 8)
  if (first !== second) report(`assigns an id that does not begin with its creation second, ${_id}`)
  if (!given.add(first, hexAt(_id, 8, 16), hexAt(_id, 16, 24), mark))
    report(`assigns an id that was assigned before, ${_id}`)
}

/** Event types that no user records, and the actor that does: the service itself or a command typed on its machine. */
const SYSTEM_ACTORS: Readonly<Partial<Record<EventType, string>>> = {
  SutCreationAbandoned: 'berth',
  ListenPortReleased: 'berth',
  StoreUpgraded: 'berth',
  ClockCorrected: 'command-line',
  AuditKeyReplaced: 'command-line',
  VaultKeyForgotten: 'command-line',
  ScheduleBegan: 'schedule',
  ReservationStarted: 'schedule',
  ReservationEnded: 'schedule',
  SutWentOnline: 'monitor',
  SutWentOffline: 'monitor',
  SessionOpened: 'gateway',
  SessionClosed: 'gateway',
}

export const judgeActor = ({ type, data, metadata }: Recorded, report: Report): void => {
  const { actor, role } = metadata
  const system = SYSTEM_ACTORS[type]
  if ((system !== undefined) !== (role === 'system')) {
    report(`is a ${type} by a ${role}`)
    return
  }
  if (role === 'system' && metadata.client !== undefined) report('names a client for what the service did itself')
  if (role === 'system' && actor !== system) {
    report(`is by the service under the name ${actor}`)
    return
  }
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

/** Lifetime of an idempotency record, in milliseconds. */
const KEY_LIFETIME = 24 * 3_600_000
/** Characters of `metadata.key` for the key itself. */
const KEY_LENGTH = 22

/**
 * An idempotency key is recorded at most once a day in a stream.
 *
 * @param isIgnored whether to ignore an earlier record, because its creation was abandoned
 */
export const judgeKey = (
  stream: Stream,
  { data, metadata: { key } }: Recorded,
  time: number,
  isIgnored: (_id: string) => boolean,
  report: Report,
): void => {
  if (key === undefined) return
  stream.keys ??= new Map()
  const { keys } = stream
  for (const [name, use] of keys) {
    if (use.time > time - KEY_LIFETIME) break
    keys.delete(name)
  }
  const name = copyText(key.slice(0, KEY_LENGTH))
  const before = keys.get(name)
  if (before !== undefined && !isIgnored(before._id))
    report('was recorded under an idempotency key already used in its stream')
  keys.delete(name)
  keys.set(name, { time, _id: copyText('_id' in data ? data._id : 'sut_id' in data ? data.sut_id : '') })
}
