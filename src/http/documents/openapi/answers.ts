/** Schemas of the bodies of responses. Tests compare every answer with them. */

import {
  boolean,
  described,
  integer,
  listOf,
  matching,
  oneOf,
  opaqueId,
  orNull,
  text,
} from '../../../domain/codec/codec.ts'
import { closedSchema, type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { dictionary } from '../../../domain/codec/object-codec.ts'
import { EVENT_TYPES, type EventType } from '../../../domain/event.ts'
import { Criteria } from '../../../domain/events/criteria.ts'
import { assignedId, listenPort, recordedTime, whole, windowEnd } from '../../../domain/events/fields.ts'
import { OFFLINE_CAUSES, OfflineCause } from '../../../domain/events/monitoring.ts'
import { ExpiryCause, priority } from '../../../domain/events/request.ts'
import { keepalive } from '../../../domain/events/reservation.ts'
import { SessionCause } from '../../../domain/events/session.ts'
import { monitoringInterval, PUBLIC_SUT_FIELDS, sutFields, tagName } from '../../../domain/events/sut.ts'
import { Quota, Role, SCOPE_MAX, TokenScope } from '../../../domain/events/user.ts'
import { OVER_CAUSES } from '../../../domain/failure.ts'
import { STATUS } from '../../../domain/monitoring/status.ts'
import { REQUEST_STATUSES } from '../../../domain/request/queue.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, RULE_LENGTH_MAX } from '../../../domain/series/rule.ts'
import { pick } from '../../../domain/values/pick.ts'
import { RESERVATION_STATES } from '../../../read-models/lists/reservations.ts'
import type { DEMAND_FIGURES } from '../../../read-models/reports/demand.ts'
import type { USAGE_FIGURES } from '../../../read-models/reports/usage.ts'
import { codes } from '../../protocol/problem.ts'
import { refTo } from '../../protocol/route.ts'
import { cloudEventSchema, dataSchema } from '../event-schemas/event-schemas.ts'
import { webhookAnswers } from './webhook-answers.ts'

const string: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'number', minimum: 0 }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const positive: JsonSchema = { type: 'integer', minimum: 1 }

const time = (pattern: string): JsonSchema => ({ type: 'string', format: 'date-time', pattern })
const milliseconds = { ...schemaOf(recordedTime), format: 'date-time' }
const numericOffset = time('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\+00:00$')
const withoutFraction = time('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\+00:00$')

const nullable = (schema: object): JsonSchema => ({ anyOf: [schemaOf(schema), { type: 'null' }] })
const list = (items: object, limits: JsonSchema = {}): JsonSchema => ({
  ...{ type: 'array', items: schemaOf(items) },
  ...limits,
})
/** The envelope of a list. */
const page = (name: string, items: object): JsonSchema =>
  closedSchema({ limit: positive, count, [name]: list(items) }, { offset: count })

const window = { start_time: windowEnd, end_time: windowEnd }
const created = { _id: assignedId, created_at: milliseconds }
const changed = { ...created, updated_at: milliseconds }
/** Requests have another field of this name, which is a secret. */
const userName = described(text(1, 128), 'The name of the user, or the id if the name was erased.')

const reservation = { ...changed, ...window, user_id: opaqueId, sut_id: assignedId, listen_port: listenPort }
const sutName = 'The name that the SUT has now; null if it is outside the scope of the user.'
const state = 'What has become of it by the time of the response, or of as_of.'
/** With include. */
const added = {
  user_name: userName,
  sut_name: described(orNull(text(1, 256)), sutName),
  state: described(oneOf(...RESERVATION_STATES), state),
  planned_end_time: windowEnd,
  series_id: described(orNull(assignedId), 'The series that it belongs to; null if none.'),
}

const series = {
  ...{ ...created, sut_id: assignedId, user_id: opaqueId, ...window, rrule: text(1, RULE_LENGTH_MAX) },
  ...{ time_zone: text(1, 64), count: integer(OCCURRENCES_MIN, OCCURRENCES_MAX) },
}

