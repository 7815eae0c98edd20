import type { DataOf, Recorded } from '../../domain/event.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { beginsWithSecond, makeAssignedIds } from './ids.ts'
import type { Report } from './streams.ts'

interface Holder {
  readonly sut_id: string
  readonly user_id: string
}

/** Added to the number of a holder where its reservation was offered, and where the offer was refused. */
const [OFFERED, REFUSED] = [2 ** 30, 2 ** 31]

/** A number for each pair of SUT and user, from 1: kept for each reservation in place of their ids. */
const makeHolderNumbers = () => {
  const bySut = new Map<string, Map<string, number>>()
  let last = 0
  return ({ sut_id, user_id }: Holder): number => {
    const byUser = bySut.get(sut_id) ?? new Map<string, number>()
    bySut.set(sut_id, byUser)
    const known = byUser.get(user_id)
    if (known !== undefined) return known
    byUser.set(user_id, ++last)
    return last
  }
}

/** The ids that events assign. Those of reservations have the number of their holder. */
export const makeAssigned = () => {
  const ids = makeAssignedIds()
  const numberOf = makeHolderNumbers()
  let isWhole = true

  const judgeUnique = (_id: string, number: number, report: Report): void => {
    if (!ids.add(_id, number)) report(`assigns an id that was assigned before, ${_id}`)
  }

  /** Where it is not decided again, an id is also compared with the second in which it was assigned. */
  const judgeNew = (_id: string, time: number, number: number, report: Report): void => {
    if (!beginsWithSecond(_id, time)) report(`assigns an id that does not begin with its creation second, ${_id}`)
    judgeUnique(_id, number, report)
  }

  /** A new reservation, which may take up an offer. */
  const judgeReservation = (data: DataOf<'ReservationCreated'>, time: number, report: Report): void => {
    const { _id, match, sut_request_id } = data
    const [known, own] = [ids.find(_id), numberOf(data)]
    if (known === undefined || known < OFFERED) {
      judgeNew(_id, time, own, report)
      return
    }
    if (known >= REFUSED) report(`takes up the offer ${_id}, which was refused`)
    else if (known !== own + OFFERED) report(`names another SUT or user than the offer ${_id} has`)
    if (match === undefined && sut_request_id === undefined)
      report(`takes up the offer ${_id}, but was made for no request and no criteria`)
    if (!beginsWithSecond(_id, time)) report(`takes up the offer ${_id} at another second`)
    ids.change(_id, own)
  }

  const judgeRefused = (data: Holder & { readonly _id: string }, report: Report): void => {
    const [known, own] = [ids.find(data._id), numberOf(data)]
    if (known === undefined || known < OFFERED || known >= REFUSED) {
      if (isWhole) report(`refuses the offer ${data._id}, which is not open`)
      return
    }
    if (known !== own + OFFERED) report(`names another SUT or user than the offer ${data._id} has`)
    ids.change(data._id, own + REFUSED)
  }

  return {
    /** Checks the id that an event assigns, or that it takes up. */
    judge: ({ type, data }: Recorded, time: number, report: Report): void => {
      if (type === 'ListenPortAssigned') judgeUnique(data.sut_id, 1, report)
      if (type === 'ReservationRequested') judgeUnique(data._id, 1, report)
      if (type === 'ReservationSeriesCreated') judgeNew(data._id, time, 1, report)
      if (type === 'MatchOffered') judgeUnique(data._id, OFFERED + numberOf(data), report)
      if (type === 'RequestOffered') judgeUnique(data.sut_reservation_id, OFFERED + numberOf(data), report)
      if (type === 'ReservationCreated') judgeReservation(data, time, report)
      if (type === 'ReservationOfferRefused') judgeRefused(data, report)
      if (type === 'SessionOpened') judgeNew(data._id, epochMillisecondsOf(data.opened_at), 1, report)
      if (type === 'TokenIssued') judgeUnique(data._id, 1, report)
    },
    /** What became of an offer; undefined if its id is not known. */
    offerStatus: (_id: string): 'open' | 'taken' | 'refused' | undefined => {
      const known = ids.find(_id)
      if (known === undefined) return undefined
      return known < OFFERED ? 'taken' : known < REFUSED ? 'open' : 'refused'
    },
    /** Whose a reservation is: that of this holder, of another, or of nobody. */
    isHeldBy: (_id: string, holder: Holder): boolean | undefined => {
      const known = ids.find(_id)
      return known === undefined ? undefined : known === numberOf(holder)
    },
    /** Ids may be missing from here on. */
    skip: (): void => {
      isWhole = false
    },
  }
}

export type Assigned = ReturnType<typeof makeAssigned>
