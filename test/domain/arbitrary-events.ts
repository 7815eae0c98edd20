import fc from 'fast-check'
import type { DataOf, EventType, Metadata } from '../../src/domain/event.ts'
import { SESSION_CAUSES } from '../../src/domain/events/session.ts'
import { REMOVALS, USER_SECRET_FIELDS } from '../../src/domain/events/user.ts'
import { formatMilliseconds, formatWithOffset } from '../../src/domain/values/instant.ts'
import { arbitraryTags, arbitraryText, criteria } from './arbitrary-criteria.ts'
import { arbitraryOffset } from './builders.ts'

export const arbitraryAssignedId = (): fc.Arbitrary<string> => fc.stringMatching(/^[0-9a-f]{24}$/)

const arbitraryOpaqueId = (): fc.Arbitrary<string> =>
  fc.oneof(arbitraryAssignedId(), fc.stringMatching(/^[!-.0-~]{1,128}$/), fc.constantFrom('Zoë 😀', 'ü'.repeat(128)))

export const arbitraryAddress = (): fc.Arbitrary<string> => fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain())

const arbitraryPort = () => fc.integer({ min: 1, max: 65535 })

const arbitraryEnd = (): fc.Arbitrary<string> =>
  fc
    .tuple(fc.integer({ min: 0, max: 16_000_000_000 }), arbitraryOffset())
    .map(([s, offset]) => formatWithOffset(s, offset))

const credentials = () =>
  fc.record({
    id: arbitraryAssignedId(),
    changed: fc.constantFrom(['password'] as const, ['user_name'] as const, ['password', 'user_name'] as const),
  })

const sutFields = () => ({
  name: arbitraryText(1, 40),
  description: fc.oneof(arbitraryText(0, 100), fc.constant('two\nlines\r\n\tand a tab')),
  address: arbitraryAddress(),
  port: arbitraryPort(),
  sut_type: fc.constantFrom('vnc' as const, 'rdp' as const, 'tcp' as const),
  is_active: fc.boolean(),
  manufacturer: arbitraryText(0, 40),
  model: arbitraryText(0, 40),
  os: arbitraryText(0, 40),
  version: arbitraryText(0, 40),
})
const display = () => ({
  rdp_height: fc.integer({ min: 1, max: 16384 }),
  rdp_width: fc.integer({ min: 1, max: 16384 }),
  turnaround: fc.integer({ min: 0, max: 96 }).map((quarters) => 900 * quarters),
  release_unused_after: fc.oneof(fc.constant(0), fc.integer({ min: 300, max: 86_400 })),
})

const arbitraryTime = () => fc.integer({ min: 0, max: 16_000_000_000_000 }).map(formatMilliseconds)

const beyond = () => ({ beyond_quota: fc.boolean() })
const due = () => ({ ...ids(), due: arbitraryTime() })
const ids = () => ({ _id: arbitraryAssignedId(), sut_id: arbitraryAssignedId(), user_id: arbitraryOpaqueId() })

const session = () => ({
  _id: arbitraryAssignedId(),
  reservation_id: arbitraryAssignedId(),
  sut_id: arbitraryAssignedId(),
  user_id: arbitraryOpaqueId(),
  instance: fc.stringMatching(/^[0-9a-f]{16}$/),
  opened_at: arbitraryTime(),
})

const quota = () =>
  fc.record({
    hours_per_week: fc.option(fc.integer({ min: 0, max: 4 * 168 }).map((quarters) => quarters / 4)),
    reservations_max: fc.option(fc.integer({ min: 0, max: 10_000 })),
    priority_max: fc.option(fc.integer({ min: 0, max: 100 })),
  })

const user = () => ({
  _id: arbitraryOpaqueId(),
  role: fc.constantFrom('administrator' as const, 'tester' as const, 'auditor' as const),
  scope: fc.oneof(fc.constantFrom('', 'team=qa1,rack=4', 'a%2Cb=%25'), arbitraryText(0, 40)),
  credentials: fc.record({
    id: arbitraryAssignedId(),
    changed: fc.subarray([...USER_SECRET_FIELDS], { minLength: 1 }),
  }),
})

const requested = () => ({
  _id: arbitraryAssignedId(),
  user_id: arbitraryOpaqueId(),
  duration: fc.integer({ min: 1, max: 86_400 }),
  expires_at: arbitraryTime(),
  priority: fc.integer({ min: -100, max: 100 }),
  keepalive: fc.integer({ min: 30, max: 86_400 }),
})
const offered = () => ({
  ...{ _id: arbitraryAssignedId(), user_id: arbitraryOpaqueId() },
  ...{ sut_id: arbitraryAssignedId(), sut_reservation_id: arbitraryAssignedId() },
})

