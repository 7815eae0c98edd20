/** What requests about webhooks say. */

import * as E from 'fp-ts/lib/Either.js'
import { opaqueId, orNull, rowsOf, scalar } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { DELIVERED_TYPES } from '../../../domain/event.ts'
import { AskedCriteria } from '../../../domain/events/criteria.ts'
import { type WebhookFilter, webhookDescription } from '../../../domain/events/webhook.ts'
import { bodyProblem } from '../../../domain/failure.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { makeId, WEBHOOKS_STREAM } from '../../../domain/values/ids.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { BEFORE_FIRST, type PublicPosition } from '../../../domain/values/position.ts'
import { FORMER_SECRET_MS, findWebhook, type WebhookCommand, webhookDecider } from '../../../domain/webhook/decide.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { afterParameter, eventTypeOf, LATEST } from '../../codecs/lists.ts'
import { type Call, envelopeOf, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import type { Code, Refusal } from '../../protocol/problem.ts'
import { administrators, post, type Route, refTo } from '../../protocol/route.ts'
import { notFound } from '../../response/visibility.ts'
import { reachPosition } from '../events.ts'
import type { Parts } from '../parts.ts'
import { readWebhookState, shownAttempt, shownWebhook } from './webhook-reads.ts'

const URL_LENGTH_MAX = 2_048

/** Where it leads is judged when something is sent there. A fragment would never be sent. */
const isReceiver = (u: unknown): u is string => {
  if (typeof u !== 'string' || u.length > URL_LENGTH_MAX || !/^https?:\/\/[!-~]+$/.test(u)) return false
  return !u.includes('#') && URL.canParse(u)
}
const url = scalar('url', isReceiver, 'must be a URL that begins with https:// or http://, without a fragment', () => ({
  ...{ type: 'string', format: 'uri', pattern: '^https?://[!-~]+$', maxLength: URL_LENGTH_MAX },
}))

const types = rowsOf(eventTypeOf(DELIVERED_TYPES), DELIVERED_TYPES.length, 'types of events')

const readOnly = ['_id', 'secret', 'enabled', 'position', 'created_at', 'updated_at']
const narrowing = { types, sut_id: opaqueId, user_id: opaqueId, match: AskedCriteria }

const webhookCreation = bodyOf(
  closed('WebhookRequest', { url }, { ...narrowing, description: webhookDescription, after: orNull(afterParameter) }),
  { readOnly },
)
const webhookChange = bodyOf(
  closed(
    'WebhookChange',
    {},
    {
      ...{ url, types: orNull(types), sut_id: orNull(opaqueId), user_id: orNull(opaqueId) },
      ...{ match: orNull(AskedCriteria), description: webhookDescription },
    },
  ),
  { readOnly },
)
const webhookReplay = bodyOf(closed('WebhookReplay', { after: orNull(afterParameter) }, {}))

type Narrowing = { readonly [K in keyof WebhookFilter]?: WebhookFilter[K] | null }

/** The filter of a body. Members that it lacks are left out. */
const filterIn = <N extends Narrowing>({ types, sut_id, user_id, match }: N) => ({
  ...(types !== undefined && { types: types && [...new Set(types)] }),
  ...(sut_id !== undefined && { sut_id }),
  ...(user_id !== undefined && { user_id }),
  ...(match !== undefined && { match }),
})

const SECRET_BYTES = 32

/** As Standard Webhooks write it. */
const makeSecret = ({ randomBytes }: Parts): string =>
  `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`

/** The position after which to deliver: null is before the first event, and by default the end of the log. */
const findStart = async (
  parts: Parts,
  after: PublicPosition | typeof LATEST | null = LATEST,
): Promise<E.Either<Refusal, PublicPosition>> =>
  after === null ? E.right(BEFORE_FIRST) : reachPosition(parts, after, { in: 'body', path: ['after'] })

/** Refuses a filter by a SUT or user that there never was: nothing would come. Retired and removed ones have a past. */
const refuseUnknown = async (
  { objects }: Parts,
  { sut_id, user_id }: BodyOf<typeof webhookChange>,
): Promise<E.Either<Refusal, never> | undefined> => {
  for (const [kind, id] of [['sut', sut_id] as const, ['user', user_id] as const]) {
    if (id === undefined || id === null) continue
    const object = await objects.newest(kind, id)
    if (E.isLeft(object)) return object
    const problems = [bodyProblem('invalid', `${kind}_id`, `is not the id of a ${kind === 'sut' ? 'SUT' : 'user'}`)]
    if (object.right === undefined) return E.left({ ...notFound(kind), problems })
  }
  return undefined
}

type Command = Exclude<WebhookCommand, { readonly type: 'AdvanceWebhook' | 'DisableWebhook' }>

/** Runs a command on a webhook, and shows it as of its end. `once` is shown unless the request is repeated. */
const run = async (
  parts: Parts,
  call: Call,
  command: Command,
  { secrets, once = {} }: { readonly secrets?: readonly SealedSecret[]; readonly once?: object } = {},
): RouteResult => {
  const { runner, views } = parts
  const result = await runner.run(webhookDecider, WEBHOOKS_STREAM, { ...envelopeOf(call), command, secrets })
  if (E.isLeft(result)) return result
  const { kind, state, storePosition } = result.right
  const isCreation = command.type === 'CreateWebhook'
  const _id = isCreation ? command.webhook._id : command._id
  const id = kind === 'repeated' ? result.right.id : _id
  const webhook = findWebhook(state, id)
  const isReached = await views.waitForStorePosition(storePosition)
  const shown = webhook === undefined ? { _id: id } : shownWebhook(parts, webhook)
  return E.right({
    status: isCreation ? 201 : 200,
    body: JSON.stringify({ ...shown, ...(kind !== 'repeated' && once) }),
    ...(isReached && views.position() >= 0 && { position: views.position() }),
    headers: { ...(isCreation && { Location: `/api/webhook/${id}` }), ...NO_STORE },
  })
}

const create = async (parts: Parts, call: Call<BodyOf<typeof webhookCreation>>): RouteResult => {
  const { vault, clock, randomHex, instance } = parts
  const { url, description, after, ...narrowing } = call.body
  const unknown = await refuseUnknown(parts, narrowing)
  if (unknown !== undefined) return unknown
  const position = await findStart(parts, after)
  if (E.isLeft(position)) return position
  const [_id, secret] = [makeId(clock(), randomHex(8)), makeSecret(parts)]
  const { credentials, secrets } = vault.sealWebhook(_id, { url, secret })
  // Nothing of it is null.
  const filter = filterIn(narrowing) as WebhookFilter
  const webhook = { _id, filter, position: position.right, instance, credentials, ...(description && { description }) }
  return run(parts, call, { type: 'CreateWebhook', webhook }, { secrets, once: { secret } })
}

const update = async (parts: Parts, call: Call<BodyOf<typeof webhookChange>>): RouteResult => {
  const { url, description, ...narrowing } = call.body
  const unknown = await refuseUnknown(parts, narrowing)
  if (unknown !== undefined) return unknown
  const sealed = url === undefined ? undefined : parts.vault.sealWebhook(call.id, { url })
  const changed = {
    ...{ _id: call.id, filter: filterIn(narrowing) },
    ...(description !== undefined && { description }),
    ...(sealed && { credentials: sealed.credentials }),
  }
  return run(parts, call, { type: 'UpdateWebhook', ...changed }, sealed && { secrets: sealed.secrets })
}

const replaceSecret = async (parts: Parts, call: Call): RouteResult => {
  const { vault, clock } = parts
  const _id = call.id
  const { secret: former } = await vault.readWebhook(_id)
  const secret = makeSecret(parts)
  // One that cannot be opened signs nothing any more.
  const { credentials, secrets } = vault.sealWebhook(_id, { secret, former_secret: former?.clear })
  const command = { type: 'ReplaceWebhookSecret', _id, credentials, replaces: former?.id ?? '' } as const
  const former_until = former?.clear === undefined ? null : formatMilliseconds(clock() + FORMER_SECRET_MS)
  return run(parts, call, command, { secrets, once: { secret, former_until } })
}

const goBack = async (parts: Parts, call: Call<BodyOf<typeof webhookReplay>>): RouteResult => {
  const position = await findStart(parts, call.body.after)
  if (E.isLeft(position)) return position
  const { instance } = parts
  return run(parts, call, { type: 'ReplayWebhook', _id: call.id, position: position.right, instance })
}

const sendTest = async (parts: Parts, { id, request }: Call): RouteResult => {
  const webhook = await readWebhookState(parts, id)
  if (E.isLeft(webhook)) return webhook
  const left = new AbortController()
  request.socket.once('close', () => left.abort())
  const attempt = await parts.webhooks.test(webhook.right, left.signal)
  return E.right({ status: 200, body: JSON.stringify(shownAttempt(attempt)) })
}

const FOUND = ['webhook_not_found'] as const
const OF_FILTER: readonly Code[] = ['sut_not_found', 'user_not_found']

export const webhookChanges: readonly Route<Parts>[] = [
  post('/api/webhook/create', {
    id: 'createWebhook',
    summary: 'Create a webhook, which is sent the events of the log',
    description:
      'From the end of the log on, or after a position. The secret, by which a receiver knows that an event is from here, is shown in this answer only.',
    roles: administrators,
    body: webhookCreation,
    answer: refTo('NewWebhook'),
    isCreation: true,
    refusals: ['too_many_webhooks', 'position_not_reached', ...OF_FILTER],
    handler: create,
  }),
  post('/api/webhook/:id/update', {
    id: 'updateWebhook',
    summary: 'Change the URL, the filter or the description of a webhook',
    description: 'A member that is null no longer filters; one that is left out stays as it is.',
    roles: administrators,
    body: webhookChange,
    answer: refTo('Webhook'),
    refusals: [...FOUND, ...OF_FILTER],
    handler: update,
  }),
  post('/api/webhook/:id/secret', {
    id: 'replaceWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description: 'The new one is shown in this answer only. It and the one before it sign for 24 hours.',
    roles: administrators,
    ...withoutBody,
    answer: refTo('NewWebhook'),
    refusals: [...FOUND, 'stale'],
    handler: replaceSecret,
  }),
  post('/api/webhook/:id/enable', {
    id: 'enableWebhook',
    summary: 'Let a webhook that was disabled go on where it stopped',
    roles: administrators,
    ...withoutBody,
    answer: refTo('Webhook'),
    refusals: FOUND,
    handler: (parts, call) => run(parts, call, { type: 'EnableWebhook', _id: call.id }),
  }),
  post('/api/webhook/:id/replay', {
    id: 'replayWebhook',
    summary: 'Send the events after a position, again if they were sent',
    description: '`null` is the beginning of the log, `latest` its end: what lies before is then skipped.',
    roles: administrators,
    body: webhookReplay,
    answer: refTo('Webhook'),
    refusals: [...FOUND, 'position_not_reached'],
    handler: goBack,
  }),
  post('/api/webhook/:id/test', {
    id: 'testWebhook',
    summary: 'Send a webhook one berth.Test, and see what comes of it',
    description: 'It is signed as every event, and is in no log. It is sent once, also while the webhook is disabled.',
    roles: administrators,
    ignoresRetryKey: true,
    ...withoutBody,
    answer: refTo('Delivery'),
    refusals: FOUND,
    handler: sendTest,
  }),
  post('/api/webhook/:id/remove', {
    id: 'removeWebhook',
    summary: 'Remove a webhook',
    description: 'Nothing more is sent. Its URL and its secret are deleted.',
    roles: administrators,
    ...withoutBody,
    answer: refTo('WebhookRemoval'),
    refusals: FOUND,
    handler: (parts, call) => run(parts, call, { type: 'RemoveWebhook', _id: call.id }),
  }),
]
