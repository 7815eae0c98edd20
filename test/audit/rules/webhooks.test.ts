/** Each event of webhooks is decided again. */

import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { alice } from '../../domain/builders.ts'
import { BY_BERTH, type Entry, findingsIn, findsLast, idAt, MORNING } from './morning.ts'

const HOOK = idAt('06:10', 77)
const ONE = '0123456789abcdef'
const about = (type: Event['type'], more: object = {}): Event => ({ type, data: { _id: HOOK, ...more } }) as Event
const secrets = (...changed: readonly string[]) => ({ credentials: { id: idAt('06:10', 78), changed } })
const created = about('WebhookCreated', { filter: {}, position: 3, instance: ONE, ...secrets('secret', 'url') })
const advanced = (position: number) => about('WebhookAdvanced', { position, instance: ONE })
const disabled = about('WebhookDisabled', { position: 7, failure: { cause: 'timed_out' } })

const LAWFUL: readonly Entry[] = [
  ['06:10', created],
  ['06:11', about('WebhookUpdated', { filter: { types: ['SutCreated'], sut_id: 'x' } })],
  ['06:12', about('WebhookUpdated', { filter: { types: ['SutCreated'] }, description: 'a', ...secrets('url') })],
  ['06:13', about('WebhookSecretReplaced', secrets('former_secret', 'secret'))],
  ['06:14', advanced(6)],
  ['06:15', disabled],
  ['06:16', about('WebhookEnabled')],
  ['06:17', about('WebhookReplayed', { position: 2, instance: ONE })],
  ['06:18', advanced(4)],
]

test('what becomes of a webhook is lawful', async (t) => {
  t.deepEqual(
    await findingsIn([...MORNING, ...LAWFUL, ['06:20', about('WebhookRemoved', { cause: 'gone' }), BY_BERTH]]),
    [],
  )
})

const ROWS: readonly (readonly [what: string, event: Event, expected: RegExp, more?: Entry[2]])[] = [
  ['a webhook created twice', created, /assigned before/],
  ['a webhook created by the service', created, /is a WebhookCreated by a system/, BY_BERTH],
  [
    'a webhook updated by a tester',
    about('WebhookUpdated', { description: 'b' }),
    /by a tester/,
    { actor: alice, role: 'tester' },
  ],
  ['an empty update', about('WebhookUpdated'), /WebhookUpdated without an effect/],
  ['an update to what it was', about('WebhookUpdated', { description: 'a' }), /WebhookUpdated without an effect/],
  ['a webhook enabled that is not disabled', about('WebhookEnabled'), /WebhookEnabled without an effect/],
  ['progress that goes back', advanced(4), /WebhookAdvanced without an effect/],
  ['progress that a user reports', advanced(9), /is a WebhookAdvanced by a/, { actor: alice, role: 'administrator' }],
  [
    'a secret of an unknown webhook',
    { ...about('WebhookSecretReplaced'), data: { _id: idAt('06:00', 1), ...secrets('secret') } } as Event,
    /webhook_not_found/,
  ],
  [
    'an unknown webhook removed',
    { type: 'WebhookRemoved', data: { _id: idAt('06:00', 1) } },
    /refused, webhook_not_found/,
  ],
  [
    'an unknown webhook that goes back',
    { type: 'WebhookReplayed', data: { _id: idAt('06:00', 1), position: 1, instance: ONE } },
    /refused, webhook_not_found/,
  ],
  [
    'an unknown webhook disabled',
    { ...disabled, data: { ...disabled.data, _id: idAt('06:00', 1) } } as Event,
    /WebhookDisabled without an effect/,
  ],
]

for (const [what, event, expected, more] of ROWS)
  test(`verify finds ${what}`, (t) => findsLast(t, expected, [...MORNING, ...LAWFUL, ['06:20', event, more ?? {}]]))
