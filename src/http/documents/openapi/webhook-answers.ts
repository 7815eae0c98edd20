import { boolean, integer, matching, oneOf, orNull, text } from '../../../domain/codec/codec.ts'
import { closedSchema, type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { assignedId, recordedTime, whole } from '../../../domain/events/fields.ts'
import { DELIVERY_CAUSES, WebhookFilter, webhookDescription } from '../../../domain/events/webhook.ts'
import { refTo } from '../../protocol/route.ts'

const time = { ...schemaOf(recordedTime), format: 'date-time' }
const nullable = (schema: object): JsonSchema => ({ anyOf: [schemaOf(schema), { type: 'null' }] })
const position: JsonSchema = { type: ['string', 'null'], pattern: '^[0-9]{20}$' }
/** Null of an answer that did not come. */
const status = orNull(integer(100, 999))

const filter = schemaOf(WebhookFilter).properties as Readonly<Record<string, JsonSchema>>
const webhook = {
  ...{ _id: assignedId, description: webhookDescription },
  ...Object.fromEntries(Object.entries(filter).map(([name, schema]) => [name, nullable(schema)])),
  ...{ enabled: boolean, position, lag: whole },
  last_failure: nullable(closedSchema({ at: time, cause: oneOf(...DELIVERY_CAUSES), status })),
  ...{ created_at: time, updated_at: time },
}
const secret = matching('secret', /^whsec_[A-Za-z0-9+/]{43}=$/, '')
const delivery = {
  ...{ event: text(1, 64), type: text(1, 70), position, attempted_at: time, attempt: integer(1, 8) },
  ...{ milliseconds: whole, status, cause: orNull(oneOf(...DELIVERY_CAUSES)) },
}

/** Schemas of answers about webhooks, by component name. */
export const webhookAnswers: Readonly<Record<string, JsonSchema>> = {
  Webhook: closedSchema(webhook),
  NewWebhook: closedSchema(webhook, { secret, former_until: nullable(time) }),
  WebhookRemoval: closedSchema({ _id: assignedId }),
  Delivery: closedSchema(delivery),
  DeliveryList: closedSchema({ deliveries: { type: 'array', items: refTo('Delivery'), maxItems: 100 } }),
}
