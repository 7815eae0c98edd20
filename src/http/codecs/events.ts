import * as E from 'fp-ts/lib/Either.js'
import { instant, matching, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { type JsonSchema, schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { type EventType, eventData } from '../../domain/event.ts'
import type { Problem } from '../../domain/failure.ts'
import { ceilMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { afterParameter, type LATEST, positionParameter } from './as-of.ts'
import { LIMIT_MAX, problemsBetween } from './lists.ts'
import { inQuery, onlyTrue, parametersOf, several, wholeNumber } from './query.ts'

export interface EventsQuery {
  /** The position after which to begin. */
  readonly after: PublicPosition | typeof LATEST | undefined
  /** Whether to read from the newest event back. */
  readonly isBackwards: boolean
  /** The position before which to begin, if so. */
  readonly before: PublicPosition | undefined
  readonly limit: number | undefined
  readonly follow: boolean
  readonly types: ReadonlySet<EventType> | undefined
  readonly sut_id: string | undefined
  readonly user_id: string | undefined
  readonly actor: string | undefined
  /** Unix milliseconds of the first event, and after the last. */
  readonly from: number | undefined
  readonly to: number | undefined
}

const PREFIX = 'berth.'
const names = Object.keys(eventData) as readonly EventType[]
const NAME = new RegExp(`^(?:berth\\.)?(?:${names.join('|')})$`)
const eventType = withSchema(
  matching('event', NAME, `must be berth. and one of ${names.join(', ')}`),
  (): JsonSchema => ({ type: 'string', enum: [...names.map((name) => PREFIX + name), ...names] }),
)

const parameters = parametersOf({
  after: afterParameter,
  order: oneOf('desc'),
  before: positionParameter,
  limit: wholeNumber(1, LIMIT_MAX),
  follow: onlyTrue,
  type: several(eventType),
  sut_id: opaqueId,
  user_id: opaqueId,
  actor: opaqueId,
  from: instant,
  to: instant,
})

/** Parameters that may be repeated. */
export const EVENTS_REPEATABLE = ['type']

/** Problems with the direction in which events are read. */
const orderProblems = (params: Parameters): readonly Problem[] => [
  ...(params.has('before') && !params.has('order') ? [inQuery('before', 'needs order=desc')] : []),
  ...(params.has('order') && params.has('after') ? [inQuery('after', 'cannot be combined with order=desc')] : []),
]

const millisecondOf = (time: OffsetTime | undefined): number | undefined => time && ceilMillisecond(time.instant)

export const eventsQuery: DecodeQuery<EventsQuery> = (params) => {
  const read = parameters(params)
  const problems = [...problemsBetween(params), ...orderProblems(params)]
  if (E.isLeft(read)) return E.left([...read.left, ...problems])
  if (problems.length > 0) return E.left(problems)
  const { after, order, before, limit, follow = false, type, sut_id, user_id, actor } = read.right
  const [from, to] = [read.right.from, read.right.to].map(millisecondOf)
  const types = type && new Set(type.map((name) => name.replace(PREFIX, '') as EventType))
  const isBackwards = order === 'desc'
  return E.right({ after, isBackwards, before, limit, follow, types, sut_id, user_id, actor, from, to })
}
withSchema(eventsQuery, () => schemaOf(parameters))

export interface ChangesQuery {
  /** The position after which to begin. */
  readonly after?: PublicPosition | typeof LATEST
}

export const changesQuery: DecodeQuery<ChangesQuery> = parametersOf({ after: afterParameter })
