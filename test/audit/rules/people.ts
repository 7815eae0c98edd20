import type { DataOf, Event } from '../../../src/domain/event.ts'
import {
  administrator,
  alice,
  bob,
  reservationCancelled,
  sessionEnded,
  tokenIssued,
  tokenRevoked,
  userAdded,
  userChanged,
  userCredentials,
  userErased,
  userRemoved,
  userRestored,
} from '../../domain/builders.ts'
import { BY_BERTH, type Entry, of, SECOND } from './morning.ts'

export const BY_OIDC = { actor: 'oidc', role: 'system' } as const
export const by = (actor: string, role: 'administrator' | 'tester' | 'auditor' = 'tester') => ({ actor, role })

export const [carol, dave, erased, audrey] = [2, 3, 4, 5].map((n) => `59078091444553454019000${n}`) as [
  string,
  string,
  string,
  string,
]
export const QUOTA = { hours_per_week: 1.5, reservations_max: null, priority_max: 0 }
export const named = (n: number) => userCredentials(n, 'name')
export const identified = (n: number) => userCredentials(n, 'epoch', 'identity', 'name')
export const newPassword = (n: number) => userCredentials(n, 'password', 'epoch')

export const idOfToken = (n: number): string => `0f5b3c2a91d84e7766aa${n.toString(16).padStart(4, '0')}`
/** The `n`th token, by default of Alice. */
export const token = (n: number, more: Partial<DataOf<'TokenIssued'>> = {}): Event =>
  tokenIssued({ _id: idOfToken(n), ...more })
export const revoked = (n: number, user_id?: string): Event => tokenRevoked(idOfToken(n), user_id)

/** Of Bob's reservation. */
export const cancelled = of(reservationCancelled(SECOND, bob))

/** First users, and what administrators and they themselves did to them; then tokens, of which two of Alice are good. */
export const PEOPLE: readonly Entry[] = [
  ['06:15', userAdded({ _id: administrator._id, role: 'administrator', credentials: userCredentials(1) }), BY_BERTH],
  ['06:15', userAdded({ credentials: userCredentials(2), quota: QUOTA }), BY_BERTH],
  ['06:15', userAdded({ _id: bob, credentials: userCredentials(3), scope: 'rack=4' })],
  ['06:15', userAdded({ _id: 'Zoë 😀', role: 'administrator', credentials: named(4) })],
  ['06:15', userAdded({ _id: audrey, role: 'auditor', credentials: userCredentials(5) })],
  ['06:15', userAdded({ _id: carol, credentials: userCredentials(6) })],
  ['06:15', userAdded({ _id: dave, credentials: userCredentials(7) })],
  ['06:15', userAdded({ _id: 'signed-on', credentials: identified(13) }), BY_OIDC],
  ['06:15', userChanged({ _id: 'signed-on', role: 'auditor' }), BY_OIDC],
  ['06:15', userAdded({ _id: erased, credentials: userCredentials(8) })],
  ['06:15', userRemoved(carol, 'cancel')],
  ['06:15', userRestored(carol)],
  ['06:16', userChanged({ quota: null, scope: 'rack=7' })],
  ['06:16', userChanged({ _id: bob, role: 'administrator' })],
  ['06:16', userChanged({ _id: bob, role: 'tester', quota: QUOTA, credentials: named(9) })],
  ['06:16', userChanged({ credentials: newPassword(10) }), by(alice)],
  ['06:16', userChanged({ _id: audrey, credentials: newPassword(11) }), by(audrey, 'auditor')],
  ['06:16', userRemoved(erased, 'cancel')],
  ['06:16', userErased(erased)],
  ['06:16', userRemoved('Zoë 😀')],
  ['06:17', userRemoved(dave, 'cancel')],
  ['06:17', userRemoved(bob, 'cancel')],
  ['06:17', token(1), by(alice)],
  ['06:17', token(2, { expires_at: '2030-05-02T06:18:00.000Z' })],
  ['06:17', token(3), by(alice)],
  ['06:17', revoked(3), by(alice)],
  ['06:17', token(4, { user_id: audrey, role: 'auditor' }), by(audrey, 'auditor')],
  ['06:17', token(6, { user_id: administrator._id }), by(administrator._id, 'tester')],
  ['06:17', token(7, { user_id: bob })],
  ['06:18', revoked(7, bob), BY_BERTH],
  ['06:18', revoked(6, administrator._id)],
  ['06:18', sessionEnded(idOfToken(20)), by(alice)],
  ['06:18', sessionEnded(idOfToken(20)), by(alice)],
]
