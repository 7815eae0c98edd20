import fc from 'fast-check'
import type { RequestedWindow } from '../../src/domain/calendar/window.ts'
import type { Actor } from '../../src/domain/decider.ts'
import type { DataOf, Event, EventType, Metadata } from '../../src/domain/event.ts'
import type { Removal, UserCredentials, UserSecretField } from '../../src/domain/events/user.ts'
import type { CreateReservation } from '../../src/domain/reservation/create.ts'
import type { ReservationCommand } from '../../src/domain/reservation/decide.ts'
import type { WindowLimits } from '../../src/domain/reservation/window-limits.ts'
import type { SutValues } from '../../src/domain/sut/state.ts'
import type { OffsetTime } from '../../src/domain/values/instant.ts'
import { instantOf } from './nanoseconds.ts'

/** The default date for times without one. */
const DAY = '2030-05-02'

/** Unix milliseconds of `06:00`, `05:58:11.400` or a whole date-time. */
export const clock = (time: string): number => {
  const written = time.includes('T') ? time : `${DAY}T${time.length === 5 ? `${time}:00` : time}Z`
  const milliseconds = Date.parse(written)
  if (Number.isNaN(milliseconds)) throw new TypeError(`${time} is not a time`)
  return milliseconds
}

/** `06:00` in the format of window ends; with an offset, as local time there. */
export const wall = (time: string, offset = '+00:00'): string => `${DAY}T${time}:00${offset}`

/** A requested instant: the given time plus optional nanoseconds. */
export const asked = (time: string, offset = 0, nanoseconds = 0n): OffsetTime => ({
  instant: instantOf(BigInt(clock(time)) * 1_000_000n + nanoseconds),
  offset,
})

export const explicit = (start: string, end: string, startOffset = 0, endOffset = startOffset): RequestedWindow => ({
  form: 'explicit',
  start: asked(start, startOffset),
  end: asked(end, endOffset),
})

export const idOf = (n: number): string => n.toString(16).padStart(24, '0')

export const SUT_ID = '58c38f5d444553252cce0000'
export const LISTEN_PORT = 20017
export const alice = '590780914445534540190000'
export const bob = '590780914445534540190001'
export const administrator: Actor = { _id: '590780914445534540190009', role: 'administrator' }
export const tester = (_id: string): Actor => ({ _id, role: 'tester' })

export const LIMITS: WindowLimits = { windowMax: 7 * 86_400_000, horizon: 366 * 86_400_000 }

export const sutValues = (values: Partial<SutValues> = {}): SutValues => ({
  name: 'bench 4',
  description: 'An old SUT',
  address: '192.168.9.5',
  port: 5902,
  sut_type: 'vnc',
  is_active: true,
  manufacturer: 'acer',
  model: 'aspire',
  os: 'windows',
  version: 'xp',
  ...values,
})

type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>

const event = <T extends EventType>(type: T, data: DataOf<T>) => ({ type, data }) as unknown as EventOf<T>

const SUT = { _id: SUT_ID }
const PORT = { ...SUT, listen_port: LISTEN_PORT }

export const sutCreated = (data: Partial<DataOf<'SutCreated'>> = {}) =>
  event('SutCreated', { ...PORT, ...sutValues(), ...data })
export const sutUpdated = (data: Partial<DataOf<'SutUpdated'>>) => event('SutUpdated', { ...SUT, ...data })
export const sutRetired = () => event('SutRetired', PORT)
export const sutCreationAbandoned = () => event('SutCreationAbandoned', PORT)
export const sutMonitoringEnabled = (interval = 60) => event('SutMonitoringEnabled', { ...SUT, interval })
export const sutMonitoringDisabled = () => event('SutMonitoringDisabled', SUT)
export const sutWentOnline = (cause?: DataOf<'SutWentOnline'>['cause']) =>
  event('SutWentOnline', { ...SUT, ...(cause !== undefined && { cause }) })
export const sutWentOffline = (cause: DataOf<'SutWentOffline'>['cause'] = 'refused') =>
  event('SutWentOffline', { ...SUT, cause })

const ofReservation = (_id: string, user_id: string) => ({ _id, sut_id: SUT_ID, user_id })

/** A reservation, by default Alice's. Ends are full date-times or UTC times of the default day. */
export const reservationCreated = (_id: string, start: string, end: string, user_id = alice) => {
  const [start_time, end_time] = [start, end].map((time) => (time.includes('T') ? time : wall(time))) as [
    string,
    string,
  ]
  const counted = Math.max(1, Math.ceil((Date.parse(end_time) - Date.parse(start_time)) / 900_000))
  const data = { ...ofReservation(_id, user_id), start_time, end_time, listen_port: LISTEN_PORT, counted }
  return event('ReservationCreated', data)
}

