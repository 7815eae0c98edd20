import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { boolean, instant, opaqueId } from '../../domain/codec/codec.ts'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { parseRule, type RecurrenceRule, RULE_LENGTH_MAX } from '../../domain/series/rule.ts'
import { type FirstWindow, findTimeZone } from '../../domain/series/windows.ts'
import type { DecodeBody } from '../protocol/route.ts'
import { bodyOf } from './body.ts'

/** A rule with the text that it was read from. */
interface WrittenRule {
  readonly text: string
  readonly rule: RecurrenceRule
}

const rrule = withSchema(
  new t.Type<WrittenRule, unknown, unknown>(
    'rrule',
    (u): u is WrittenRule => typeof u === 'object' && u !== null && 'rule' in u,
    (u, c) => {
      if (typeof u !== 'string') return t.failure(u, c, 'must be a string like FREQ=WEEKLY;COUNT=10')
      const read = parseRule(u)
      return E.isLeft(read) ? t.failure(u, c, read.left) : t.success({ text: u, rule: read.right })
    },
    t.identity,
  ),
  () => ({
    ...{ type: 'string', minLength: 1, maxLength: RULE_LENGTH_MAX },
    pattern: '^[A-Za-z]+=[A-Za-z0-9,+-]+(?:;[A-Za-z]+=[A-Za-z0-9,+-]+)*$',
  }),
)

const timeZone = withSchema(
  new t.Type<string>(
    'time zone',
    t.string.is,
    (u, c) => {
      const found = typeof u === 'string' ? findTimeZone(u) : undefined
      return found === undefined
        ? t.failure(u, c, 'must be the name of a time zone, like Europe/Berlin')
        : t.success(found)
    },
    t.identity,
  ),
  () => ({ type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' }),
)

export interface SeriesBody {
  /** The caller unless given. */
  readonly user_id: string | undefined
  readonly sut_id: string
  readonly first: FirstWindow
  readonly rrule: string
  readonly rule: RecurrenceRule
  readonly isBeyondQuota: boolean
}

export const seriesBody: DecodeBody<SeriesBody> = bodyOf(
  closed(
    'Series',
    { sut_id: opaqueId, start_time: instant, end_time: instant, rrule, time_zone: timeZone },
    { user_id: opaqueId, beyond_quota: boolean },
  ),
  {
    readOnly: ['_id', 'created_at', 'count', 'series_id', 'sut_reservations'],
    make: ({ user_id, sut_id, start_time, end_time, rrule, time_zone, beyond_quota: isBeyondQuota = false }) =>
      E.right({
        ...{ user_id, sut_id, isBeyondQuota, rrule: rrule.text, rule: rrule.rule },
        first: { start: start_time, end: end_time, timeZone: time_zone },
      }),
  },
)
