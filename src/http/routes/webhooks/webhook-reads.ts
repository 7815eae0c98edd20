import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../../../domain/failure.ts'
import { WEBHOOKS_STREAM } from '../../../domain/values/ids.ts'
import { formatPosition, type PublicPosition } from '../../../domain/values/position.ts'
import { findWebhook, type WebhookState, webhookDecider } from '../../../domain/webhook/decide.ts'
import type { DeliveryAttempt } from '../../../processes/webhooks/attempts.ts'
import { LIMIT_DEFAULT, type Paging, pageQuery } from '../../codecs/lists.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import { get, overseers, type Route, refTo } from '../../protocol/route.ts'
import { entriesAfter, listResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'

const shownPosition = (position: PublicPosition): string | null => (position < 0 ? null : formatPosition(position))

export const shownAttempt = ({ position, ...attempt }: DeliveryAttempt) => ({
  event: attempt.event,
  type: attempt.type,
  position: position === null ? null : shownPosition(position),
  attempted_at: attempt.attempted_at,
  attempt: attempt.attempt,
  milliseconds: attempt.milliseconds,
  status: attempt.status,
  cause: attempt.cause,
})

/** The failure that it was disabled for, or the last that this instance has seen since it took something. */
const lastFailureOf = ({ webhooks }: Parts, webhook: WebhookState) => {
  const [{ disabled }, last] = [webhook, webhooks.lastFailureOf(webhook)]
  if (disabled !== null)
    return { at: disabled.at, cause: disabled.failure.cause, status: disabled.failure.status ?? null }
  return last === undefined ? null : { at: last.attempted_at, cause: last.cause, status: last.status }
}

/** Without its URL and secret, which only the vault has. */
export const shownWebhook = (parts: Parts, webhook: WebhookState) => {
  const { _id, description, filter, disabled, created_at, updated_at } = webhook
  const { types = null, sut_id = null, user_id = null, match = null } = filter
  const position = parts.webhooks.positionOf(webhook)
  return {
    ...{ _id, description, types, sut_id, user_id, match },
    ...{ enabled: disabled === null, position: shownPosition(position) },
    lag: Math.max(0, parts.views.position() - position),
    ...{ last_failure: lastFailureOf(parts, webhook), created_at, updated_at },
  }
}

const NOT_FOUND = failure('webhook_not_found', 'No webhook has this id.')

export const readWebhookState = async ({ runner }: Parts, id: string) => {
  const webhook = await runner.inspect(webhookDecider, WEBHOOKS_STREAM, (state) => findWebhook(state, id))
  return E.fromNullable(NOT_FOUND)(webhook)
}

const list = async (parts: Parts, { query }: Call<unknown, Paging>): RouteResult => {
  const { limit = LIMIT_DEFAULT, offset = 0, before } = query
  const all = await parts.runner.inspect(webhookDecider, WEBHOOKS_STREAM, ({ webhooks }) => webhooks)
  const entries = entriesAfter(all.toReversed(), 'webhook', before)
  if (E.isLeft(entries)) return entries
  const page = entries.right.slice(offset, offset + limit)
  const documents = page.map((webhook) => JSON.stringify(shownWebhook(parts, webhook)))
  return E.right(listResponse('webhooks', query, { documents, count: all.length }))
}

const read = async (parts: Parts, { id }: Call): RouteResult => {
  const webhook = await readWebhookState(parts, id)
  if (E.isLeft(webhook)) return webhook
  return E.right({ status: 200, body: JSON.stringify(shownWebhook(parts, webhook.right)) })
}

const listDeliveries = async (parts: Parts, { id }: Call): RouteResult => {
  const webhook = await readWebhookState(parts, id)
  if (E.isLeft(webhook)) return webhook
  const deliveries = parts.webhooks.attemptsOf(id).map(shownAttempt)
  return E.right({ status: 200, body: JSON.stringify({ deliveries }) })
}

export const webhookReads: readonly Route<Parts>[] = [
  get('/api/webhook', {
    id: 'listWebhooks',
    summary: 'List the webhooks, newest first',
    description: 'Their URLs and secrets are in no answer.',
    roles: overseers,
    query: pageQuery,
    answer: refTo('WebhookList'),
    handler: list,
  }),
  get('/api/webhook/:id', {
    id: 'readWebhook',
    summary: 'Read a webhook',
    description: 'With up to where it was delivered, how many events of the log lie after that, and the last failure.',
    roles: overseers,
    answer: refTo('Webhook'),
    refusals: ['webhook_not_found'],
    handler: read,
  }),
  get('/api/webhook/:id/deliveries', {
    id: 'listDeliveries',
    summary: 'List the last 100 attempts of a webhook, newest first',
    description: 'Those of this instance since its start. They are kept in memory.',
    roles: overseers,
    answer: refTo('DeliveryList'),
    refusals: ['webhook_not_found'],
    handler: listDeliveries,
  }),
]
