import type { DataOf, Event } from '../../../src/domain/event.ts'
import { alice, bob, sessionEnded, tokenIssued, tokenRevoked } from '../../domain/builders.ts'
import type { Entry } from '../verify/morning.ts'
import { BY_BERTH } from './unlawful-users.ts'

const idOf = (n: number): string => `0f5b3c2a91d84e7766aa${n.toString(16).padStart(4, '0')}`

/** The `n`th token, by default of Alice. */
export const token = (n: number, more: Partial<DataOf<'TokenIssued'>> = {}): Event =>
  tokenIssued({ _id: idOf(n), ...more })
export const revoked = (n: number, user_id?: string): Event => tokenRevoked(idOf(n), user_id)

const audrey = '590780914445534540190005'
const administrator = '590780914445534540190009'
const erased = '590780914445534540190004'
export const by = (actor: string, role: 'administrator' | 'tester' | 'auditor' = 'tester') => ({ actor, role })

/** Tokens after the users of unlawful-users.ts: two of Alice are good, one was revoked. */
export const TOKENS: readonly Entry[] = [
  ['06:17', token(1), by(alice)],
  ['06:17', token(2, { expires_at: '2030-05-02T06:18:00.000Z' })],
  ['06:17', token(3), by(alice)],
  ['06:17', revoked(3), by(alice)],
  ['06:17', token(4, { user_id: audrey, role: 'auditor' }), by(audrey, 'auditor')],
  ['06:17', token(5, { user_id: administrator, role: 'tester' })],
  ['06:17', token(6, { user_id: administrator, role: 'tester' }), by(administrator, 'tester')],
  ['06:17', token(7, { user_id: bob })],
  ['06:18', revoked(7, bob), BY_BERTH],
  ['06:18', revoked(6, administrator)],
  ['06:18', sessionEnded(idOf(20)), by(alice)],
  ['06:18', sessionEnded(idOf(20)), by(alice)],
  ['06:18', sessionEnded(idOf(21), audrey), by(audrey, 'auditor')],
]

/** Events that are invalid after these, and the finding for each. */
export const INVALID_TOKENS: readonly (readonly [what: string, entry: Entry, expected: RegExp])[] = [
  ['a token issued twice', ['06:20', token(1)], /issues the token .* a second time/],
  ['a token of another user issued again', ['06:20', token(4)], /issues the token .* a second time/],
  ['a revoked token issued again', ['06:20', token(3)], /issues the token .* a second time/],
  ['a token of an unknown user', ['06:20', token(8, { user_id: 'x' })], /of the user x, who is not present/],
  ['a token of a removed user', ['06:20', token(8, { user_id: bob })], /who is not present/],
  ['a token of an erased user', ['06:20', token(8, { user_id: erased })], /who is not present/],
  [
    'a token with the name of another',
    ['06:20', token(8, { credentials: { id: idOf(9), changed: [idOf(1)] } })],
    /with the name of another/,
  ],
  [
    'a token with two names',
    ['06:20', token(8, { credentials: { id: idOf(9), changed: [idOf(8), idOf(1)] } })],
    /with the name of another/,
  ],
  [
    'a token with a higher role than its issuer',
    ['06:20', token(8, { role: 'administrator' }), by(alice)],
    /with the role administrator, by a tester/,
  ],
  [
    'a token for metrics with the role of a tester',
    ['06:20', token(8, { token_scope: 'metrics' }), by(alice)],
    /issues a token for metrics with the role tester/,
  ],
  ['a token of another user by a tester', ['06:20', token(8), by(bob)], /is by the tester .* for the user/],
  ['a token of another user by an auditor', ['06:20', token(8), by(audrey, 'auditor')], /by an auditor/],
  ['a token issued by the service', ['06:20', token(8), BY_BERTH], /is a TokenIssued by a system/],
  ['a revocation of an unknown token', ['06:20', revoked(8)], /revokes the token .*, which the user .* does not have/],
  ['a second revocation', ['06:20', revoked(3)], /revokes the token .* a second time/],
  ['a revocation of the token of another', ['06:20', revoked(4)], /which the user .* does not have/],
  ['a revocation by another tester', ['06:20', revoked(1), by(bob)], /is by the tester .* for the user/],
  ['a revocation by another auditor', ['06:20', revoked(1), by(audrey, 'auditor')], /by an auditor/],
  ['the end of a session by another user', ['06:20', sessionEnded(idOf(22))], /ends the session .* of the user .*, by/],
  ['the end of a session by the service', ['06:20', sessionEnded(idOf(22)), BY_BERTH], /ends the session .*, by berth/],
  [
    'a revocation by another process',
    ['06:20', revoked(1), { ...BY_BERTH, actor: 'schedule' }],
    /is by the service under the name schedule/,
  ],
]
