import * as E from 'fp-ts/lib/Either.js'
import type { Decider, Decision, StreamState } from '../decider.ts'
import type { DataOf, Recorded } from '../event.ts'
import { addRecord } from '../idempotency-records.ts'
import { makeId } from '../values/ids.ts'
import { epochMillisecondsOf } from '../values/instant.ts'

/** A SUT that was offered to a request with criteria. */
export interface MatchOffer extends DataOf<'MatchOffered'> {
  /** Unix milliseconds. */
  readonly time: number
}

/** The offers for one idempotency key. Only the last may be open. */
export interface OffersState extends StreamState {
  readonly offer: MatchOffer | undefined
}

/** Offers a SUT, once the offer before has been closed. */
export interface OfferMatch {
  readonly type: 'OfferMatch'
  readonly offered: Omit<DataOf<'MatchOffered'>, '_id'>
  /** The id of the offer before, as far as the sender knows; undefined if there is none. */
  readonly after: string | undefined
  /** 8 random bytes in hex for the reservation's id. */
  readonly random: string
}

/** `[]` means that another offer has been made meanwhile. */
const decide = ({ offer }: OffersState, { offered, after, random }: OfferMatch, now: number): Decision =>
  E.right(offer?._id === after ? [{ type: 'MatchOffered', data: { _id: makeId(now, random), ...offered } }] : [])

const evolve = (state: OffersState, event: Recorded): OffersState => {
  const time = epochMillisecondsOf(event.metadata.time)
  const next = { ...state, time, keys: addRecord(state.keys, event, time) }
  return event.type === 'MatchOffered' ? { ...next, offer: { ...event.data, time } } : next
}

export const matchDecider: Decider<OffersState, OfferMatch> = {
  initial: { time: 0, keys: [], offer: undefined },
  version: 2,
  evolve,
  decide,
}
