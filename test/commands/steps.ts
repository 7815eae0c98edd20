import type { IdempotencyKey } from '../../src/commands/idempotency-key.ts'
import type { Decider, StreamState } from '../../src/domain/decider.ts'
import { type ReservationCommand, reservationDecider } from '../../src/domain/reservation/decide.ts'
import { type SutCommand, sutDecider } from '../../src/domain/sut/decide.ts'
import { administrator, alice, asked, createReservation, explicit, LIMITS } from '../domain/builders.ts'
import { createSeries } from '../domain/series/series.ts'
import { randomHex } from '../event-store/new-events.ts'

export type AnyCommand = ReservationCommand | SutCommand

export interface Memory {
  readonly sut: string
  /** The ids of the reservations in order; undefined if refused. */
  readonly made: (string | undefined)[]
}

const NEVER_MADE = '0'.repeat(24)
const CLIENT = `key:${'A'.repeat(22)}`
const by = { actor: administrator, user_id: alice } as const

/** A sequence of commands on a SUT's stream. */
const SEQUENCE = [
  ({ sut }) => ({ ...createReservation(explicit('08:00', '09:00')), sut_id: sut, random: randomHex(8) }),
  ({ sut }) => ({ ...createReservation(explicit('08:30', '09:30')), sut_id: sut, random: randomHex(8) }),
  ({ sut }) => ({ ...createReservation(explicit('10:00', '10:15')), sut_id: sut, random: randomHex(8) }),
  () => ({ type: 'UpdateSut', values: { description: 'another' } }),
  () => ({ type: 'UpdateSut', values: { description: 'another' } }),
  ({ made }) => ({ type: 'CancelReservation', ...by, _id: made[2] ?? NEVER_MADE }),
  ({ sut }) => ({ ...createReservation(explicit('10:00', '11:00')), sut_id: sut, random: randomHex(8) }),
  ({ made }) => ({ type: 'ExtendReservation', ...by, _id: made[0] ?? NEVER_MADE, end: asked('09:30'), limits: LIMITS }),
  ({ made }) => ({ type: 'ShortenReservation', ...by, _id: made[0] ?? NEVER_MADE, end: asked('09:15') }),
  ({ made }) => ({ type: 'BindReservation', ...by, _id: made[0] ?? NEVER_MADE, client: CLIENT }),
  ({ made }) => ({ type: 'UnbindReservation', _id: made[0] ?? NEVER_MADE }),
  ({ made }) => ({ type: 'KeepReservation', ...by, _id: made[0] ?? NEVER_MADE }),
  ({ made }) => ({ type: 'ReleaseUnattended', _id: made[0] ?? NEVER_MADE, cause: 'keepalive' }),
  ({ sut }) => ({ type: 'AdvanceSchedule', sut_id: sut }),
  ({ sut }) => ({ type: 'RefuseOffer', _id: randomHex(12), sut_id: sut, user_id: alice }),
  () => ({ type: 'TagSut', tags: { rack: '4' } }),
  ({ sut }) => ({ ...createSeries('FREQ=DAILY;COUNT=3', [asked('14:00'), asked('15:00')]), sut_id: sut }),
  ({ made }) => ({
    type: 'CancelSeries',
    actor: administrator,
    user_id: alice,
    reservationIds: [made[4] ?? NEVER_MADE],
  }),
  () => ({ type: 'SetMonitoring', interval: 60 }),
  () => ({ type: 'RetireSut' }),
  () => ({ type: 'UpdateSut', values: { is_active: false } }),
  ({ sut }) => ({ ...createReservation(explicit('12:00', '12:15')), sut_id: sut, random: randomHex(8) }),
] as const satisfies readonly ((memory: Memory) => AnyCommand)[]
export const STEPS: readonly ((memory: Memory) => AnyCommand)[] = SEQUENCE

/** The script itself creates the SUT. */
type Missing = Exclude<AnyCommand['type'], ReturnType<(typeof SEQUENCE)[number]>['type'] | 'CreateSut'>
// Does not compile if a command has no step.
'none' satisfies [Missing] extends [never] ? 'none' : Missing

export type AnyDecider = Decider<StreamState, AnyCommand>

/** The decider of a command on a SUT's stream. */
export const deciderOf = (command: AnyCommand): AnyDecider =>
  (/Reservation$|Series$|^AdvanceSchedule$|^RefuseOffer$|^ReleaseUnattended$/.test(command.type)
    ? reservationDecider
    : sutDecider) as unknown as AnyDecider

/** A recorded idempotency key; requests that share it are equal. */
export const anIdempotencyKey = (name: string): IdempotencyKey => {
  const current = `${name.padEnd(22, '_')}.${name.padEnd(22, '-')}`
  return { current, candidates: [current] }
}
