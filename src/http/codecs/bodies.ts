import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { AskedRequest } from '../../commands/requests/make-request.ts'
import { QUARTER, type RequestedWindow, TURNAROUND_MAX } from '../../domain/calendar/window.ts'
import { boolean, instant, integer, opaqueId, roundedUp, text } from '../../domain/codec/codec.ts'
import { closedSchema, schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { AskedCriteria, type Criteria } from '../../domain/events/criteria.ts'
import { priority } from '../../domain/events/request.ts'
import { keepalive } from '../../domain/events/reservation.ts'
import { monitoringInterval, sutFields, tags, tagsPatch } from '../../domain/events/sut.ts'
import { bodyProblem, type Problem } from '../../domain/failure.ts'
import type { NewEnd } from '../../domain/reservation/extend.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import type { DecodeBody } from '../protocol/route.ts'
import { bodyOf, decoded, optionalBodyOf } from './decoded.ts'

/** Codecs of request bodies. */

const RESERVATION_READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port']
export const SUT_READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring']

const seconds = integer(1, Number.MAX_SAFE_INTEGER)
const sut = { sut_id: opaqueId }
const match = { match: AskedCriteria }
const beyond = { beyond_quota: boolean }
const holder = { user_id: opaqueId, keepalive, ...beyond }
const formA = { start_time: instant, end_time: instant }
const formB = { start_in: integer(0, Number.MAX_SAFE_INTEGER), duration: seconds }
const ReservationFields = closed('ReservationFields', {}, { ...sut, ...match, ...holder, ...formA, ...formB })

export interface ReservationBody {
  /** The caller unless given. */
  readonly user_id: string | undefined
  /** A SUT, or what any SUT must be. */
  readonly target: { readonly sut_id: string } | { readonly match: Criteria }
  readonly window: RequestedWindow
  readonly isBeyondQuota: boolean
  /** Seconds after which it is released unless it is kept alive. */
  readonly keepalive: number | undefined
}

const FORM_A = Object.keys(formA)
const FORM_B = Object.keys(formB)

const ENDS = { end_time: instant, duration: seconds, by: seconds }
const Extension = closed('Extension', {}, { ...ENDS, ...beyond })

export interface ExtensionBody {
  readonly end: NewEnd
  readonly isBeyondQuota: boolean
}

/** The end of an extension: exactly one of a time, and seconds from the reservation's start or beyond its end. */
export const extensionBody: DecodeBody<ExtensionBody> = (body) => {
  const fields = decoded(Extension, RESERVATION_READ_ONLY, body)
  if (E.isLeft(fields)) return fields
  const { end_time, duration, by, beyond_quota: isBeyondQuota = false } = fields.right
  const [first, ...more] = Object.keys(ENDS).filter((name) => name in fields.right)
  if (more.length > 0) {
    return E.left(more.map((name) => bodyProblem('window_ambiguous', name, `cannot be combined with ${first}`)))
  }
  if (end_time !== undefined) return E.right({ end: end_time, isBeyondQuota })
  if (duration !== undefined) return E.right({ end: { duration }, isBeyondQuota })
  if (by !== undefined) return E.right({ end: { by }, isBeyondQuota })
  return E.left([bodyProblem('window_required', 'end_time', 'is required, unless duration or by is given')])
}
withSchema(extensionBody, () => ({
  oneOf: Object.entries(ENDS).map(([name, codec]) => closedSchema({ [name]: codec }, beyond)),
}))

const Shortening = closed('Shortening', { end_time: instant }, {})
export type ShorteningBody = t.TypeOf<typeof Shortening>

export const shorteningBody = bodyOf(Shortening, RESERVATION_READ_ONLY)

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null && !Array.isArray(body)

/** Exactly one of a SUT and criteria must be present, whatever their values. */
const targetProblems = (body: unknown): readonly Problem[] => {
  if (!isObject(body)) return []
  const [hasSut, hasMatch] = [Object.hasOwn(body, 'sut_id'), Object.hasOwn(body, 'match')]
  if (hasSut && hasMatch) return [bodyProblem('sut_ambiguous', 'match', 'cannot be combined with sut_id')]
  return hasSut || hasMatch ? [] : [bodyProblem('sut_required', 'sut_id', 'is required, unless match is given')]
}

const targetOf = ({ sut_id, match }: { readonly sut_id?: string; readonly match?: Criteria }) => {
  if (sut_id === undefined) return match && { match }
  return match === undefined ? { sut_id } : undefined
}

/** Exactly one complete form of window must be present, whatever its values. */
const formProblems = (body: unknown): readonly Problem[] => {
  if (!isObject(body)) return []
  const a = FORM_A.filter((field) => Object.hasOwn(body, field))
  const b = FORM_B.filter((field) => Object.hasOwn(body, field))
  if (a.length > 0 && b.length > 0) {
    return b.map((field) => bodyProblem('window_ambiguous', field, 'cannot be combined with start_time or end_time'))
  }
  const missing = [...FORM_A, ...FORM_B].filter((field) => !Object.hasOwn(body, field))
  if (a.length + b.length === 0) {
    return FORM_A.map((field) =>
      bodyProblem('window_required', field, 'is required, unless start_in and duration are given'),
    )
  }
  const form: readonly string[] = a.length > 0 ? FORM_A : FORM_B
  return missing
    .filter((field) => form.includes(field))
    .map((field) => bodyProblem('window_required', field, `is required with ${form.find((other) => other !== field)}`))
}

type WindowFields = Partial<Record<'start_time' | 'end_time', OffsetTime> & Record<'start_in' | 'duration', number>>

const windowOf = ({ start_time, end_time, start_in, duration }: WindowFields): RequestedWindow | undefined => {
  if (start_in === undefined && duration === undefined) {
    return start_time && end_time && { form: 'explicit', start: start_time, end: end_time }
  }
  const isMixed = start_time !== undefined || end_time !== undefined
  if (isMixed || start_in === undefined || duration === undefined) return undefined
  return { form: 'relative', startIn: start_in, duration }
}

export const reservationBody: DecodeBody<ReservationBody> = (body) => {
  const fields = decoded(ReservationFields, RESERVATION_READ_ONLY, body)
  if (E.isLeft(fields)) return E.left([...fields.left, ...targetProblems(body), ...formProblems(body)])
  const { user_id, keepalive, beyond_quota: isBeyondQuota = false, ...others } = fields.right
  const [target, window] = [targetOf(others), windowOf(others)]
  if (target === undefined || window === undefined) return E.left([...targetProblems(body), ...formProblems(body)])
  return E.right({ user_id, target, window, isBeyondQuota, keepalive })
}
withSchema(reservationBody, () => ({
  oneOf: [sut, match].flatMap((target) => [formA, formB].map((form) => closedSchema({ ...target, ...form }, holder))),
}))

/** Seconds that a request may wait, and those it waits unless it says otherwise. */
const WAIT_MAX = 604_800
const WAIT = 86_400

const REQUEST_READ_ONLY = ['_id', 'created_at', 'updated_at', 'user_name', 'expires_at', 'status', 'sut_reservation_id']

const needed = { duration: seconds }
const askedOf = { user_id: opaqueId, wait: integer(0, WAIT_MAX), priority, keepalive }
/** Characters of criteria as JSON. They are kept in memory, with those of others, for as long as a request waits. */
const CRITERIA_MAX = 8_192

const lengthProblems = (match: Criteria | undefined): readonly Problem[] =>
  match === undefined || JSON.stringify(match).length <= CRITERIA_MAX
    ? []
    : [bodyProblem('invalid', 'match', `must be at most ${CRITERIA_MAX} characters of JSON where it waits`)]

const SutRequestFields = closed('SutRequestFields', needed, { ...sut, ...match, ...askedOf })

export interface SutRequestBody extends Pick<AskedRequest, 'target' | 'duration' | 'wait' | 'priority' | 'keepalive'> {
  /** The caller unless given. */
  readonly user_id: string | undefined
}

/** A SUT that is waited for: one, or any that fits criteria. */
export const sutRequestBody: DecodeBody<SutRequestBody> = (body) => {
  const fields = decoded(SutRequestFields, REQUEST_READ_ONLY, body)
  const ofTarget = targetProblems(body)
  if (E.isLeft(fields)) return E.left([...fields.left, ...ofTarget])
  const { user_id, duration, wait = WAIT, priority = 0, keepalive } = fields.right
  const target = targetOf(fields.right)
  const problems = [...ofTarget, ...lengthProblems(fields.right.match)]
  if (target === undefined || problems.length > 0) return E.left(problems)
  return E.right({ user_id, target, duration, wait, priority, keepalive })
}
withSchema(sutRequestBody, () => ({
  oneOf: [sut, match].map((target) => closedSchema({ ...target, ...needed }, askedOf)),
}))

const asked = { ...sutFields, turnaround: roundedUp(QUARTER, 0, TURNAROUND_MAX) }
const { name, address, port, sut_type, ...others } = asked
const secrets = { password: text(0, 4096), user_name: text(0, 4096) }
export const SutCreation = closed('SutCreation', { name, address, port, sut_type }, { ...others, ...secrets, tags })
const SutUpdate = closed('SutUpdate', {}, { ...asked, ...secrets })

export type SutCreation = t.TypeOf<typeof SutCreation>
export type SutUpdate = t.TypeOf<typeof SutUpdate>

export const sutCreationBody = bodyOf(SutCreation, SUT_READ_ONLY)
export const sutUpdateBody = bodyOf(SutUpdate, [...SUT_READ_ONLY, 'tags'])

export type TagsBody = t.TypeOf<typeof tagsPatch>

/** Names with values, or with null to remove a tag (RFC 7396). */
export const tagsBody = bodyOf(tagsPatch)

const Monitoring = closed('Monitoring', { enabled: boolean }, { interval: monitoringInterval })
/** Seconds between probes unless the body says otherwise. */
const INTERVAL = 60

export interface MonitoringBody {
  /** Seconds between probes; null ends probing. */
  readonly interval: number | null
}

export const monitoringBody: DecodeBody<MonitoringBody> = (body) => {
  const fields = decoded(Monitoring, [], body)
  if (E.isLeft(fields)) return fields
  const { enabled, interval } = fields.right
  if (enabled) return E.right({ interval: interval ?? INTERVAL })
  if (interval === undefined) return E.right({ interval: null })
  return E.left([bodyProblem('invalid', 'interval', 'cannot be combined with "enabled": false')])
}
withSchema(monitoringBody, () => ({
  oneOf: [true, false].map((enabled) => ({
    type: 'object',
    properties: { enabled: { const: enabled }, ...(enabled && { interval: schemaOf(monitoringInterval) }) },
    required: ['enabled'],
    additionalProperties: false,
  })),
}))

/** No body, or an empty object. */
export const noBody: DecodeBody<unknown> = optionalBodyOf(closed('Nothing', {}, {}))

/** Of a route that takes nothing from its body. */
export const withoutBody = { body: noBody, isBodyOptional: true } as const
