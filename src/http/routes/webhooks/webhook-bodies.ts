import { matching, opaqueId, orNull, rowsOf, scalar } from '../../../domain/codec/codec.ts'
import { withSchema } from '../../../domain/codec/json-schema.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { DELIVERED_TYPES } from '../../../domain/event.ts'
import { AskedCriteria } from '../../../domain/events/criteria.ts'
import { type WebhookFilter, webhookDescription } from '../../../domain/events/webhook.ts'
import { bodyOf } from '../../codecs/body.ts'
import { afterParameter } from '../../codecs/lists.ts'

/** What requests about webhooks say. */

const URL_LENGTH_MAX = 2_048
const PREFIX = 'berth.'

/** Where it leads is judged when something is sent there. A fragment would never be sent. */
const isReceiver = (u: unknown): u is string => {
  if (typeof u !== 'string' || u.length > URL_LENGTH_MAX || !/^https?:\/\/[!-~]+$/.test(u)) return false
  return !u.includes('#') && URL.canParse(u)
}
const url = scalar('url', isReceiver, 'must be a URL that begins with https:// or http://, without a fragment', () => ({
  ...{ type: 'string', format: 'uri', pattern: '^https?://[!-~]+$', maxLength: URL_LENGTH_MAX },
}))

const NAME = new RegExp(`^(?:berth\\.)?(?:${DELIVERED_TYPES.join('|')})$`)
const type = withSchema(matching('event', NAME, `must be berth. and one of ${DELIVERED_TYPES.join(', ')}`), () => ({
  ...{ type: 'string', enum: [...DELIVERED_TYPES.map((name) => PREFIX + name), ...DELIVERED_TYPES] },
}))
const types = rowsOf(type, DELIVERED_TYPES.length, 'types of events')

const readOnly = ['_id', 'secret', 'enabled', 'position', 'created_at', 'updated_at']
const narrowing = { types, sut_id: opaqueId, user_id: opaqueId, match: AskedCriteria }

export const webhookCreation = bodyOf(
  closed('WebhookRequest', { url }, { ...narrowing, description: webhookDescription, after: orNull(afterParameter) }),
  { readOnly },
)
export const webhookChange = bodyOf(
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
export const webhookReplay = bodyOf(closed('WebhookReplay', { after: orNull(afterParameter) }, {}))

type Narrowing = { readonly [K in keyof WebhookFilter]?: WebhookFilter[K] | null }

/** The filter of a body, with the names of types as the log has them. Members that it lacks are left out. */
export const filterIn = <N extends Narrowing>({ types: named, sut_id, user_id, match }: N) => ({
  ...(named !== undefined && { types: named && [...new Set(named.map((name) => name.replace(PREFIX, '')))] }),
  ...(sut_id !== undefined && { sut_id }),
  ...(user_id !== undefined && { user_id }),
  ...(match !== undefined && { match }),
})
