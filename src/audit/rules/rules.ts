import type { DataOf, Recorded } from '../../domain/event.ts'
import { LISTEN_PORTS_STREAM, sutStream, USERS_STREAM } from '../../domain/values/ids.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { dropEndedWindows } from '../state/calendar.ts'
import { judgeId, judgeNewId, makeSeenIds } from '../state/ids.ts'
import { millisecondsIn } from '../state/moments.ts'
import { type AuditedSut, makeStreams, makeTextCache, type Report, type Stream } from '../state/state.ts'
import { judgeActor, judgeKey, judgeRevision, judgeStream, judgeTime } from './envelope.ts'
import { makeOfferRules, type OfferRules } from './matching.ts'
import { judgeMonitoring } from './monitoring.ts'
import { makePorts, type Ports } from './ports.ts'
import { judgeRefusals } from './refusals.ts'
import { makeJudgeRequest } from './requests.ts'
import { judgeReservation } from './reservations.ts'
import { judgeScheduled, type Schedule } from './schedule.ts'
import { judgeOfSeries, judgeSeriesCreated } from './series.ts'
import { type Assigned, judgeSession, newAssigned } from './sessions.ts'
import { judgeSutCreated, judgeSutCreationAbandoned, judgeSutRetired, judgeSutUpdated } from './suts.ts'
import { makeJudgeToken } from './tokens.ts'
import { makeUserRules } from './users.ts'

/**
 * Checks that the log obeys Berth's rules, using only the log and independently of the code that enforces them. Folds
 * its own minimal state.
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
  readonly knownSut: (sutId: string) => AuditedSut | undefined
  readonly ownUser: (userId: string) => string
}

const judgeLogVersionSet = (log: Others['log'], { version }: DataOf<'LogVersionSet'>, report: Report): void => {
  if (version <= log.version) report(`sets the version ${version} of a log that has version ${log.version}`)
  log.version = Math.max(log.version, version)
}

/** Events without a rule on the state of their SUT, and those of monitoring, sessions, users, tokens, requests and refusals. */
type JudgedElsewhere = Extract<
  Recorded,
  {
    readonly type:
      | 'AuditKeyReplaced'
      | 'VaultKeyForgotten'
      | 'MatchOffered'
      | 'ReservationOfferRefused'
      | 'ReservationRequested'
      | 'RefusalsCounted'
      | `Request${string}`
      | `SutMonitoring${string}`
      | `SutWent${string}`
      | `Session${string}`
      | `User${string}`
      | `Token${string}`
  }
>

/** Checks an event against its SUT's state and applies it. */
const judgeData = (sut: AuditedSut, event: Recorded, time: number, others: Others, report: Report): void => {
  const { ports, knownSut, ownUser, log, schedule } = others
  dropEndedWindows(sut, time)
  judgeOfSeries(sut, event, report)
  switch (event.type) {
    case 'SutCreated':
      ports?.use(event.data._id, event.data.listen_port, time, report)
      judgeSutCreated(sut, event.data, report)
      break
    case 'SutCreationAbandoned':
      ports?.use(event.data._id, event.data.listen_port, undefined, report)
      judgeSutCreationAbandoned(sut, event.data, report)
      break
    case 'SutUpdated':
      judgeSutUpdated(sut, event.data, report)
      break
    case 'SutRetired':
      judgeSutRetired(sut, event.data, time, report)
      break
    case 'ReservationCreated':
    case 'ReservationExtended':
    case 'ReservationShortened':
    case 'ReservationReleased':
    case 'ReservationCancelled':
    case 'ReservationBound':
    case 'ReservationUnbound':
    case 'ReservationKept':
      judgeReservation(sut, event, { time, ownUser, logVersion: log.version }, report)
      break
    case 'ReservationSeriesCreated':
      judgeSeriesCreated(sut, event, report)
      break
    case 'ReservationStarted':
    case 'ReservationEnded':
    case 'ScheduleBegan':
      judgeScheduled(sut, event, time, schedule, report)
      break
    case 'ListenPortAssigned':
      ports?.assign(event.data, time, knownSut(event.data.sut_id), report)
      break
    case 'ListenPortReleased':
      ports?.release(event.data, knownSut(event.data.sut_id), report)
      break
    case 'LogVersionSet':
      judgeLogVersionSet(log, event.data, report)
      break
    default:
      event satisfies JudgedElsewhere
  }
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

export const makeRules = (): Rules => {
  const streams = makeStreams()
  const eventIds = makeSeenIds()
  const [ports, users, judgeToken] = [makePorts(), makeUserRules(), makeJudgeToken()]

  const { isUncertain, knownSut } = streams
  const isAbandoned = (sutId: string): boolean => streams.ofSut(sutId)?.sut.status === 'abandoned'
  /** Undefined if the stream is uncertain. */
  const certain = <A>(stream: string, state: A): A | undefined => (isUncertain(stream) ? undefined : state)
  const ownUser = makeTextCache()
  const [log, schedule]: [Others['log'], Schedule] = [{ version: 0 }, { from: undefined }]
  const common = { log, schedule, knownSut, ownUser }
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
    judgeData(stream.sut, event, time, { ...common, ports: certain(LISTEN_PORTS_STREAM, ports) }, report)
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
