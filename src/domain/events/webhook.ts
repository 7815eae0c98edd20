import type * as t from 'io-ts'
import { integer, listOf, matching, oneOf, opaqueId, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { WEBHOOKS_STREAM } from '../values/ids.ts'
import { Criteria } from './criteria.ts'
import { declare, inStream } from './declaration.ts'
import { assignedId } from './fields.ts'

/** The URL holds tokens of the receiver as often as not. The former secret signs for a day beside the one after it. */
export const WEBHOOK_SECRET_FIELDS = ['former_secret', 'secret', 'url'] as const
export type WebhookSecretField = (typeof WEBHOOK_SECRET_FIELDS)[number]

/** Secrets that changed together. The random id identifies them in the vault, where the owner is `webhook:<_id>`. */
const Credentials = closed(
  'WebhookCredentials',
  { id: assignedId, changed: listOf(oneOf(...WEBHOOK_SECRET_FIELDS)) },
  {},
)
export type WebhookCredentials = t.TypeOf<typeof Credentials>

const eventType = matching('event type', /^[A-Z][A-Za-z]{0,63}$/, 'must be the name of an event')

/** Which events are delivered. An absent member does not filter. */
export const WebhookFilter = closed(
  'WebhookFilter',
  {},
  { types: listOf(eventType), sut_id: opaqueId, user_id: opaqueId, match: Criteria },
)
export type WebhookFilter = t.TypeOf<typeof WebhookFilter>

export const webhookDescription = text(0, 256, { lines: true })

/** Why a delivery failed. With `status` the receiver has answered, with something other than 2xx. */
export const DELIVERY_CAUSES = [
  ...(['status', 'timed_out', 'refused', 'reset', 'unreachable', 'unknown_host', 'tls', 'not_http'] as const),
  'forbidden_address',
] as const
export const DeliveryFailure = closed(
  'DeliveryFailure',
  { cause: oneOf(...DELIVERY_CAUSES) },
  { status: integer(100, 999) },
)
export type DeliveryFailure = t.TypeOf<typeof DeliveryFailure>

/** A public position; -1 is before the first event. */
const position = integer(-1, Number.MAX_SAFE_INTEGER)
/** Of the service that delivers. */
const instance = matching('instance', /^[0-9a-f]{16}$/, 'must be 16 lower-case hex digits')

const ofWebhook = { isIn: inStream(WEBHOOKS_STREAM), by: ['users'] } as const

/** These events are not delivered themselves: each delivery would cause another. */
export const webhookEvents = {
  /** Events after `position` are delivered, by the instance that was asked. */
  WebhookCreated: declare({
    ...ofWebhook,
    assigns: true,
    members: { _id: assignedId, filter: WebhookFilter, position, instance, credentials: Credentials },
    optional: { description: webhookDescription },
    creates: true,
    guide:
      'a [webhook](webhooks.md) is created | `filter`, `position` (events after it are delivered), `instance`, `credentials`, and `description` if it has one',
  }),
  /** Contains only what changed. */
  WebhookUpdated: declare({
    ...ofWebhook,
    members: { _id: assignedId },
    optional: { filter: WebhookFilter, description: webhookDescription, credentials: Credentials },
    guide: 'a webhook gets another URL, filter or description | only what changed',
  }),
  WebhookSecretReplaced: declare({
    ...ofWebhook,
    members: { _id: assignedId, credentials: Credentials },
    guide: 'a webhook gets another [secret](webhooks.md#the-signature) | `credentials`',
  }),
  WebhookEnabled: declare({
    ...ofWebhook,
    members: { _id: assignedId },
    guide: 'a webhook that was disabled goes on | ',
  }),
  /** The event at `position` could not be delivered, as often as it was tried. */
  WebhookDisabled: declare({
    ...ofWebhook,
    members: { _id: assignedId, position, failure: DeliveryFailure },
    by: ['berth'],
    guide:
      'an event could not be delivered at the last attempt | `position`, that of the event, and `failure`: its `cause`, and the `status` that the receiver answered',
  }),
  WebhookReplayed: declare({
    ...ofWebhook,
    members: { _id: assignedId, position, instance },
    guide: 'a webhook goes back, or ahead, to another position | `position`, `instance`',
  }),
  /** Everything up to `position` that the webhook wants was delivered. The instance goes on with what follows. */
  WebhookAdvanced: declare({
    ...ofWebhook,
    members: { _id: assignedId, position, instance },
    by: ['berth'],
    guide:
      'events were delivered, at most every 10 s | `position`, up to which all were, and `instance`, which delivers',
  }),
  /** With `cause` the receiver asked for it. The secrets are deleted. */
  WebhookRemoved: declare({
    ...ofWebhook,
    members: { _id: assignedId },
    optional: { cause: oneOf('gone') },
    by: ['users', 'berth'],
    guide: 'a webhook is removed | `cause`, `gone`, if its receiver answered 410',
  }),
} as const
