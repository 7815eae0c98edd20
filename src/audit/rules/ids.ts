import type { DataOf, Recorded } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Report } from './streams.ts'

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
