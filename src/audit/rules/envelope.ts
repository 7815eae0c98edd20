import { type DataOf, factsOf, type Recorded, sutIdOf } from '../../domain/event.ts'
import { findRecord, unexpired } from '../../domain/idempotency-records.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../../domain/values/instant.ts'
import type { Report, Stream } from './streams.ts'

/** Rules for every event, whatever its type. */

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

/** An idempotency key is recorded at most once a day in a stream, unless its creation was abandoned. */
export const judgeKey = (
  { state }: Stream,
  { type, metadata: { key } }: Recorded,
  time: number,
  isAbandoned: (sutId: string) => boolean,
  report: Report,
): void => {
  if (key === undefined || state === undefined) return
  const record = findRecord(unexpired(state.keys, time), key)
  const isOver = type === 'ListenPortAssigned' && typeof record === 'object' && isAbandoned(record._id)
  if (record !== undefined && !isOver) report('was recorded under an idempotency key already used in its stream')
}

/** Credentials that an event of a SUT, a user or a token names, if it does. */
export const judgeCredentials = ({ data }: Recorded, report: Report): void => {
  if (!('credentials' in data) || data.credentials === undefined) return
  const { changed } = data.credentials
  if (changed.length === 0 || new Set<string>(changed).size < changed.length)
    report('lists no changed credentials, or one twice')
}

/** All ids of a log are in memory: here with two digits a character. */
const compact = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')

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

interface Holder {
  readonly sut_id: string
  readonly user_id: string
}

/** What became of an id. Those that nobody is offered are taken at once. */
type OfferStatus = 'open' | 'taken' | 'refused'

interface AssignedId {
  /** The SUT and the user of a reservation, made or offered; empty for other ids. */
  readonly holder: string
  readonly status: OfferStatus
}

const beginsWithSecond = (_id: string, time: number): boolean =>
  Number.parseInt(_id.slice(0, 8), 16) === Math.floor(time / 1_000) % 2 ** 32

/** Makes the function that returns one text for each holder, which its reservations share. */
const makeHolderOf = () => {
  const holders = new Map<string, string>()
  return ({ sut_id, user_id }: Holder): string => {
    const holder = `${sut_id} ${user_id}`
    const known = holders.get(holder)
    if (known === undefined) holders.set(holder, holder)
    return known ?? holder
  }
}

/** The ids that events assign. Those of reservations are kept with their holder. */
export const makeAssigned = () => {
  const ids = new Map<string, AssignedId>()
  const holderOf = makeHolderOf()
  let isWhole = true

  const find = (_id: string): AssignedId | undefined => ids.get(compact(_id))
  const set = (_id: string, status: OfferStatus, holder = ''): void => void ids.set(compact(_id), { holder, status })

  const judgeUnique = (_id: string, report: Report, status: OfferStatus = 'taken', holder?: string): void => {
    if (find(_id) === undefined) set(_id, status, holder)
    else report(`assigns an id that was assigned before, ${_id}`)
  }

  /** Where it is not decided again, an id is also compared with the second in which it was assigned. */
  const judgeNew = (_id: string, time: number, report: Report, holder?: string): void => {
    if (!beginsWithSecond(_id, time)) report(`assigns an id that does not begin with its creation second, ${_id}`)
    judgeUnique(_id, report, 'taken', holder)
  }

  /** A new reservation, which may take up an offer. */
  const judgeReservation = (data: DataOf<'ReservationCreated'>, time: number, report: Report): void => {
    const { _id, match, sut_request_id } = data
    const [known, holder] = [find(_id), holderOf(data)]
    if (known === undefined || known.status === 'taken') {
      judgeNew(_id, time, report, holder)
      return
    }
    if (known.status === 'refused') report(`takes up the offer ${_id}, which was refused`)
    else if (known.holder !== holder) report(`names another SUT or user than the offer ${_id} has`)
    if (match === undefined && sut_request_id === undefined)
      report(`takes up the offer ${_id}, but was made for no request and no criteria`)
    if (!beginsWithSecond(_id, time)) report(`takes up the offer ${_id} at another second`)
    set(_id, 'taken', holder)
  }

  const judgeRefused = (data: Holder & { readonly _id: string }, report: Report): void => {
    const [known, holder] = [find(data._id), holderOf(data)]
    if (known?.status !== 'open') {
      if (isWhole) report(`refuses the offer ${data._id}, which is not open`)
      return
    }
    if (known.holder !== holder) report(`names another SUT or user than the offer ${data._id} has`)
    set(data._id, 'refused', holder)
  }

  return {
    /** Checks the id that an event assigns, or that it takes up. */
    judge: ({ type, data }: Recorded, time: number, report: Report): void => {
      if (type === 'ListenPortAssigned') judgeUnique(data.sut_id, report)
      if (type === 'ReservationRequested' || type === 'TokenIssued') judgeUnique(data._id, report)
      if (type === 'ReservationSeriesCreated') judgeNew(data._id, time, report)
      if (type === 'MatchOffered') judgeUnique(data._id, report, 'open', holderOf(data))
      if (type === 'RequestOffered') judgeUnique(data.sut_reservation_id, report, 'open', holderOf(data))
      if (type === 'ReservationCreated') judgeReservation(data, time, report)
      if (type === 'ReservationOfferRefused') judgeRefused(data, report)
      if (type === 'SessionOpened') judgeNew(data._id, epochMillisecondsOf(data.opened_at), report)
    },
    /** What became of an offer; undefined if its id is not known. */
    offerStatus: (_id: string): OfferStatus | undefined => find(_id)?.status,
    /** Whose a reservation is: that of this holder, of another, or of nobody. */
    isHeldBy: (_id: string, holder: Holder): boolean | undefined => {
      const known = find(_id)
      return known && known.status === 'taken' && known.holder === holderOf(holder)
    },
    /** Ids may be missing from here on. */
    skip: (): void => {
      isWhole = false
    },
  }
}

export type Assigned = ReturnType<typeof makeAssigned>
