import * as t from 'io-ts'
import type { Reservation as ReservationDocument } from '../../../../projections/reservation.ts'
import type { Series as SeriesDocument } from '../../../../projections/series.ts'
import type { Session as SessionDocument } from '../../../../projections/session.ts'
import type { Sut as SutDocument } from '../../../../projections/sut.ts'
import type { SutRequest } from '../../../../projections/sut-request.ts'
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
import { closedSchema, type JsonSchema, schemaOf, withSchema } from '../../../domain/codec/json-schema.ts'
import { closed, dictionary } from '../../../domain/codec/object-codec.ts'
import { Criteria } from '../../../domain/events/criteria.ts'
import { assignedId, listenPort, whole, windowEnd } from '../../../domain/events/fields.ts'
import { OFFLINE_CAUSES, OfflineCause } from '../../../domain/events/monitoring.ts'
import { ExpiryCause, priority } from '../../../domain/events/request.ts'
import { keepalive } from '../../../domain/events/reservation.ts'
import { SessionCause } from '../../../domain/events/session.ts'
import { monitoringInterval, PUBLIC_SUT_FIELDS, sutFields, tagName } from '../../../domain/events/sut.ts'
import { Quota, Role, SCOPE_MAX, TokenScope } from '../../../domain/events/user.ts'
import { REQUEST_STATUSES } from '../../../domain/request/queue.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, RULE_LENGTH_MAX } from '../../../domain/series/rule.ts'
import { pick } from '../../../domain/values/pick.ts'
import { RESERVATION_STATES } from '../../../read-models/lists/reservations.ts'
import type { Explained } from '../../../read-models/requests/explain.ts'
import { refTo } from '../../protocol/declaration.ts'
import type { AddedMembers } from '../../response/reservation-members.ts'
import type { ConnectionDocument } from '../../routes/access/connection.ts'
import type { ShownOutages } from '../../routes/suts/outages.ts'
import type { SutSettings } from '../../routes/suts/sut-reads.ts'

/**
 * Schemas of response bodies. Their types are those of the projections: an additional or missing field does not
 * compile.
 */

/** A date-time in one format. */
const time = (pattern: RegExp, example: string): t.Type<string> =>
  withSchema(matching('time', pattern, `must be a time like ${example}`), () => ({
    ...schemaOf(matching('time', pattern, '')),
    format: 'date-time',
  }))

const milliseconds = time(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, '2030-05-02T05:58:11.400Z')
const numericOffset = time(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/, '2030-05-02T05:58:11.400+00:00')
const withoutFraction = time(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/, '2030-05-02T05:58:11+00:00')

/** Requests have another field of this name, which is a secret. */
export const userName = described(text(1, 128), 'The name of the user, or the id if the name was erased.')

/** With include. */
const added = {
  user_name: userName,
  sut_name: described(
    orNull(text(1, 256)),
    'The name that the SUT has now; null if it is outside the scope of the user.',
  ),
  state: described(oneOf(...RESERVATION_STATES), 'What has become of it by the time of the response, or of as_of.'),
  planned_end_time: windowEnd,
  series_id: described(orNull(assignedId), 'The series that it belongs to; null if none.'),
}

const Reservation: t.Type<ReservationDocument & AddedMembers, unknown, unknown> = closed(
  'Reservation',
  {
    _id: assignedId,
    created_at: milliseconds,
    updated_at: milliseconds,
    start_time: windowEnd,
    end_time: windowEnd,
    user_id: opaqueId,
    sut_id: assignedId,
    listen_port: listenPort,
  },
  added,
)

const series: { readonly [K in keyof SeriesDocument]: t.Mixed } = {
  _id: assignedId,
  created_at: milliseconds,
  sut_id: assignedId,
  user_id: opaqueId,
  start_time: windowEnd,
  end_time: windowEnd,
  rrule: text(1, RULE_LENGTH_MAX),
  time_zone: text(1, 64),
  count: integer(OCCURRENCES_MIN, OCCURRENCES_MAX),
}

