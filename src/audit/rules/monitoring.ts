import type { Recorded } from '../../domain/event.ts'
import type { Report, StatusChange, Stream } from '../state/state.ts'

type WentEvent = Extract<Recorded, { readonly type: 'SutWentOnline' | 'SutWentOffline' }>
type KnownSut = (sutId: string) => Stream | undefined

/** Fields that say which machine the SUT is. */
const MACHINE = ['address', 'port', 'sut_type']

/** Notes what probes may find after an event of their SUT. */
const noteAwaited = (stream: Stream, { type, data }: Recorded): void => {
  const { sut, awaits } = stream
  if (type === 'SutMonitoringEnabled' && 'values' in sut && sut.monitoring === null) stream.awaits = 'any'
  if (type === 'SutUpdated' && awaits === 'another' && Object.keys(data).some((name) => MACHINE.includes(name)))
    stream.awaits = 'any'
}

/** In it only the instance that found a SUT online may find it offline. */
const OWN_PERIOD_MS = 600_000

/** The instance is the first part of the request id. */
const instanceIn = ({ metadata: { request_id } }: Recorded): string | undefined =>
  request_id[16] === ':' ? Buffer.from(request_id.slice(0, 16)).toString() : undefined

/** Between records of another cause during an outage. */
const CAUSE_INTERVAL_MS = 3_600_000

/** Checks a change of the cause alone. */
const judgeCause = (last: StatusChange, { type, instance, cause, time }: StatusChange, report: Report): void => {
  if (cause === last.cause) report(`is a second ${type} in a row`)
  else if (type === 'SutWentOffline' && instance !== last.instance)
    report("changes the cause of another instance's outage")
  else if (type === 'SutWentOffline' && last.isOtherCause && time - last.time < CAUSE_INTERVAL_MS)
    report('changes the cause of an outage for the second time within an hour')
}

/**
 * Checks a change that probes found, and applies it. What is in the SUT's own stream may have changed while a probe was
 * under way, so only what came before the previous change can be demanded of it.
 */
const judgeWent = (stream: Stream, event: WentEvent, time: number, knownSut: KnownSut, report: Report): void => {
  const { type, data } = event
  const instance = instanceIn(event)
  if (instance === undefined || !/^[0-9a-f]{16}$/.test(instance)) report('does not name the instance that probed')
  const sut = knownSut(data._id)
  if (sut?.awaits === 'nothing') report(`is about the SUT ${data._id}, which was not monitored before`)
  const last = stream.lastChange
  const isOtherCause = type === 'SutWentOffline' && last?.type === type && data.cause !== last.cause
  const change: StatusChange = { type, time, instance, cause: data.cause, isOtherCause }
  if (last !== undefined && sut?.awaits === 'another') {
    if (last.type === type) judgeCause(last, change, report)
    else if (type === 'SutWentOffline' && last.instance !== instance && time - last.time < OWN_PERIOD_MS)
      report('overrules another instance within ten minutes')
  }
  stream.lastChange = change
  if (sut !== undefined && sut.awaits !== 'nothing') sut.awaits = 'another'
}

/** Checks an event of monitoring and applies it. Other events are left alone. */
export const judgeMonitoring = (
  stream: Stream,
  event: Recorded,
  time: number,
  knownSut: KnownSut,
  report: Report,
): void => {
  switch (event.type) {
    case 'SutMonitoringEnabled':
    case 'SutUpdated':
      noteAwaited(stream, event)
      break
    case 'SutWentOnline':
    case 'SutWentOffline':
      judgeWent(stream, event, time, knownSut, report)
  }
}
