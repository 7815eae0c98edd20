import type { Recorded } from '../../domain/event.ts'
import { instanceOf } from '../../domain/monitoring/decide.ts'
import type { SutState } from '../../domain/sut/state.ts'
import { millisecondsIn } from './envelope.ts'
import type { Report, Stream, Streams } from './streams.ts'

/** What a log has said up to an event. */
interface SoFar {
  /** As the last LogVersionSet has it; 0 before the first. */
  readonly logVersion: number
  /** Unix milliseconds: starts and ends due before are not recorded; undefined before ScheduleBegan. */
  readonly from: number | undefined
  /** Whether a probe may have found a SUT of which it was not known whether it is online. */
  readonly isStatusUnknown: boolean
}

/** Fields that say which machine the SUT is. */
const MACHINE = ['address', 'port', 'sut_type']

/**
 * What probes may find next, by SUT: any status once monitoring begins, and again after a change of the machine. What is
 * in the SUT's own stream may have changed while a probe was under way, so only what came before the previous probe can
 * be demanded of it.
 */
const makeStatuses = (streams: Streams) => {
  const next = new Map<string, 'any' | 'another'>()
  return (stream: Stream, event: Recorded, report: Report): boolean => {
    const { type, data } = event
    if (type === 'SutMonitoringEnabled') {
      const { status, ...sut } = (stream.state as SutState | undefined) ?? { status: 'absent' }
      if (status !== 'absent' && 'monitoring' in sut && sut.monitoring === null) next.set(data._id, 'any')
    }
    if (type === 'SutUpdated' && next.has(data._id) && MACHINE.some((field) => field in data)) next.set(data._id, 'any')
    if (type !== 'SutWentOnline' && type !== 'SutWentOffline') return false
    if (instanceOf(event) === null) report('does not name the instance that probed')
    if (streams.sutOf(data._id) === undefined) return true
    const before = next.get(data._id)
    if (before === undefined) report(`is about the SUT ${data._id}, which was not monitored before`)
    else next.set(data._id, 'another')
    return before !== 'another'
  }
}

/** Makes the function that checks what an event says of the log as a whole, and notes it. */
export const makeSoFar = (streams: Streams) => {
  const judgeStatus = makeStatuses(streams)
  let logVersion = 0
  let from: number | undefined
  /** The request that recorded the first users, in one append before any others; empty once there are others. */
  let firstUsers: string | undefined

  return (stream: Stream, event: Recorded, time: number, report: Report): SoFar => {
    const { type, data, metadata } = event
    if (type === 'LogVersionSet') {
      if (data.version <= logVersion) report(`sets the version ${data.version} of a log that has version ${logVersion}`)
      logVersion = Math.max(logVersion, data.version)
    } else if (type === 'ScheduleBegan') {
      if (from !== undefined) report('begins a schedule that has already begun')
      if (millisecondsIn(data.from) !== time) report('begins the schedule at another time than its own')
      from ??= millisecondsIn(data.from)
    } else if ((type === 'ReservationStarted' || type === 'ReservationEnded') && from === undefined) {
      report('comes before the schedule began')
    } else if (type === 'UserAdded') {
      const isFirst = metadata.actor === 'berth'
      if (isFirst && (firstUsers ?? metadata.request_id) !== metadata.request_id)
        report('adds first users to a log that has users')
      firstUsers = isFirst ? metadata.request_id : ''
    }
    return { logVersion, from, isStatusUnknown: judgeStatus(stream, event, report) }
  }
}
