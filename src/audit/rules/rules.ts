import type { DataOf, Recorded } from '../../domain/event.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import {
  letGo,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
} from './calendar.ts'
import { type Correction, correctionOf, correctTime, giveBack } from './corrections.ts'
import { judgeActor, judgeId, judgeKey, judgeNewId, judgeRevision, judgeStream, judgeTime } from './envelope.ts'
import { seenIds } from './ids.ts'
import { millisecondsIn } from './moments.ts'
import { makePorts, type Ports } from './ports.ts'
import { makeOwn, newStream, own, type Stream, type Sut, type Tell } from './state.ts'
import { sutCreated, sutCreationAbandoned, sutRetired, sutUpdated } from './suts.ts'

/**
 * The rules that Berth promises of its log, judged on the log alone and apart from the code that keeps them: what follows
 * from each event is folded here once more, and nothing is kept but what stands.
 */
export interface Rules {
  /**
   * Judges the next event of the log. What is missing or unlawful is told; then it is taken as it is. Returns where the
   * event before it in its stream lies: null where there is none, undefined where nobody can say.
   */
  readonly judge: (event: Recorded, position: number, tell: Tell) => number | null | undefined
  /** An event that cannot be read: nobody can say what stands in its stream from there on. */
  readonly passOver: (stream: string, revision: number, position: number) => void
  /** What was said of wrong times, to be held against the log once it is known which: see verify-corrections.ts. */
  readonly corrections: () => readonly Correction[]
  /** Every stream with its last revision and where that event lies. */
  readonly streams: () => ReadonlyMap<string, Readonly<Pick<Stream, 'revision' | 'position' | 'isUnsure'>>>
}

/** What a stream's rules need to know of the others; undefined what nobody can say. */
interface Others {
  /** The version that the log has from its last StoreUpgraded on. */
  readonly log: { version: number }
  readonly ports: Ports | undefined
  readonly knownSut: (sutId: string) => Sut | undefined
  readonly ownUser: (userId: string) => string
}

const storeUpgraded = (log: Others['log'], { from, to }: DataOf<'StoreUpgraded'>, tell: Tell): void => {
  if (from !== log.version) tell(`upgrades a log of version ${from}, which has version ${log.version}`)
  if (to <= from) tell(`upgrades the log from version ${from} to ${to}`)
  log.version = Math.max(log.version, to)
}

/** What an event makes of its SUT, and whether it may. */
export const judgeData = (sut: Sut, event: Recorded, time: number, others: Others, tell: Tell): void => {
  const { ports, knownSut, ownUser, log } = others
  const version = ports && log.version
  // While windows remain to be given back the stream's time is still the wrong one.
  if (event.type !== 'ClockCorrected') letGo(sut, time)
  switch (event.type) {
    case 'SutCreated':
      ports?.used(event.data._id, event.data.listen_port, time, tell)
      sutCreated(sut, event.data, tell)
      break
    case 'SutCreationAbandoned':
      ports?.used(event.data._id, event.data.listen_port, undefined, tell)
      sutCreationAbandoned(sut, event.data, tell)
      break
    case 'SutUpdated':
      sutUpdated(sut, event.data, tell)
      break
    case 'SutRetired':
      sutRetired(sut, event.data, tell)
      break
    case 'ReservationCreated':
      reservationCreated(sut, event.data, ownUser(event.data.user_id), { time, version }, tell)
      break
    case 'ReservationExtended':
      reservationExtended(sut, event.data, version, tell)
      break
    case 'ReservationReleased':
      reservationReleased(sut, event.data, time, tell)
      break
    case 'ReservationCancelled':
      reservationCancelled(sut, event.data, time, tell)
      break
    case 'ListenPortAssigned':
      ports?.assigned(event.data, time, knownSut(event.data.sut_id), tell)
      break
    case 'ListenPortReleased':
      ports?.released(event.data, knownSut(event.data.sut_id), tell)
      break
    case 'StoreUpgraded':
      storeUpgraded(log, event.data, tell)
      break
    case 'ClockCorrected':
      giveBack(sut, event.data, tell)
      break
    case 'AuditKeyReplaced':
    case 'VaultKeyForgotten':
      break
  }
}

export const makeRules = (): Rules => {
  const streams = new Map<string, Stream>()
  const [eventIds, givenIds] = [seenIds(), seenIds()]
  const ports = makePorts()
  const ownUser = makeOwn()
  const log = { version: 1 }
  const corrections: Correction[] = []

  const streamOf = (name: string): Stream => {
    const found = streams.get(name)
    if (found !== undefined) return found
    const made = newStream()
    streams.set(own(name), made)
    return made
  }
  const sureOfPorts = (): Ports | undefined => (streams.get(LISTEN_PORTS_STREAM)?.isUnsure ? undefined : ports)
  const sutOf = (sutId: string): Stream | undefined => streams.get(sutStream(sutId))
  const knownSut = (sutId: string): Sut | undefined => {
    const stream = sutOf(sutId)
    return stream === undefined || stream.isUnsure ? undefined : stream.sut
  }
  const isAbandoned = (sutId: string): boolean => sutOf(sutId)?.sut.status === 'abandoned'
  const neverPassedOver = (): boolean => false

  const judge: Rules['judge'] = (event, position, tell) => {
    const stream = streamOf(event.stream)
    const previous = stream.position
    stream.position = position
    const written = event.metadata.time
    const time = millisecondsIn(written)
    judgeRevision(stream, event.revision, tell)
    if (event.type === 'ClockCorrected') {
      corrections.push(correctionOf(event, position))
      correctTime(stream, event.data, time, tell)
    } else judgeTime(stream, time, written, tell)
    judgeId(event.id, time, eventIds, tell)
    judgeActor(event, tell)
    if (event.type === 'ReservationCreated') judgeNewId(event.data._id, time, givenIds, tell)
    if (event.type === 'ListenPortAssigned') judgeNewId(event.data.sut_id, time, givenIds, tell)
    if (!judgeStream(event, tell)) stream.isUnsure = true
    if (stream.isUnsure) return undefined
    judgeKey(stream, event, time, event.type === 'ListenPortAssigned' ? isAbandoned : neverPassedOver, tell)
    judgeData(stream.sut, event, time, { log, ports: sureOfPorts(), knownSut, ownUser }, tell)
    return previous
  }

  return {
    judge,
    passOver: (name, revision, position) => {
      const stream = streamOf(name)
      stream.isUnsure = true
      stream.position = position
      stream.revision = revision
    },
    streams: () => streams,
    corrections: () => corrections,
  }
}