const request: { readonly [K in Exclude<keyof SutRequest, 'match' | 'sut_id' | 'cause'> | 'user_name']: t.Mixed } = {
  ...{ _id: assignedId, created_at: milliseconds, updated_at: milliseconds, user_id: opaqueId, user_name: userName },
  ...{ duration: integer(1, Number.MAX_SAFE_INTEGER), expires_at: milliseconds, priority },
  ...{ keepalive: orNull(keepalive), status: oneOf(...REQUEST_STATUSES), sut_reservation_id: orNull(assignedId) },
}
const requestOptions = { match: Criteria, sut_id: assignedId, cause: ExpiryCause }

/** While it waits. */
const explained: { readonly [K in keyof Explained]: t.Mixed } = {
  position: whole,
  waits_for: listOf(text(1, 4096)),
  expected_at: orNull(milliseconds),
}

const { rdp_height, rdp_width, turnaround, release_unused_after } = sutFields

/** With include=settings. */
const Settings: t.Type<SutSettings, unknown, unknown> = closed(
  'SutSettings',
  { turnaround, release_unused_after },
  {
    listen_port: orNull(listenPort),
    monitoring_interval: orNull(monitoringInterval),
    has_password: boolean,
    has_user_name: boolean,
    rdp_width: orNull(rdp_width),
    rdp_height: orNull(rdp_height),
  },
)
const settingsSchema = schemaOf(Settings)
const settings = withSchema(Settings, () => refTo('SutSettings'))

const Sut: t.Type<SutDocument & { readonly settings?: SutSettings }, unknown, unknown> = closed(
  'Sut',
  {
    _id: assignedId,
    created_at: numericOffset,
    updated_at: numericOffset,
    ...pick(sutFields, PUBLIC_SUT_FIELDS),
    monitoring: closed(
      'Monitoring',
      { status: text(1, 256), last_updated: withoutFraction, status_description: text(1, 256) },
      {},
    ),
    tags: dictionary('tags', tagName, text(0, 256)),
  },
  { settings },
)

const Session: t.Type<SessionDocument & { user_name: string }, unknown, unknown> = closed(
  'Session',
  {
    _id: assignedId,
    reservation_id: assignedId,
    sut_id: assignedId,
    user_id: opaqueId,
    user_name: userName,
    instance: matching('instance', /^[0-9a-f]{16}$/, 'must be 16 lower-case hex digits'),
    opened_at: milliseconds,
    closed_at: orNull(milliseconds),
    connections: orNull(integer(1, Number.MAX_SAFE_INTEGER)),
    bytes_to_sut: orNull(whole),
    bytes_from_sut: orNull(whole),
    cause: orNull(SessionCause),
  },
  {},
)

const user = {
  ...{ _id: opaqueId, name: userName, role: Role, quota: orNull(Quota), scope: text(0, SCOPE_MAX) },
  ...{ created_at: milliseconds, updated_at: milliseconds },
}
const ended = { removed_at: milliseconds, erased_at: milliseconds }
const madePassword = described(text(8, 1024), 'If the service made it. Shown in this response only.')
/** With include=used. */
const used = closed(
  'Used',
  {
    hours: withSchema(t.number, () => ({ type: 'number', minimum: 0 })),
    reservations: whole,
    week: matching('week', /^\d{4}-W\d\d$/, 'must be an ISO week'),
    quota: orNull(Quota),
  },
  {},
)

const token = {
  ...{ _id: assignedId, name: text(1, 64), role: Role, created_at: milliseconds, expires_at: orNull(milliseconds) },
}
const tokenText = matching('token', /^berth_[A-Za-z0-9_-]{43}$/, 'must be a token')
const session = matching('session', /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/, 'must be a session')

export const closedObject = (properties: JsonSchema, optional: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
})

export const listOfAll = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const string: JsonSchema = { type: 'string' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }

/** The envelope of a list. */
export const listSchemaOf = (name: string, items: JsonSchema): JsonSchema =>
  closedObject({ limit: { type: 'integer', minimum: 1 }, count, [name]: listOfAll(items) }, { offset: count })

export const windowSchema = closedSchema({ start_time: windowEnd, end_time: windowEnd })
/** A member for each of the response's: an additional or missing one does not compile. */
const connection: Readonly<Record<keyof ConnectionDocument, JsonSchema>> = {
  host: schemaOf(orNull(text(1, 260))),
  port: schemaOf(listenPort),
  sut_type: schemaOf(sutFields.sut_type),
  open: schemaOf(boolean),
  bound: schemaOf(boolean),
  bound_here: schemaOf(boolean),
  released_unused_at: schemaOf(orNull(milliseconds)),
  connections: count,
  last_error: {
    anyOf: [closedSchema({ time: milliseconds, cause: text(1, 64) }, { reason: text(1, 100) }), { type: 'null' }],
  },
}

