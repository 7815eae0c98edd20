import * as E from 'fp-ts/lib/Either.js'
import { type CommandsOf, type Decision, makeDecider, type StreamState } from '../decider.ts'
import type { DataOf, Recorded } from '../event.ts'
import type { DeliveryFailure, WebhookCredentials, WebhookFilter } from '../events/webhook.ts'
import { refuse } from '../failure.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { UnixMilliseconds } from '../values/units.ts'

/** A webhook that has not been removed. */
export interface WebhookState {
  readonly _id: string
  readonly created_at: string
  readonly updated_at: string
  readonly description: string
  readonly filter: WebhookFilter
  /** The ids of the changes by which the vault has them. */
  readonly url: string
  readonly secret: string
  /** When the secret took the place of another; 0 if it did not. */
  readonly replacedAt: UnixMilliseconds
  /** Null while it is enabled. */
  readonly disabled: { readonly at: string; readonly failure: DeliveryFailure } | null
  /** Everything up to this position was delivered, as far as recorded. */
  readonly position: number
  readonly instance: string
  /** The revision at which it was told where to go on. Progress from before that does not count. */
  readonly begun: number
}

export interface WebhooksState extends StreamState {
  /** Oldest first. */
  readonly webhooks: readonly WebhookState[]
  /** The last that were removed, whose secrets are to be deleted. */
  readonly removed: readonly string[]
}

export const WEBHOOKS_MAX = 100
const REMOVED_MAX = 100

/** For how long a secret that was replaced still signs. */
export const FORMER_SECRET_MS = 86_400_000

export const findWebhook = ({ webhooks }: WebhooksState, id: string): WebhookState | undefined =>
  webhooks.find(({ _id }) => _id === id)

const changeOf = (
  webhook: WebhookState,
  event: Recorded,
  time: UnixMilliseconds,
): Partial<WebhookState> | undefined => {
  const { metadata, revision } = event
  const at = { updated_at: metadata.time }
  switch (event.type) {
    case 'WebhookUpdated': {
      const { filter = webhook.filter, description = webhook.description, credentials } = event.data
      return { ...at, filter, description, ...(credentials && { url: credentials.id }) }
    }
    case 'WebhookSecretReplaced':
      return { ...at, secret: event.data.credentials.id, replacedAt: time }
    case 'WebhookEnabled':
      return { ...at, disabled: null, begun: revision }
    case 'WebhookDisabled':
      return { ...at, disabled: { at: metadata.time, failure: event.data.failure } }
    case 'WebhookReplayed':
      return { ...at, position: event.data.position, instance: event.data.instance, begun: revision }
    case 'WebhookAdvanced':
      return { position: event.data.position, instance: event.data.instance }
    default:
      return undefined
  }
}

const fold = (state: WebhooksState, event: Recorded, time: UnixMilliseconds): WebhooksState => {
  const { webhooks, removed } = state
  const { type, data, metadata, revision } = event
  if (type === 'WebhookCreated') {
    const { _id, filter, position, instance, description = '', credentials } = data
    const at = { created_at: metadata.time, updated_at: metadata.time }
    const secrets = { url: credentials.id, secret: credentials.id, replacedAt: 0 }
    const created = { _id, ...at, description, filter, ...secrets, disabled: null, position, instance, begun: revision }
    return { ...state, webhooks: [...webhooks, created] }
  }
  if (type === 'WebhookRemoved') {
    const others = webhooks.filter(({ _id }) => _id !== data._id)
    return { ...state, webhooks: others, removed: [...removed.slice(1 - REMOVED_MAX), data._id] }
  }
  const change = (webhook: WebhookState): WebhookState =>
    '_id' in data && webhook._id === data._id ? { ...webhook, ...changeOf(webhook, event, time) } : webhook
  return { ...state, webhooks: webhooks.map(change) }
}

/** Members that are null no longer filter; those that are left out stay. */
export type FilterChange = { readonly [K in keyof WebhookFilter]?: WebhookFilter[K] | null }

interface OfWebhook {
  readonly _id: string
}

const NOTHING: Decision = E.right([])

