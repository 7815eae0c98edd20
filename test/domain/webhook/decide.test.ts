import test from 'ava'
import type { DataOf, Event } from '../../../src/domain/event.ts'
import { WEBHOOKS_MAX, type WebhookCommand, webhookDecider } from '../../../src/domain/webhook/decide.ts'
import { at, decided, type Past, records, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(webhookDecider)

const idOf = (n: number): string => n.toString(16).padStart(24, '0')
const [ONE, OTHER] = ['0123456789abcdef', 'fedcba9876543210']
const secrets = (n: number, ...changed: readonly string[]) =>
  ({ id: idOf(n), changed }) as DataOf<'WebhookSecretReplaced'>['credentials']
const about = (type: Event['type'], more: object = {}, n = 1): Event =>
  ({ type, data: { _id: idOf(n), ...more } }) as Event
const to = (type: WebhookCommand['type'], more: object = {}, n = 1) =>
  ({ type, _id: idOf(n), ...more }) as WebhookCommand

const made = (n: number, more: object = {}): DataOf<'WebhookCreated'> => ({
  ...{ _id: idOf(n), filter: {}, position: 10, instance: ONE, credentials: secrets(100 + n, 'secret', 'url'), ...more },
})
const created = (more: object = {}, n = 1): Past => at('05:00', { type: 'WebhookCreated', data: made(n, more) })
const advance = (position: number, begun: number, instance = ONE) => to('AdvanceWebhook', { position, begun, instance })
const FAILURE = { cause: 'status', status: 503 }
const disabled = at('06:00', about('WebhookDisabled', { position: 11, failure: FAILURE }))

test('a webhook is created with what the command brings, up to the limit', (t) => {
  t.deepEqual(
    given().when({ type: 'CreateWebhook', webhook: made(1) }, '05:00'),
    records({ type: 'WebhookCreated', data: made(1) }),
  )
  const all = Array.from({ length: WEBHOOKS_MAX }, (_, n) => created({}, n + 1))
  t.deepEqual(whyRefused(given(...all).when({ type: 'CreateWebhook', webhook: made(500) }, '06:00')), [
    'too_many_webhooks',
  ])
  const one = given(...all, at('05:30', about('WebhookRemoved'))).when(
    { type: 'CreateWebhook', webhook: made(500) },
    '06:00',
  )
  t.is(decided(one).type, 'WebhookCreated')
})

test('an update records what changed: null removes from the filter, what is left out stays', (t) => {
  const past = created({ filter: { types: ['SutCreated'], sut_id: 'a' }, description: 'old' })
  const update = (more: object) => given(past).when(to('UpdateWebhook', more), '06:00')
  t.deepEqual(update({ filter: { types: ['SutCreated'] }, description: 'old' }), records())
  t.deepEqual(
    update({ filter: { sut_id: null } }),
    records(about('WebhookUpdated', { filter: { types: ['SutCreated'] } })),
  )
  t.deepEqual(
    update({ filter: { user_id: 'b' }, description: '' }),
    records(about('WebhookUpdated', { filter: { types: ['SutCreated'], sut_id: 'a', user_id: 'b' }, description: '' })),
  )
  const credentials = secrets(7, 'url')
  t.deepEqual(update({ credentials }), records(about('WebhookUpdated', { credentials })))
})

test('a secret is replaced unless another one took its place meanwhile', (t) => {
  const replace = (replaces: string) =>
    to('ReplaceWebhookSecret', { replaces, credentials: secrets(8, 'former_secret', 'secret') })
  const replaced = about('WebhookSecretReplaced', { credentials: secrets(8, 'former_secret', 'secret') })
  t.deepEqual(given(created()).when(replace(idOf(101)), '06:00'), records(replaced))
  t.deepEqual(whyRefused(given(created(), at('05:30', replaced)).when(replace(idOf(101)), '06:00')), ['stale'])
  t.is(decided(given(created(), at('05:30', replaced)).when(replace(idOf(8)), '06:00')).type, 'WebhookSecretReplaced')
})

test('progress is recorded once, whoever reports it, and never backwards', (t) => {
  t.deepEqual(
    given(created()).when(advance(12, 0, OTHER), '06:00'),
    records(about('WebhookAdvanced', { position: 12, instance: OTHER })),
  )
  t.deepEqual(given(created()).when(advance(10, 0), '06:00'), records())
  const advanced = at('06:00', about('WebhookAdvanced', { position: 12, instance: OTHER }))
  t.deepEqual(given(created(), advanced).when(advance(12, 0), '06:10'), records())
  t.like(given(created(), advanced).state.webhooks[0], { position: 12, instance: OTHER, begun: 0 })
})

test('what was delivered before a replay does not undo it', (t) => {
  const replayed = at('06:00', about('WebhookReplayed', { position: 3, instance: OTHER }))
  t.deepEqual(given(created(), replayed).when(advance(12, 0), '06:01'), records())
  t.is(decided(given(created(), replayed).when(advance(4, 1), '06:01')).type, 'WebhookAdvanced')
})

test('a webhook is disabled once with the failure, and goes on where it stopped when it is enabled', (t) => {
  const disable = (begun: number) => to('DisableWebhook', { position: 11, failure: FAILURE, begun })
  t.deepEqual(
    given(created()).when(disable(0), '06:00'),
    records(about('WebhookDisabled', { position: 11, failure: FAILURE }) as never),
  )
  t.deepEqual(given(created(), disabled).when(disable(0), '06:01'), records())
  t.deepEqual(given(created(), disabled).when(advance(12, 0), '06:01'), records())
  const enabled = at('07:00', about('WebhookEnabled'))
  t.deepEqual(given(created(), disabled).when(to('EnableWebhook'), '07:00'), records(about('WebhookEnabled')))
  t.deepEqual(given(created(), disabled, enabled).when(to('EnableWebhook'), '07:01'), records())
  t.deepEqual(given(created(), disabled, enabled).when(disable(0), '07:01'), records())
  t.like(given(created(), disabled, enabled).state.webhooks[0], { disabled: null, position: 10, begun: 2 })
})

test('a webhook that was removed is unknown, to deliveries that were under way without a refusal', (t) => {
  const past = [created(), at('06:00', about('WebhookRemoved', { cause: 'gone' }))]
  for (const type of [
    'UpdateWebhook',
    'EnableWebhook',
    'RemoveWebhook',
    'ReplaceWebhookSecret',
    'ReplayWebhook',
  ] as const)
    t.deepEqual(whyRefused(given(...past).when(to(type), '06:01')), ['webhook_not_found'], type)
  t.deepEqual(given(...past).when(advance(12, 0), '06:01'), records())
  t.deepEqual(given(...past).state.removed, [idOf(1)])
})
