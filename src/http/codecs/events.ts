import { described, instant, matching, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { type JsonSchema, withSchema } from '../../domain/codec/json-schema.ts'
import { EVENT_TYPES, type EventType } from '../../domain/event.ts'
import { ceilMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import { afterParameter, positionParameter } from './as-of.ts'
import { inOrder, ofSut, paging } from './lists.ts'
import { inQuery, onlyTrue, type QueryOf, queryOf, type Rule, several } from './query.ts'

const PREFIX = 'berth.'
const NAME = new RegExp(`^(?:berth\\.)?(?:${EVENT_TYPES.join('|')})$`)
const eventType = withSchema(
  matching('event', NAME, `must be berth. and one of ${EVENT_TYPES.join(', ')}`),
  (): JsonSchema => ({ type: 'string', enum: [...EVENT_TYPES.map((name) => PREFIX + name), ...EVENT_TYPES] }),
)

/** The direction in which events are read. */
const orderRule: Rule = (given) => [
  ...(given.has('before') && !given.has('order') ? [inQuery('before', 'needs order=desc')] : []),
  ...(given.has('order') && given.has('after') ? [inQuery('after', 'cannot be combined with order=desc')] : []),
]

const millisecondOf = (time: OffsetTime | undefined): number | undefined => time && ceilMillisecond(time.instant)

const before = 'With order=desc: the position before which to begin; by default the end of the log.'
const actor = 'Only what this user did, or berth, schedule, monitor, gateway, oidc or command-line.'

export const eventsQuery = queryOf(
  {
    after: afterParameter,
    order: described(oneOf('desc'), 'Newest first, for pages. Then next is the before to go on with. Not with after.'),
    before: described(positionParameter, before),
    limit: paging.limit,
    follow: described(onlyTrue, 'Continue live after all events up to now.'),
    type: several(eventType, 'Only events of this type; may be repeated.'),
    sut_id: ofSut,
    user_id: described(opaqueId, 'Only those of reservations held by this user, and those about the user.'),
    actor: described(opaqueId, actor),
    from: described(instant, 'Only events recorded from then on.'),
    to: described(instant, 'Only events recorded before.'),
  },
  {
    rules: [inOrder('from', 'to'), orderRule],
    make: ({ order, follow = false, type, from, to, ...others }) => ({
      ...others,
      follow,
      /** Whether to read from the newest event back. */
      isBackwards: order === 'desc',
      types: type && new Set(type.map((name) => name.replace(PREFIX, '') as EventType)),
      /** Unix milliseconds of the first event, and after the last. */
      ...{ from: millisecondOf(from), to: millisecondOf(to) },
    }),
  },
)
export type EventsQuery = QueryOf<typeof eventsQuery>

export const changesQuery = queryOf({
  after: described(afterParameter, 'The position after which to begin; from now on by default.'),
})
export type ChangesQuery = QueryOf<typeof changesQuery>