const outages: Readonly<Record<keyof ShownOutages, JsonSchema>> = {
  outages: listOfAll(closedSchema({ from: milliseconds, to: orNull(milliseconds), cause: OfflineCause })),
  unknown: listOfAll(closedSchema({ from: milliseconds, to: milliseconds })),
}

/** By component name. */
export const answerSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  Reservation: schemaOf(Reservation),
  ReservationList: listSchemaOf('sut_reservations', refTo('Reservation')),
  SeriesReservations: closedObject({
    series_id: schemaOf(assignedId),
    sut_reservations: listOfAll(refTo('Reservation')),
  }),
  SeriesList: listSchemaOf('sut_reservation_series', closedSchema(series)),
  Series: closedObject({
    ...Object.fromEntries(Object.entries(series).map(([name, codec]) => [name, schemaOf(codec)])),
    sut_reservations: listOfAll(refTo('Reservation')),
  }),
  SutRequest: closedSchema(request, requestOptions),
  SutRequestRead: closedSchema(request, { ...requestOptions, ...explained }),
  SutRequestList: listSchemaOf('sut_requests', closedSchema(request, { ...requestOptions, passed_over: boolean })),
  Sut: schemaOf(Sut),
  SutSettings: settingsSchema,
  SutList: listSchemaOf('suts', refTo('Sut')),
  ImportedSuts: closedObject({ count }, { suts: listOfAll(refTo('Sut')) }),
  Check: closedSchema({
    reachable: boolean,
    cause: orNull(oneOf('no_password', ...OFFLINE_CAUSES)),
    milliseconds: whole,
  }),
  Connection: closedObject(connection),
  ConsoleTicket: closedSchema({ url: text(1, 4096), expires_at: milliseconds }),
  Availability: closedObject({
    free: listOfAll(windowSchema),
    next: schemaOf(orNull(windowEnd)),
  }),
  AvailabilityList: closedObject({
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    next: { type: ['string', 'null'] },
    suts: listOfAll(
      closedObject({
        ...{ _id: schemaOf(assignedId), name: schemaOf(sutFields.name) },
        free: { ...listOfAll(windowSchema), minItems: 1, maxItems: 100 },
        next: schemaOf(orNull(windowEnd)),
        turnaround: { ...listOfAll(windowSchema), maxItems: 100 },
      }),
    ),
  }),
  Outages: closedObject(outages),
  OutagesList: closedObject({ suts: listOfAll(closedObject({ sut_id: schemaOf(assignedId), ...outages })) }),
  Session: schemaOf(Session),
  SessionList: listSchemaOf('sessions', refTo('Session')),
  User: closedSchema(user, { ...ended, used }),
  NewUser: closedSchema(user, { password: madePassword }),
  ImportedUsers: closedObject({ count }, { users: listOfAll(refTo('NewUser')) }),
  UserName: closedSchema({ _id: opaqueId, name: userName }),
  UserRemoval: closedSchema({ _id: opaqueId, cancelled: whole, released: whole }),
  UserList: listSchemaOf('users', { anyOf: [refTo('User'), refTo('UserName')] }),
  Token: closedSchema(token, { scope: TokenScope, revoked_at: milliseconds }),
  NewToken: closedSchema(token, { scope: TokenScope, token: tokenText }),
  LoginSession: closedSchema({ _id: opaqueId, name: userName, role: Role, session, expires_at: milliseconds }),
  SignOnStart: closedObject({ url: string, transaction: string }),
  Logout: closedSchema({ everywhere: boolean }),
  TokenList: listSchemaOf('tokens', refTo('Token')),
  Health: closedObject({ status: { type: 'string', enum: ['live', 'ready'] } }, { detail: string }),
  SchemaIndex: closedObject({
    schemas: listOfAll(
      closedObject({ type: string, version: { type: 'integer', minimum: 1 }, urn: string, href: string }),
    ),
  }),
  Document: { type: 'object' },
})
