import * as E from 'fp-ts/lib/Either.js'
import { type Calendar, change, EMPTY_CALENDAR, forgetPast, insert, remove } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import type { Decision, StreamState } from '../decider.ts'
import type { DataOf, Recorded } from '../event.ts'
import type { PublicSutField, SutField } from '../events/sut.ts'
import { type Failure, refuse } from '../failure.ts'
import { epochSecondsOf, offsetOf } from '../values/instant.ts'
import type { UnixMilliseconds } from '../values/units.ts'

type SutCreated = DataOf<'SutCreated'>
/** The values an update is compared with. */
export type SutValues = Pick<SutCreated, PublicSutField> & Partial<Record<Exclude<SutField, PublicSutField>, number>>

/** An offer of the SUT that has led to a reservation, or was refused. */
interface SettledOffer {
  /** The id of the reservation that was offered. */
  readonly _id: string
  readonly isTaken: boolean
  readonly time: UnixMilliseconds
}

interface Common extends StreamState {
  readonly windows: Calendar
  /** Offers that were taken or refused lately, oldest first: their reservations are not made any more. */
  readonly settledOffers: readonly SettledOffer[]
}

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

export type ExistingSut = Extract<SutState, { readonly status: 'standing' | 'retired' }>

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

const toHeld = ({ data, metadata }: Extract<Recorded, { readonly type: 'ReservationCreated' }>, time: number): Held => {
  const { _id, user_id, start_time, end_time, keepalive = 0 } = data
  const start = epochSecondsOf(start_time)
  return {
    _id,
    user_id,
    start,
    end: epochSecondsOf(end_time),
    startOffset: offsetOf(start_time),
    endOffset: offsetOf(end_time),
    lateness: Math.max(time - start * 1000, 0),
    recorded: 'nothing',
    // One made for another user is not bound to a client until its holder binds it.
    client: metadata.actor === user_id ? (metadata.client ?? null) : null,
    keepalive,
    kept: 0,
    hasHeartbeats: false,
  }
}

const endIn = ({ end_time }: { readonly end_time: string }): Pick<Held, 'end' | 'endOffset'> => ({
  end: epochSecondsOf(end_time),
  endOffset: offsetOf(end_time),
})

const foldCalendar = (windows: Calendar, event: Recorded, time: number): Calendar => {
  switch (event.type) {
    case 'ReservationCreated':
      return insert(windows, toHeld(event, time))
    case 'ReservationExtended':
    case 'ReservationShortened':
      return change(windows, event.data._id, endIn(event.data))
    case 'ReservationReleased':
      return change(windows, event.data._id, { ...endIn(event.data), recorded: 'release' })
    case 'ReservationCancelled':
      return remove(windows, event.data._id)
    case 'ReservationBound':
      return change(windows, event.data._id, { client: event.metadata.client ?? null })
    case 'ReservationUnbound':
      return change(windows, event.data._id, { client: null })
    case 'ReservationKept': {
      const isHeartbeat = event.metadata.role !== 'system'
      return change(windows, event.data._id, { kept: time, ...(isHeartbeat && { hasHeartbeats: true }) })
    }
    case 'ReservationStarted':
      return change(windows, event.data._id, { recorded: 'start' })
    case 'ReservationEnded':
      return change(windows, event.data._id, { recorded: 'end' })
    default:
      return windows
  }
}

/** For as long as a creation that began before may still be under way, and for a clock that is behind. */
const SETTLED_KEPT_MS = 600_000
/** Settled offers kept at most: far more than there are requests in so short a time. */
const SETTLED_MAX = 1_000

const addSettled = (settled: readonly SettledOffer[], added: SettledOffer): readonly SettledOffer[] => [
  ...settled.filter(({ time }) => time > added.time - SETTLED_KEPT_MS).slice(1 - SETTLED_MAX),
  added,
]

const foldRecord = (sut: ExistingSut, event: Recorded): ExistingSut => {
  const recordRevision = event.revision
  switch (event.type) {
    case 'SutUpdated': {
      const { _id, tags = {}, credentials: _, ...changed } = event.data
      return { ...sut, values: { ...sut.values, ...changed }, tags: mergeTags(sut.tags, tags), recordRevision }
    }
    case 'SutRetired':
      return { ...sut, status: 'retired', recordRevision }
    case 'SutMonitoringEnabled':
      return { ...sut, monitoring: event.data.interval, recordRevision }
    case 'SutMonitoringDisabled':
      return { ...sut, monitoring: null, recordRevision }
    default:
      return sut
  }
}

const foldSut = (state: SutState, event: Recorded, time: number): SutState => {
  const next = { ...state, windows: foldCalendar(forgetPast(state.windows, time), event, time) }
  switch (event.type) {
    case 'SutCreated': {
      const { _id, listen_port, tags = {}, credentials: _, ...values } = event.data
      const record = { values: { turnaround: 0, release_unused_after: 0, ...values }, tags, monitoring: null }
      return { ...next, status: 'standing', _id, listen_port, ...record, recordRevision: event.revision }
    }
    case 'SutCreationAbandoned':
      return { ...next, status: 'abandoned' }
    case 'ReservationCreated':
    case 'ReservationOfferRefused': {
      const isTaken = event.type === 'ReservationCreated'
      if (isTaken && event.data.sut_request_id === undefined) return next
      return { ...next, settledOffers: addSettled(state.settledOffers, { _id: event.data._id, isTaken, time }) }
    }
    default:
      return 'values' in next ? foldRecord(next, event) : next
  }
}

export const initialSut: SutState = { status: 'absent', time: 0, keys: [], windows: EMPTY_CALENDAR, settledOffers: [] }

/** What the deciders of a SUT's record and of its reservations share: its stream and its state. */
export const sutFold = { initial: initialSut, version: 13, fold: foldSut } as const

export const requireSut = (state: SutState): E.Either<Failure, ExistingSut> =>
  'values' in state ? E.right(state) : refuse('sut_not_found', 'No SUT has this id.')

/** A rule for SUTs that have been created. */
export const onSut =
  <C>(rule: (sut: ExistingSut, command: C, now: number) => Decision) =>
  (state: SutState, command: C, now: number) =>
    E.chain((sut: ExistingSut) => rule(sut, command, now))(requireSut(state))