const request = {
  ...{ ...changed, user_id: opaqueId, user_name: userName, duration: integer(1, Number.MAX_SAFE_INTEGER) },
  ...{ expires_at: milliseconds, priority, keepalive: orNull(keepalive), status: oneOf(...REQUEST_STATUSES) },
  sut_reservation_id: orNull(assignedId),
}
const requestOptions = { match: Criteria, sut_id: assignedId, cause: ExpiryCause }
/** While it waits. */
const explained = { position: whole, waits_for: listOf(text(1, 4096)), expected_at: nullable(milliseconds) }

const sut = {
  ...{ _id: assignedId, created_at: numericOffset, updated_at: numericOffset, ...pick(sutFields, PUBLIC_SUT_FIELDS) },
  monitoring: closedSchema({
    ...{ status: oneOf(...Object.values(STATUS)), last_updated: withoutFraction, status_description: text(1, 256) },
  }),
  tags: dictionary('tags', tagName, text(0, 256)),
}
const { rdp_height, rdp_width, turnaround, release_unused_after } = sutFields
/** With include=settings. */
const settings = closedSchema(
  { turnaround, release_unused_after },
  {
    ...{ listen_port: orNull(listenPort), monitoring_interval: orNull(monitoringInterval) },
    ...{ has_password: boolean, has_user_name: boolean },
    ...{ rdp_width: orNull(rdp_width), rdp_height: orNull(rdp_height) },
  },
)

const connection = {
  ...{ host: orNull(text(1, 260)), port: listenPort, sut_type: sutFields.sut_type, open: boolean, bound: boolean },
  ...{ bound_here: boolean, released_unused_at: nullable(milliseconds), connections: count },
  last_error: nullable(closedSchema({ time: milliseconds, cause: text(1, 64) }, { reason: text(1, 100) })),
}
const outages = {
  outages: list(closedSchema({ from: milliseconds, to: nullable(milliseconds), cause: OfflineCause })),
  unknown: list(closedSchema({ from: milliseconds, to: milliseconds })),
}
const freeSut = {
  ...{ _id: assignedId, name: sutFields.name },
  free: list(closedSchema(window), { minItems: 1, maxItems: 100 }),
  ...{ next: orNull(windowEnd), turnaround: list(closedSchema(window), { maxItems: 100 }) },
}

const session = {
  ...{ _id: assignedId, reservation_id: assignedId, sut_id: assignedId, user_id: opaqueId, user_name: userName },
  instance: matching('instance', /^[0-9a-f]{16}$/, ''),
  ...{ opened_at: milliseconds, closed_at: nullable(milliseconds), connections: nullable(positive) },
  ...{ bytes_to_sut: orNull(whole), bytes_from_sut: orNull(whole), cause: orNull(SessionCause) },
}

const user = {
  ...{ _id: opaqueId, name: userName, role: Role, quota: orNull(Quota), scope: text(0, SCOPE_MAX) },
  ...{ created_at: milliseconds, updated_at: milliseconds },
}
const week: JsonSchema = { type: 'string', pattern: '^[0-9]{4}-W[0-9]{2}$' }
/** With include=used. */
const used = closedSchema({ hours: number, reservations: whole, week, quota: orNull(Quota) })
const madePassword = described(text(8, 1024), 'If the service made it. Shown in this response only.')
const token = {
  ...{ _id: assignedId, name: text(1, 64), role: Role },
  ...{ created_at: milliseconds, expires_at: nullable(milliseconds) },
}