const onWebhook =
  <C extends OfWebhook>(rule: (webhook: WebhookState, command: C) => Decision) =>
  (state: WebhooksState, command: C): Decision => {
    const webhook = findWebhook(state, command._id)
    return webhook === undefined ? refuse('webhook_not_found', 'No webhook has this id.') : rule(webhook, command)
  }

const changedFilter = (filter: WebhookFilter, change: FilterChange): WebhookFilter =>
  Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value !== null))

interface Update extends OfWebhook {
  readonly filter?: FilterChange
  readonly description?: string
  readonly credentials?: WebhookCredentials
}

const update = (webhook: WebhookState, { _id, filter: change = {}, description, credentials }: Update): Decision => {
  const filter = changedFilter(webhook.filter, change)
  const changed = {
    ...(canonicalJson(filter) !== canonicalJson(webhook.filter) && { filter }),
    ...(description !== undefined && description !== webhook.description && { description }),
    ...(credentials && { credentials }),
  }
  return Object.keys(changed).length === 0 ? NOTHING : E.right([{ type: 'WebhookUpdated', data: { _id, ...changed } }])
}

/** What a delivery found out, since the webhook was told where to begin. */
interface Progress extends OfWebhook {
  readonly position: number
  readonly begun: number
}

/** What was found out does not count once the webhook is removed, disabled, or was told to begin elsewhere. */
const onDelivery =
  <C extends Progress>(rule: (webhook: WebhookState, command: C) => Decision) =>
  (state: WebhooksState, command: C): Decision => {
    const webhook = findWebhook(state, command._id)
    const isOver = webhook === undefined || webhook.disabled !== null || webhook.begun !== command.begun
    return isOver ? NOTHING : rule(webhook, command)
  }

const rules = {
  CreateWebhook: (
    { webhooks }: WebhooksState,
    { webhook }: { readonly webhook: DataOf<'WebhookCreated'> },
  ): Decision =>
    webhooks.length < WEBHOOKS_MAX
      ? E.right([{ type: 'WebhookCreated', data: webhook }])
      : refuse('too_many_webhooks', `There are ${WEBHOOKS_MAX} webhooks. Remove one first.`),
  UpdateWebhook: onWebhook(update),
  /** @param replaces the secret that the new one was made beside */
  ReplaceWebhookSecret: onWebhook(
    (
      { secret },
      {
        _id,
        replaces,
        credentials,
      }: OfWebhook & { readonly replaces: string; readonly credentials: WebhookCredentials },
    ) =>
      secret === replaces
        ? E.right([{ type: 'WebhookSecretReplaced', data: { _id, credentials } }])
        : refuse('stale', 'The secret has been replaced meanwhile. Try again.'),
  ),
  EnableWebhook: onWebhook(({ _id, disabled }, _: OfWebhook) =>
    disabled === null ? NOTHING : E.right([{ type: 'WebhookEnabled', data: { _id } }]),
  ),
  ReplayWebhook: onWebhook(
    (_, { _id, position, instance }: OfWebhook & { readonly position: number; readonly instance: string }) =>
      E.right([{ type: 'WebhookReplayed', data: { _id, position, instance } }]),
  ),
  RemoveWebhook: onWebhook((_, { _id, cause }: OfWebhook & { readonly cause?: 'gone' }) =>
    E.right([{ type: 'WebhookRemoved', data: { _id, ...(cause && { cause }) } }]),
  ),
  AdvanceWebhook: onDelivery((webhook, { _id, position, instance }: Progress & { readonly instance: string }) =>
    position <= webhook.position ? NOTHING : E.right([{ type: 'WebhookAdvanced', data: { _id, position, instance } }]),
  ),
  DisableWebhook: onDelivery((_, { _id, position, failure }: Progress & { readonly failure: DeliveryFailure }) =>
    E.right([{ type: 'WebhookDisabled', data: { _id, position, failure } }]),
  ),
}

export type WebhookCommand = CommandsOf<typeof rules>

export const webhookDecider = makeDecider<WebhooksState, WebhookCommand>({
  initial: { time: 0, keys: [], webhooks: [], removed: [] },
  version: 1,
  fold,
  rules,
})
