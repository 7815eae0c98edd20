import * as E from 'fp-ts/lib/Either.js'
import { boolean, instant, opaqueId, parsed } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { parseRule, type RecurrenceRule, RULE_LENGTH_MAX } from '../../domain/series/rule.ts'
import { findTimeZone } from '../../domain/series/windows.ts'
import { type BodyOf, bodyOf } from './body.ts'

/** A rule with the text that it was read from. */
const rrule = parsed(
  'rrule',
  (text) => E.map((rule: RecurrenceRule) => ({ text, rule }))(parseRule(text)),
  'must be a string like FREQ=WEEKLY;COUNT=10',
  () => ({
    ...{ type: 'string', minLength: 1, maxLength: RULE_LENGTH_MAX },
    pattern: '^[A-Za-z]+=[A-Za-z0-9,+-]+(?:;[A-Za-z]+=[A-Za-z0-9,+-]+)*$',
  }),
)

const NO_ZONE = 'must be the name of a time zone, like Europe/Berlin'

const timeZone = parsed(
  'time zone',
  (name) => E.fromNullable(NO_ZONE)(findTimeZone(name)),
  NO_ZONE,
  () => ({
    ...{ type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
  }),
)

export const seriesBody = bodyOf(
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
export type SeriesBody = BodyOf<typeof seriesBody>