const bucket = described(
  orNull(windowEnd),
  'The start of the bucket, which may be before from, in the time zone; null without buckets.',
)
const report = (key: string, figures: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  closedSchema({
    ...{ from: milliseconds, to: milliseconds, time_zone: text(1, 64) },
    rows: list(
      closedSchema({ key: described(orNull(text(0, 256)), key), name: orNull(text(0, 256)), bucket, ...figures }),
    ),
  })
const usageFigures = {
  held_seconds: { ...count, description: 'From the later of start_time and created_at to the real end.' },
  used_seconds: {
    ...{ type: ['integer', 'null'], minimum: 0 },
    description: 'Of these, those with a session; null where no gateway forwards the SUTs.',
  },
  reservations: { ...count, description: 'Those that start in the bucket, without cancelled ones.' },
  unused_reservations: {
    ...{ type: ['integer', 'null'], minimum: 0 },
    description: 'Of these, those that are over and never had a session; null as used_seconds.',
  },
  cancelled: { ...count, description: 'Cancelled reservations that would have started in the bucket.' },
  released_early_seconds: { ...count, description: 'What releases in the bucket gave back.' },
  users: { ...count, description: 'How many held anything.' },
  suts: { ...count, description: 'How many were held.' },
} satisfies Record<keyof typeof USAGE_FIGURES, JsonSchema>

const demandFigures = {
  requests: { ...count, description: 'Those that were made in the bucket.' },
  ...{ granted: count, expired: count, withdrawn: count },
  waited_seconds: { ...count, description: 'Their waits together; those that still wait until now.' },
  waited_longest_seconds: { ...count, description: 'The longest of these.' },
  refused: {
    ...{ type: 'object', additionalProperties: positive },
    description: 'How often it was refused, by code; others are those counted without.',
  },
} satisfies Record<keyof typeof DEMAND_FIGURES | 'refused', JsonSchema>

const position: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }
/** 32 bytes in base64. */
const hash: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' }
const LEAF = 'The event as stored. leaf_hash is the SHA-256 of a zero byte followed by this text.'
const leaf = { ...string, description: LEAF }

