import { integer, opaqueId, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, RULE_LENGTH_MAX } from '../series/rule.ts'
import { assignedId, windowEnd } from './fields.ts'

/**
 * Reservations of a SUT made together, by a rule. It is followed, in the same append, by the `count` ReservationCreated
 * that have its id. `start_time` and `end_time` are those of the first window as it was asked for, in the offset of the
 * zone.
 */
const ReservationSeriesCreated = closed(
  'ReservationSeriesCreated',
  {
    _id: assignedId,
    sut_id: assignedId,
    user_id: opaqueId,
    start_time: windowEnd,
    end_time: windowEnd,
    rrule: text(1, RULE_LENGTH_MAX),
    time_zone: text(1, 64),
    count: integer(OCCURRENCES_MIN, OCCURRENCES_MAX),
  },
  {},
)

export const seriesEvents = { ReservationSeriesCreated } as const
