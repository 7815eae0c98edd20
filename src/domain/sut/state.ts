import * as E from 'fp-ts/lib/Either.js'
import { type Calendar, dropPast, EMPTY } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import type { HeldTime } from '../calendar/held-time.ts'
import type { StreamState } from '../decider.ts'
import type { DataOf, Recorded } from '../event.ts'
import type { PublicSutField, SutField } from '../events/sut.ts'
import { type Failure, refuse } from '../failure.ts'
import { addRecord } from '../idempotency-records.ts'
import { epochMillisecondsOf, formatWithOffset } from '../values/instant.ts'
import { evolveCalendar } from './evolve-calendar.ts'

type SutCreated = DataOf<'SutCreated'>
/** The values an update is compared with. */
export type SutValues = Pick<SutCreated, PublicSutField> & Partial<Record<Exclude<SutField, PublicSutField>, number>>

/** An offer of the SUT that has led to a reservation, or was refused. */
interface SettledOffer {
  /** The id of the reservation that was offered. */
  readonly _id: string
  readonly isTaken: boolean
  /** Unix milliseconds. */
  readonly time: number
}

interface Common extends StreamState {
  /** Reservations whose end has not been recorded, for at most UNRECORDED_MAX after it. */
  readonly windows: Calendar
  /** Time recently held by reservations that were released. */
  readonly released: readonly HeldTime[]
  /** Offers that were taken or refused lately, oldest first: their reservations are not made any more. */
  readonly settledOffers: readonly SettledOffer[]
  /** Reservations whose end was recorded last. */
  readonly ended: readonly Held[]
}

/** Increment when the shape of the state changes. Shared by all deciders on this state. */
export const SUT_STATE_VERSION = 11

/**
 * Seconds an ended reservation is kept whose end has not been recorded. It may never be: nobody records it while no
 * service runs for so long.
 */
export const UNRECORDED_MAX = 31 * 86_400

/** A SUT and its calendar, reduced to what decisions need. */
export type SutState =
  | (Common & { readonly status: 'absent' | 'abandoned' })
  | (Common & {
      readonly status: 'standing' | 'retired'
      readonly _id: string
      /** What a SUT is created with unless given is there too. */
      readonly values: SutValues & Required<Pick<SutValues, 'turnaround' | 'release_unused_after'>>
      readonly tags: Readonly<Record<string, string>>
      readonly listen_port: number
      /** Revision of the last event that changed the SUT's record, used as its ETag. Reservations do not change it. */
      readonly recordRevision: number
      /** Seconds between probes; null while the SUT is not monitored. */
      readonly monitoring: number | null
    })

export const initialSutState: SutState = {
  status: 'absent',
  time: 0,
  keys: [],
  windows: EMPTY,
  released: [],
  settledOffers: [],
  ended: [],
}

/** Applies a merge patch (RFC 7396) to tags; null removes a tag. */
export const mergeTags = (
  tags: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Record<string, string> => {
  const merged = { ...tags, ...patch }
  return Object.fromEntries(
    Object.entries(merged)
      .filter((tag): tag is [string, string] => tag[1] !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Formats a window for events, documents and refusals. */
export const formatWindow = (held: Held): { start_time: string; end_time: string } => ({
  start_time: formatWithOffset(held.start, held.startOffset),
  end_time: formatWithOffset(held.end, held.endOffset),
})

/** For as long as a creation that began before may still be under way, and for a clock that is behind. */
const SETTLED_KEPT_MS = 600_000
/** Settled offers kept at most: far more than there are requests in so short a time. */
const SETTLED_MAX = 1_000

const addSettled = (settled: readonly SettledOffer[], added: SettledOffer): readonly SettledOffer[] => [
  ...settled.filter(({ time }) => time > added.time - SETTLED_KEPT_MS).slice(1 - SETTLED_MAX),
  added,
]

export const evolveSut = (state: SutState, event: Recorded): SutState => {
  const time = epochMillisecondsOf(event.metadata.time)
  const keys = addRecord(state.keys, event, time)
  const windows = dropPast(state.windows, time / 1000 - UNRECORDED_MAX)
  const { released, ended, settledOffers } = state
  const next = { ...state, time, keys, windows }
  switch (event.type) {
    case 'SutCreated': {
      const { _id, listen_port, tags = {}, credentials: _, ...values } = event.data
      const common = { time, keys, windows, released, ended, settledOffers }
      const record = {
        values: { turnaround: 0, release_unused_after: 0, ...values },
        tags,
        listen_port,
        recordRevision: event.revision,
        monitoring: null,
      }
      return { status: 'standing', ...common, _id, ...record }
    }
    case 'SutCreationAbandoned':
      return { status: 'abandoned', time, keys, windows, released, ended, settledOffers }
    case 'SutUpdated': {
      if (!('values' in next)) return next
      const { _id, tags, credentials: _, ...changed } = event.data
      return {
        ...next,
        values: { ...next.values, ...changed },
        tags: tags === undefined ? next.tags : mergeTags(next.tags, tags),
        recordRevision: event.revision,
      }
    }
    case 'SutRetired':
      return 'values' in next ? { ...next, status: 'retired', recordRevision: event.revision } : next
    case 'SutMonitoringEnabled':
      return 'values' in next ? { ...next, monitoring: event.data.interval, recordRevision: event.revision } : next
    case 'SutMonitoringDisabled':
      return 'values' in next ? { ...next, monitoring: null, recordRevision: event.revision } : next
    case 'ReservationCreated': {
      const { _id, sut_request_id } = event.data
      const taken = sut_request_id !== undefined && addSettled(settledOffers, { _id, isTaken: true, time })
      return { ...next, ...(taken && { settledOffers: taken }), ...evolveCalendar(next, event, time) }
    }
    case 'ReservationExtended':
    case 'ReservationShortened':
    case 'ReservationReleased':
    case 'ReservationCancelled':
    case 'ReservationBound':
    case 'ReservationUnbound':
    case 'ReservationKept':
    case 'ReservationStarted':
    case 'ReservationEnded':
      return { ...next, ...evolveCalendar(next, event, time) }
    case 'ReservationOfferRefused':
      return { ...next, settledOffers: addSettled(settledOffers, { _id: event.data._id, isTaken: false, time }) }
    default:
      return next
  }
}

/** The command applies only if the SUT's record is at one of these revisions. Undefined matches any. */
export type IfMatch = readonly number[] | undefined

export type ExistingSut = Extract<SutState, { status: 'standing' | 'retired' }>

/** Refuses unless the SUT has been created. */
export const requireSut = (state: SutState): E.Either<Failure, ExistingSut> =>
  'values' in state ? E.right(state) : refuse('sut_not_found', 'No SUT has this id.')

/** Refuses a command that was meant for another revision of the SUT's record. */
export const refuseStale = ({ recordRevision }: ExistingSut, ifMatch: IfMatch): E.Either<Failure, never> | undefined =>
  ifMatch === undefined || ifMatch.includes(recordRevision)
    ? undefined
    : refuse('stale', `The SUT has changed. Its ETag is now "${recordRevision}": read it again and retry.`)

/** Refuses to change the record of a SUT that has been retired or has changed. */
export const refuseChange = (sut: ExistingSut, ifMatch: IfMatch): E.Either<Failure, never> | undefined =>
  sut.status === 'retired'
    ? refuse('sut_retired', 'The SUT is retired. It can be read, but not changed or reserved.')
    : refuseStale(sut, ifMatch)
