import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { QUARTER, type RequestedWindow, TURNAROUND_MAX } from '../../domain/calendar/window.ts'
import { boolean, instant, integer, opaqueId, roundedUp, text } from '../../domain/codec/codec.ts'
import { closedSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { AskedCriteria, type Criteria } from '../../domain/events/criteria.ts'
import { priority } from '../../domain/events/request.ts'
import { keepalive } from '../../domain/events/reservation.ts'
import { monitoringInterval, sutFields, tags, tagsPatch } from '../../domain/events/sut.ts'
import { bodyProblem } from '../../domain/failure.ts'
import type { NewEnd } from '../../domain/reservation/extend.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import { type BodyOf, bodyOf, oneForm } from './body.ts'

/** Bodies of requests about reservations, requests for them, and SUTs. */

const RESERVATION_READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port']
export const SUT_READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring']
const REQUEST_READ_ONLY = ['_id', 'created_at', 'updated_at', 'user_name', 'expires_at', 'status', 'sut_reservation_id']

const seconds = integer(1, Number.MAX_SAFE_INTEGER)
const sut = { sut_id: opaqueId }
const match = { match: AskedCriteria }
const beyond = { beyond_quota: boolean }
/** Who holds it, the caller unless given, and the seconds after which it is released unless it is kept alive. */
const holder = { user_id: opaqueId, keepalive, ...beyond }
const formA = { start_time: instant, end_time: instant }
const formB = { start_in: integer(0, Number.MAX_SAFE_INTEGER), duration: seconds }

const oneTarget = oneForm('sut_required', 'sut_ambiguous', ['sut_id'], ['match'])
const oneWindow = oneForm('window_required', 'window_ambiguous', Object.keys(formA), Object.keys(formB))

/** A SUT, or what any SUT must be. */
type Target = { readonly sut_id: string } | { readonly match: Criteria }

const targetOf = ({ sut_id, match }: { readonly sut_id?: string; readonly match?: Criteria }): Target =>
  sut_id === undefined ? { match: match as Criteria } : { sut_id }

type WindowFields = Partial<Record<'start_time' | 'end_time', OffsetTime> & Record<'start_in' | 'duration', number>>

const windowOf = ({ start_time, end_time, start_in, duration }: WindowFields): RequestedWindow =>
  start_time && end_time
    ? { form: 'explicit', start: start_time, end: end_time }
    : { form: 'relative', startIn: start_in as number, duration: duration as number }

export const reservationBody = bodyOf(closed('Reservation', {}, { ...sut, ...match, ...holder, ...formA, ...formB }), {
  readOnly: RESERVATION_READ_ONLY,
  rules: [oneTarget, oneWindow],
  make: ({ user_id, keepalive, beyond_quota: isBeyondQuota = false, ...others }) =>
    E.right({ user_id, target: targetOf(others), window: windowOf(others), isBeyondQuota, keepalive }),
  schema: () => ({
    oneOf: [sut, match].flatMap((target) => [formA, formB].map((form) => closedSchema({ ...target, ...form }, holder))),
  }),
})

export type ReservationBody = BodyOf<typeof reservationBody>

const ENDS = { end_time: instant, duration: seconds, by: seconds }
const oneEnd = oneForm('window_required', 'window_ambiguous', ...Object.keys(ENDS).map((name) => [name]))

/** The end of an extension: exactly one of a time, and seconds from the reservation's start or beyond its end. */
export const extensionBody = bodyOf(closed('Extension', {}, { ...ENDS, ...beyond }), {
  readOnly: RESERVATION_READ_ONLY,
  make: ({ beyond_quota: isBeyondQuota = false, ...ends }) => {
    const problems = oneEnd(ends)
    if (problems.length > 0) return E.left(problems)
    return E.right({ end: ends.end_time ?? (ends as NewEnd), isBeyondQuota })
  },
  schema: () => ({ oneOf: Object.entries(ENDS).map(([name, codec]) => closedSchema({ [name]: codec }, beyond)) }),
})

export const shorteningBody = bodyOf(closed('Shortening', { end_time: instant }, {}), {
  readOnly: RESERVATION_READ_ONLY,
})

/** Seconds that a request may wait, and those it waits unless it says otherwise. */
const [WAIT_MAX, WAIT] = [604_800, 86_400]
/** Characters of criteria as JSON. They are kept in memory, with those of others, for as long as a request waits. */
const CRITERIA_MAX = 8_192

const needed = { duration: seconds }
const askedOf = { user_id: opaqueId, wait: integer(0, WAIT_MAX), priority, keepalive }

/** A SUT that is waited for: one, or any that fits criteria. */
export const sutRequestBody = bodyOf(closed('SutRequest', needed, { ...sut, ...match, ...askedOf }), {
  readOnly: REQUEST_READ_ONLY,
  rules: [oneTarget],
  make: ({ user_id, duration, wait = WAIT, priority = 0, keepalive, ...target }) =>
    JSON.stringify(target.match ?? {}).length > CRITERIA_MAX
      ? E.left([bodyProblem('invalid', 'match', `must be at most ${CRITERIA_MAX} characters of JSON where it waits`)])
      : E.right({ user_id, target: targetOf(target), duration, wait, priority, keepalive }),
  schema: () => ({ oneOf: [sut, match].map((target) => closedSchema({ ...target, ...needed }, askedOf)) }),
})

export type SutRequestBody = BodyOf<typeof sutRequestBody>

const asked = { ...sutFields, turnaround: roundedUp(QUARTER, 0, TURNAROUND_MAX) }
const { name, address, port, sut_type, ...others } = asked
const secrets = { password: text(0, 4096), user_name: text(0, 4096) }
export const SutCreation = closed('SutCreation', { name, address, port, sut_type }, { ...others, ...secrets, tags })
export type SutCreation = t.TypeOf<typeof SutCreation>
export const sutCreationBody = bodyOf(SutCreation, { readOnly: SUT_READ_ONLY })

export const sutUpdateBody = bodyOf(closed('SutUpdate', {}, { ...asked, ...secrets }), {
  readOnly: [...SUT_READ_ONLY, 'tags'],
})

/** Names with values, or with null to remove a tag (RFC 7396). */
export const tagsBody = bodyOf(tagsPatch)

/** Seconds between probes unless the body says otherwise. */
const INTERVAL = 60

/** Seconds between probes. A body that ends probing is read as one with null. */
const monitored = { interval: monitoringInterval }
export const monitoringBody = bodyOf(closed('Monitoring', { enabled: boolean }, monitored), {
  make: ({ enabled, interval }) =>
    enabled || interval === undefined
      ? E.right({ interval: enabled ? (interval ?? INTERVAL) : null })
      : E.left([bodyProblem('invalid', 'interval', 'cannot be combined with "enabled": false')]),
  schema: () => ({
    oneOf: [closedSchema({ enabled: { const: true } }, monitored), closedSchema({ enabled: { const: false } })],
  }),
})

/** Of a route that takes nothing from its body: none, or an empty object. */
export const withoutBody = { body: bodyOf(closed('Nothing', {}, {})), isBodyOptional: true } as const