const dataName = (type: EventType): string => `${type}Data`
const anyEvent = (more = {}, optional = {}): JsonSchema => ({
  oneOf: EVENT_TYPES.map((type) => cloudEventSchema(type, refTo(dataName(type)), more, optional)),
})
const value: JsonSchema = { type: ['string', 'number', 'boolean', 'object', 'null'] }
const path = { type: 'string', pattern: '^/', description: 'A JSON Pointer into the object.' }
/** What an event changed, as old and new values. Of a secret only the fact is shown. */
const changes = list({
  oneOf: [closedSchema({ path, from: value, to: value }), closedSchema({ path, changed: { const: true } })],
})
const revision = {
  ...{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  description: 'The number of the event in its stream. Not shown to users with a scope.',
}

const fault = (where: string): JsonSchema => closedSchema({ [where]: string, detail: string })
const onlyTurnaround = { const: true, description: 'Present if only the turnaround of the SUT is in the way.' }
const conflict = closedSchema(
  { _id: assignedId, user_id: opaqueId, user_name: userName, ...window },
  { turnaround: onlyTurnaround, occurrence: windowEnd },
)
const offered = closedSchema({ sut_id: assignedId, ...window })
/** RFC 9457, with extensions. */
const problem = closedSchema(
  {
    type: { type: 'string', format: 'uri-reference', pattern: '^/problems/' },
    ...{ title: string, status: { type: 'integer', minimum: 400, maximum: 599 }, detail: string, instance: string },
    code: { type: 'string', enum: Object.keys(codes) },
  },
  {
    errors: list({ oneOf: ['pointer', 'parameter', 'header'].map(fault) }, { minItems: 1, maxItems: 100 }),
    errors_count: positive,
    conflicts: list(conflict, { maxItems: 100 }),
    free_until: orNull(windowEnd),
    next_available: { anyOf: [closedSchema(window), offered, { type: 'null' }] },
    ...{ matching: positive, longest: nullable(offered), sut_reservation_id: assignedId },
    ...{ cause: oneOf(...OVER_CAUSES), by: orNull(opaqueId), extendable_until: orNull(windowEnd) },
    used: closedSchema({ hours: number, reservations: count }),
    ...{ quota: Quota, week: { ...week, type: ['string', 'null'] } },
    parts: { type: 'object', additionalProperties: string },
  },
)

export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  Reservation: closedSchema(reservation, added),
  ReservationList: page('sut_reservations', refTo('Reservation')),
  SeriesReservations: closedSchema({ series_id: assignedId, sut_reservations: list(refTo('Reservation')) }),
  SeriesList: page('sut_reservation_series', closedSchema(series)),
  Series: closedSchema({ ...series, sut_reservations: list(refTo('Reservation')) }),
  SutRequest: closedSchema(request, requestOptions),
  SutRequestRead: closedSchema(request, { ...requestOptions, ...explained }),
  SutRequestList: page('sut_requests', closedSchema(request, { ...requestOptions, passed_over: boolean })),
  Sut: closedSchema(sut, { settings: refTo('SutSettings') }),
  SutSettings: settings,
  SutList: page('suts', refTo('Sut')),
  ImportedSuts: closedSchema({ count }, { suts: list(refTo('Sut')) }),
  Check: closedSchema({
    ...{ reachable: boolean, cause: orNull(oneOf('no_password', ...OFFLINE_CAUSES)), milliseconds: whole },
  }),
  Connection: closedSchema(connection),
  ConsoleTicket: closedSchema({ url: text(1, 4096), expires_at: milliseconds }),
  Availability: closedSchema({ free: list(closedSchema(window)), next: orNull(windowEnd) }),
  AvailabilityList: closedSchema({
    ...{ limit: integer(1, 100), next: { type: ['string', 'null'] }, suts: list(closedSchema(freeSut)) },
  }),
  Outages: closedSchema(outages),
  OutagesList: closedSchema({ suts: list(closedSchema({ sut_id: assignedId, ...outages })) }),
  DemandReport: report('The id of the user; null for refusals that were counted without.', demandFigures),
  UsageReport: report('The id of the SUT or user, or the value of the tag; null without.', usageFigures),
  Session: closedSchema(session),
  SessionList: page('sessions', refTo('Session')),
  User: closedSchema(user, { removed_at: milliseconds, erased_at: milliseconds, used }),
  NewUser: closedSchema(user, { password: madePassword }),
  ImportedUsers: closedSchema({ count }, { users: list(refTo('NewUser')) }),
  UserName: closedSchema({ _id: opaqueId, name: userName }),
  UserRemoval: closedSchema({ _id: opaqueId, cancelled: whole, released: whole }),
  UserList: page('users', { anyOf: [refTo('User'), refTo('UserName')] }),
  Token: closedSchema(token, { scope: TokenScope, revoked_at: milliseconds }),
  NewToken: closedSchema(token, { scope: TokenScope, token: matching('token', /^berth_[A-Za-z0-9_-]{43}$/, '') }),
  LoginSession: closedSchema({
    ...{ _id: opaqueId, name: userName, role: Role, expires_at: milliseconds },
    session: matching('session', /^[A-Za-z0-9_-]+$/, ''),
  }),
  SignOnStart: closedSchema({ url: string, transaction: string }),
  Logout: closedSchema({ everywhere: boolean }),
  TokenList: page('tokens', refTo('Token')),
  ...webhookAnswers,
  WebhookList: page('webhooks', refTo('Webhook')),
  Health: closedSchema({ status: oneOf('live', 'ready') }, { detail: string }),
  SchemaIndex: closedSchema({
    schemas: list(closedSchema({ type: string, version: positive, urn: string, href: string })),
  }),
  Document: { type: 'object' },
  Problem: problem,
  Inclusion: closedSchema({ tree_size: count, leaf_index: count, leaf_hash: hash, leaf, hashes: list(hash) }),
  Consistency: closedSchema({ from: count, to: count, hashes: list(hash) }),
}

export const eventSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  ...Object.fromEntries(EVENT_TYPES.map((type) => [dataName(type), dataSchema(type)])),
  Event: anyEvent(),
  // `next` is null while the log is empty.
  EventPage: closedSchema({ events: list(refTo('Event')), next: nullable(position), caught_up: boolean }),
  HistoryEvent: anyEvent({ changes }, { actorname: string, username: string, sutname: string, revision }),
  History: page('events', refTo('HistoryEvent')),
})