const token = () => ({ _id: arbitraryAssignedId(), user_id: arbitraryOpaqueId() })

/** Any data of every event type, with and without optional members. */
export const arbitraryData: { readonly [T in EventType]: fc.Arbitrary<DataOf<T>> } = {
  SutCreated: fc.record(
    {
      _id: arbitraryAssignedId(),
      ...sutFields(),
      ...display(),
      listen_port: arbitraryPort(),
      tags: arbitraryTags(arbitraryText(0, 30)),
      credentials: credentials(),
    },
    {
      requiredKeys: [
        '_id',
        'name',
        'description',
        'address',
        'port',
        'sut_type',
        'is_active',
        'manufacturer',
        'model',
        'os',
        'version',
        'listen_port',
      ],
    },
  ),
  SutUpdated: fc.record(
    {
      ...{ _id: arbitraryAssignedId(), ...sutFields(), ...display(), credentials: credentials() },
      tags: arbitraryTags(fc.oneof(arbitraryText(0, 30), fc.constant(null))),
    },
    { requiredKeys: ['_id'] },
  ),
  SutRetired: fc.record({ _id: arbitraryAssignedId(), listen_port: arbitraryPort() }),
  SutCreationAbandoned: fc.record({ _id: arbitraryAssignedId(), listen_port: arbitraryPort() }),
  SutMonitoringEnabled: fc.record({ _id: arbitraryAssignedId(), interval: fc.integer({ min: 10, max: 86_400 }) }),
  SutMonitoringDisabled: fc.record({ _id: arbitraryAssignedId() }),
  SutWentOnline: fc.record(
    { _id: arbitraryAssignedId(), cause: fc.constant('no_password' as const) },
    { requiredKeys: ['_id'] },
  ),
  SutWentOffline: fc.record({
    _id: arbitraryAssignedId(),
    cause: fc.constantFrom('refused' as const, 'locked_out' as const),
  }),
  ReservationCreated: fc.record(
    {
      ...ids(),
      start_time: arbitraryEnd(),
      end_time: arbitraryEnd(),
      listen_port: arbitraryPort(),
      ...beyond(),
      counted: fc.integer({ min: 1, max: 1_000 }),
      match: criteria(),
      keepalive: fc.integer({ min: 30, max: 86_400 }),
      series_id: arbitraryAssignedId(),
      sut_request_id: arbitraryAssignedId(),
    },
    { requiredKeys: ['_id', 'sut_id', 'user_id', 'start_time', 'end_time', 'listen_port'] },
  ),
  ReservationSeriesCreated: fc.record({
    ...ids(),
    start_time: arbitraryEnd(),
    end_time: arbitraryEnd(),
    rrule: fc.constantFrom('FREQ=WEEKLY', 'freq=daily;COUNT=10'),
    time_zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    count: fc.integer({ min: 2, max: 366 }),
  }),
  ReservationExtended: fc.record(
    { ...ids(), end_time: arbitraryEnd(), ...beyond() },
    { requiredKeys: ['_id', 'sut_id', 'user_id', 'end_time'] },
  ),
  ReservationShortened: fc.record({ ...ids(), end_time: arbitraryEnd() }),
  ReservationReleased: fc.record(
    { ...ids(), end_time: arbitraryEnd(), cause: fc.constantFrom('keepalive', 'unused') },
    { requiredKeys: ['_id', 'sut_id', 'user_id', 'end_time'] },
  ),
  ReservationKept: fc.record(ids()),
  MatchOffered: fc.record({ ...ids(), start_time: arbitraryEnd(), end_time: arbitraryEnd() }),
  ReservationOfferRefused: fc.record(ids()),
  ReservationBound: fc.record(ids()),
  ReservationUnbound: fc.record(ids()),
  ReservationStarted: fc.record(due()),
  ReservationEnded: fc.record(due()),
  SessionOpened: fc.record(session()),
  SessionClosed: fc.record({
    ...session(),
    closed_at: arbitraryTime(),
    connections: fc.integer({ min: 1 }),
    bytes_to_sut: fc.maxSafeNat(),
    bytes_from_sut: fc.maxSafeNat(),
    cause: fc.constantFrom(...SESSION_CAUSES),
  }),
  UserAdded: fc.record({ ...user(), quota: quota() }, { requiredKeys: ['_id', 'role', 'credentials'] }),
  UserChanged: fc.record({ ...user(), quota: fc.option(quota()) }, { requiredKeys: ['_id'] }),
  UserRemoved: fc.record({ _id: arbitraryOpaqueId(), reservations: fc.constantFrom(...REMOVALS) }),
  UserRestored: fc.record({ _id: arbitraryOpaqueId() }),
  UserErased: fc.record({ _id: arbitraryOpaqueId() }),
  TokenIssued: fc.record(
    {
      ...token(),
      role: user().role,
      hash: fc.stringMatching(/^[0-9a-f]{64}$/),
      credentials: fc.record({
        id: arbitraryAssignedId(),
        changed: fc.array(arbitraryAssignedId(), { minLength: 1, maxLength: 1 }),
      }),
      expires_at: arbitraryTime(),
      token_scope: fc.constant('metrics' as const),
    },
    { requiredKeys: ['_id', 'user_id', 'role', 'hash', 'credentials'] },
  ),
  TokenRevoked: fc.record({ ...token(), session_until: arbitraryTime() }, { requiredKeys: ['_id', 'user_id'] }),
  ScheduleBegan: fc.record({ from: arbitraryTime() }),
  ReservationCancelled: fc.record(ids()),
  ListenPortAssigned: fc.record({ listen_port: arbitraryPort(), sut_id: arbitraryAssignedId() }),
  ListenPortReleased: fc.record({ listen_port: arbitraryPort(), sut_id: arbitraryAssignedId() }),
  LogVersionSet: fc.record({ version: fc.constantFrom(3, 4) }),
  ReservationRequested: fc.oneof(
    fc.record(
      { ...requested(), match: criteria() },
      { requiredKeys: ['_id', 'user_id', 'duration', 'expires_at', 'priority', 'match'] },
    ),
    fc.record(
      { ...requested(), sut_id: arbitraryAssignedId() },
      { requiredKeys: ['_id', 'user_id', 'duration', 'expires_at', 'priority', 'sut_id'] },
    ),
  ),
  RequestOffered: fc.record({ ...offered(), start_time: arbitraryEnd(), end_time: arbitraryEnd() }),
  RequestOfferClosed: fc.record(offered()),
  RequestGranted: fc.record(offered()),
  RequestWithdrawn: fc.record({ _id: arbitraryAssignedId(), user_id: arbitraryOpaqueId() }),
  RequestKept: fc.record({ _id: arbitraryAssignedId(), user_id: arbitraryOpaqueId() }),
  RequestExpired: fc.record(
    { _id: arbitraryAssignedId(), user_id: arbitraryOpaqueId(), cause: fc.constantFrom('keepalive', 'retired') },
    { requiredKeys: ['_id', 'user_id'] },
  ),
  RefusalsCounted: fc.record(
    {
      from: arbitraryTime(),
      to: arbitraryTime(),
      refusals: fc.array(
        fc.record(
          {
            user_id: arbitraryOpaqueId(),
            code: fc.constantFrom('reservation_conflict', 'quota_exceeded'),
            count: fc.integer({ min: 1, max: 1_000 }),
            sut_id: arbitraryAssignedId(),
            match: criteria(),
          },
          { requiredKeys: ['user_id', 'code', 'count'] },
        ),
        { maxLength: 3 },
      ),
      others: fc.integer({ min: 1, max: 1_000 }),
    },
    { requiredKeys: ['from', 'to', 'refusals'] },
  ),
  AuditKeyReplaced: fc.record(
    { verifier_key: arbitraryText(1, 100), replaces: arbitraryText(1, 100) },
    { requiredKeys: ['verifier_key'] },
  ),
  VaultKeyForgotten: fc.record({ key: arbitraryText(1, 32), secrets: fc.nat() }),
}

export const arbitraryMetadata = (): fc.Arbitrary<Metadata> =>
  fc.record(
    {
      actor: arbitraryOpaqueId(),
      role: fc.constantFrom('administrator' as const, 'tester' as const, 'auditor' as const, 'system' as const),
      request_id: arbitraryText(1, 20),
      time: arbitraryTime(),
      schema: arbitraryPort(),
      client: fc.stringMatching(/^[A-Za-z0-9._-]{1,32}:[\w-]{22}$/),
      key: fc.stringMatching(/^[\w-]{22}\.[\w-]{22}$/),
      reason: arbitraryText(1, 20),
    },
    { requiredKeys: ['actor', 'role', 'request_id', 'time', 'schema'] },
  )
