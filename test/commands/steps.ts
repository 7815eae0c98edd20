import type { IdempotencyKey } from '../../src/commands/idempotency-key.ts'
import type { Decider, StreamState } from '../../src/domain/decider.ts'
import { type ReservationCommand, reservationDecider } from '../../src/domain/reservation/decide.ts'
import { type SutCommand, sutDecider } from '../../src/domain/sut/decide.ts'
import { administrator, alice, asked, createReservation, explicit, LIMITS } from '../domain/builders.ts'
import { randomHex } from '../event-store/new-events.ts'

export type AnyCommand = ReservationCommand | SutCommand

export interface Memory {
  readonly sut: string
  /** The ids of the reservations in order; undefined if refused. */
  readonly made: (string | undefined)[]
}

const NEVER_MADE = '0'.repeat(24)
const by = { actor: administrator, documentStatus: 'made', user_id: alice } as const

/** A sequence that covers every command on a calendar. */
export const STEPS: readonly ((memory: Memory) => AnyCommand)[] = [
  ({ sut }) => ({ ...createReservation(explicit('08:00', '09:00')), sut_id: sut, random: randomHex(8) }),
  ({ sut }) => ({ ...createReservation(explicit('08:30', '09:30')), sut_id: sut, random: randomHex(8) }),
  ({ sut }) => ({ ...createReservation(explicit('10:00', '10:15')), sut_id: sut, random: randomHex(8) }),
  () => ({ type: 'UpdateSut', values: { description: 'another' } }),
  () => ({ type: 'UpdateSut', values: { description: 'another' } }),
  ({ made }) => ({ type: 'CancelReservation', ...by, _id: made[2] ?? NEVER_MADE }),
  ({ sut }) => ({ ...createReservation(explicit('10:00', '11:00')), sut_id: sut, random: randomHex(8) }),
  ({ made }) => ({ type: 'ExtendReservation', ...by, _id: made[0] ?? NEVER_MADE, end: asked('09:30'), limits: LIMITS }),
  () => ({ type: 'SetMonitoring', interval: 60 }),
  () => ({ type: 'RetireSut' }),
  () => ({ type: 'UpdateSut', values: { is_active: false } }),
  ({ sut }) => ({ ...createReservation(explicit('12:00', '12:15')), sut_id: sut, random: randomHex(8) }),
]

export type AnyDecider = Decider<StreamState, AnyCommand>

/** The decider of a command on a SUT's stream. */
export const deciderOf = (command: AnyCommand): AnyDecider =>
  (command.type.endsWith('Reservation') ? reservationDecider : sutDecider) as unknown as AnyDecider

/** A recorded idempotency key; requests that share it are equal. */
export const anIdempotencyKey = (name: string): IdempotencyKey => {
  const current = `${name.padEnd(22, '_')}.${name.padEnd(22, '-')}`
  return { current, candidates: [current] }
}