/** A series of Alice's, whose first window is on the default day. Its reservations follow. */
export const reservationSeriesCreated = (
  _id: string,
  start: string,
  end: string,
  more: Partial<DataOf<'ReservationSeriesCreated'>> = {},
) => {
  const window = { start_time: wall(start), end_time: wall(end) }
  const rule = { rrule: 'FREQ=WEEKLY;COUNT=2', time_zone: 'UTC', count: 2 }
  return event('ReservationSeriesCreated', { ...ofReservation(_id, alice), ...window, ...rule, ...more })
}

export const reservationExtended = (_id: string, end_time: string, user_id = alice) =>
  event('ReservationExtended', { ...ofReservation(_id, user_id), end_time })
export const reservationShortened = (_id: string, end_time: string, user_id = alice) =>
  event('ReservationShortened', { ...ofReservation(_id, user_id), end_time })
export const reservationReleased = (_id: string, end_time: string, user_id = alice) =>
  event('ReservationReleased', { ...ofReservation(_id, user_id), end_time })
export const reservationStarted = (_id: string, due: string, user_id = alice) =>
  event('ReservationStarted', { ...ofReservation(_id, user_id), due })
export const reservationEnded = (_id: string, due: string, user_id = alice) =>
  event('ReservationEnded', { ...ofReservation(_id, user_id), due })
export const reservationBound = (_id: string, user_id = alice) => event('ReservationBound', ofReservation(_id, user_id))
export const reservationUnbound = (_id: string, user_id = alice) =>
  event('ReservationUnbound', ofReservation(_id, user_id))
export const reservationKept = (_id: string, user_id = alice) => event('ReservationKept', ofReservation(_id, user_id))
export const reservationCancelled = (_id: string, user_id = alice) =>
  event('ReservationCancelled', ofReservation(_id, user_id))
export const reservationOfferRefused = (_id: string, user_id = alice) =>
  event('ReservationOfferRefused', ofReservation(_id, user_id))
export const matchOffered = (_id: string, start: string, end: string, user_id = alice) =>
  event('MatchOffered', { ...ofReservation(_id, user_id), start_time: wall(start), end_time: wall(end) })

/** Secrets of a user that changed together, by default those of a user with a password. */
export const userCredentials = (n: number, ...changed: readonly UserSecretField[]): UserCredentials => ({
  id: idOf(n),
  changed: changed.length === 0 ? ['epoch', 'name', 'password'] : changed,
})

/** A user, by default Alice, a tester. */
export const userAdded = (data: Partial<DataOf<'UserAdded'>> = {}) =>
  event('UserAdded', { _id: alice, role: 'tester', credentials: userCredentials(1), ...data })
export const userChanged = (data: Partial<DataOf<'UserChanged'>>) => event('UserChanged', { _id: alice, ...data })
export const userRemoved = (_id = alice, reservations: Removal = 'keep') => event('UserRemoved', { _id, reservations })
export const userRestored = (_id = alice) => event('UserRestored', { _id })
export const userErased = (_id = alice) => event('UserErased', { _id })

/** A token, by default of Alice. */
export const tokenIssued = (data: Partial<DataOf<'TokenIssued'>> = {}) => {
  const _id = data._id ?? '0f5b3c2a91d84e7766aa0001'
  const credentials = { id: '0f5b3c2a91d84e77cc000001', changed: [_id] }
  const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  return event('TokenIssued', { _id, user_id: alice, role: 'tester', hash, credentials, ...data })
}
export const tokenRevoked = (_id: string, user_id = alice) => event('TokenRevoked', { _id, user_id })
export const sessionEnded = (_id: string, user_id = alice) =>
  event('TokenRevoked', { _id, user_id, session_until: '2030-05-09T05:00:00.000Z' })

/** The command of a type about reservations. */
export type Reserving<T extends ReservationCommand['type']> = Extract<ReservationCommand, { readonly type: T }>

export const createReservation = (
  window: RequestedWindow,
  more: Partial<CreateReservation> = {},
): CreateReservation => ({
  type: 'CreateReservation',
  actor: administrator,
  sut_id: SUT_ID,
  user_id: alice,
  userExists: true,
  window,
  limits: LIMITS,
  random: 'aabbccddeeff0011',
  ...more,
})

export const metadata = (time: string, more: Partial<Metadata> = {}): Metadata => ({
  actor: alice,
  role: 'tester',
  request_id: 'request-1',
  time,
  schema: 1,
  ...more,
})

/** Any valid offset in minutes east of UTC. */
export const arbitraryOffset = (): fc.Arbitrary<number> => fc.integer({ min: -840, max: 840 })

/** Unix seconds whose year has four digits at every offset. */
export const arbitrarySecond = (): fc.Arbitrary<number> => fc.integer({ min: -62167168800, max: 253402250399 })
