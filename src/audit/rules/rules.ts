import type { DataOf, Recorded } from '../../domain/event.ts'
import { LISTEN_PORTS_STREAM, sutStream, USERS_STREAM } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { judgeId, judgeNewId, makeSeenIds } from '../state/ids.ts'
import { millisecondsIn } from '../state/moments.ts'
import { makeStreams, type Report, type Stream } from '../state/state.ts'
import { judgeAgain } from './again.ts'
import { judgeActor, judgeCredentials, judgeKey, judgeRevision, judgeStream, judgeTime } from './envelope.ts'
import { makeOfferRules, type OfferRules } from './matching.ts'
import { judgeMonitoring } from './monitoring.ts'
import { makePorts, type Ports } from './ports.ts'
import { judgeRefusals } from './refusals.ts'
import { makeJudgeRequest } from './requests.ts'
import { judgeSchedule, type Schedule } from './schedule.ts'
import { judgeOfSeries, judgeSeriesCreated } from './series.ts'
import { type Assigned, judgeSession, newAssigned } from './sessions.ts'
import { makeJudgeToken } from './tokens.ts'
import { makeUserRules } from './users.ts'

/**
 * Checks that the log obeys Berth's rules, using only the log. What a SUT records is decided again by the domain; what
 * spans streams is checked by rules of its own.
 */
export interface Rules {
  /**
   * Checks the next event of the log and reports violations, then applies the event as it is. Returns the position of
   * the previous event in its stream; null if there is none, undefined if uncertain.
   */
  readonly judge: (event: Recorded, position: PublicPosition, report: Report) => number | null | undefined
  /** Skips an unreadable event. The rest of its stream is uncertain. */
  readonly skip: (stream: string, revision: number, position: PublicPosition) => void
  /** Every stream with the revision and position of its last event. */
  readonly streams: () => ReadonlyMap<string, Readonly<Pick<Stream, 'revision' | 'position' | 'isUncertain'>>>
}

/** State of other streams that a stream's rules need; undefined if uncertain. */
interface Others {
  /** As the last LogVersionSet has it; 0 before the first. */
  readonly log: { version: number }
  readonly schedule: Schedule
  readonly ports: Ports | undefined
  readonly knownSut: (sutId: string) => Stream | undefined
}

const judgeLogVersionSet = (log: Others['log'], { version }: DataOf<'LogVersionSet'>, report: Report): void => {
  if (version <= log.version) report(`sets the version ${version} of a log that has version ${log.version}`)
  log.version = Math.max(log.version, version)
}

/** Checks what an event says of ports, the schedule and the log, and applies it. */
const judgeOthers = (event: Recorded, time: number, others: Others, report: Report): void => {
  const { ports, knownSut, log, schedule } = others
  const { type, data } = event
  judgeSchedule(schedule, event, time, report)
  if (type === 'SutCreated') ports?.use(data._id, data.listen_port, time, report)
  if (type === 'SutCreationAbandoned') ports?.use(data._id, data.listen_port, undefined, report)
  if (type === 'ListenPortAssigned') ports?.assign(data, time, knownSut(data.sut_id)?.sut, report)
  if (type === 'ListenPortReleased') ports?.release(data, knownSut(data.sut_id)?.sut, report)
  if (type === 'LogVersionSet') judgeLogVersionSet(log, data, report)
}

/** Checks an event in the stream of a SUT and applies it. */
const judgeOfSut = (stream: Stream, event: Recorded, time: number, { schedule, log }: Others, report: Report): void => {
  const { type, data } = event
  if (type === 'SutCreated' || type === 'SutUpdated') judgeCredentials(data.credentials, report)
  judgeOfSeries(stream, event, report)
  if (type === 'ReservationSeriesCreated') judgeSeriesCreated(stream, event, report)
  stream.sut = judgeAgain(stream.sut, event, { now: time, schedule, logVersion: log.version }, report)
}

/** Checks the id that an event assigns, if it does. */
const judgeNewIds = (
  event: Recorded,
  time: number,
  { ids, markOf }: Assigned,
  offers: OfferRules,
  report: Report,
): void => {
  const { type, data } = event
  if (offers.judgeId(event, time, report)) return
  if (type === 'ListenPortAssigned') judgeNewId(data.sut_id, time, ids, report)
  else if (type === 'ReservationSeriesCreated' || type === 'ReservationRequested')
    judgeNewId(data._id, time, ids, report)
  else if (type === 'ReservationCreated') judgeNewId(data._id, time, ids, report, markOf(data))
  else if (type === 'SessionOpened') judgeNewId(data._id, millisecondsIn(data.opened_at), ids, report)
}

const SUT_PREFIX = sutStream('')

export const makeRules = (): Rules => {
  const streams = makeStreams()
  const eventIds = makeSeenIds()
  const [ports, users, judgeToken] = [makePorts(), makeUserRules(), makeJudgeToken()]

  const { isUncertain, knownSut } = streams
  const isAbandoned = (sutId: string): boolean => streams.ofSut(sutId)?.sut.status === 'abandoned'
  /** Undefined if the stream is uncertain. */
  const certain = <A>(stream: string, state: A): A | undefined => (isUncertain(stream) ? undefined : state)
  const [log, schedule]: [Others['log'], Schedule] = [{ version: 0 }, { from: undefined }]
  const common = { log, schedule, knownSut }
  const assigned = newAssigned((sutId) => isUncertain(sutStream(sutId)))
  const offers = makeOfferRules(assigned)
  const judgeRequest = makeJudgeRequest(offers, knownSut)

  const judge: Rules['judge'] = (event, position, report) => {
    const stream = streams.get(event.stream)
    const previous = stream.position
    stream.position = position
    const written = event.metadata.time
    const time = millisecondsIn(written)
    judgeRevision(stream, event.revision, report)
    judgeId(event.id, time, eventIds, report)
    judgeActor(event, report)
    judgeNewIds(event, time, assigned, offers, report)
    if (!judgeStream(event, report)) stream.isUncertain = true
    judgeTime(stream, time, written, report)
    if (stream.isUncertain) return undefined
    judgeKey(stream, event, time, event.type === 'ListenPortAssigned' ? isAbandoned : () => false, report)
    judgeMonitoring(stream, event, time, knownSut, report)
    judgeSession(stream, event, assigned, report)
    judgeRefusals(event, time, (sutId) => streams.ofSut(sutId) !== undefined, report)
    offers.judge(stream, event, time, report)
    judgeRequest(event, time, report)
    users.judge(event, time, report)
    const certainUsers = certain(USERS_STREAM, users)
    certainUsers?.judgeCancelled(event, time, report)
    judgeToken(event, time, certainUsers, report)
    const others = { ...common, ports: certain(LISTEN_PORTS_STREAM, ports) }
    judgeOthers(event, time, others, report)
    if (event.stream.startsWith(SUT_PREFIX)) judgeOfSut(stream, event, time, others, report)
    return previous
  }

  return {
    judge,
    skip: (name, revision, position) => {
      const stream = streams.get(name)
      stream.isUncertain = true
      stream.position = position
      stream.revision = revision
      offers.skip()
    },
    streams: streams.all,
  }
}
