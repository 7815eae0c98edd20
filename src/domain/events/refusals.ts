import { integer, listOf, matching, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { REFUSALS_STREAM } from '../values/ids.ts'
import { Criteria } from './criteria.ts'
import { declare, inStream, type Notes } from './declaration.ts'
import { assignedId, EXAMPLE_SUT, EXAMPLE_TIME, EXAMPLE_USER, recordedTime } from './fields.ts'

/** Entries of one RefusalsCounted. Refusals beyond them are summed. */
export const COUNTED_MAX = 500

const count = integer(1, Number.MAX_SAFE_INTEGER)
/** What was refused to a user: `count` times the same. Exactly one of `sut_id` and `match` is there. */
const RefusalCount = closed(
  'RefusalCount',
  { user_id: opaqueId, code: matching('code', /^[a-z][a-z_]{0,63}$/, 'must be the code of a refusal'), count },
  { sut_id: assignedId, match: Criteria },
)

/**
 * What one instance refused from `from` to `to` because of what was reserved already, of the state of a SUT or of a
 * quota. `others` are refusals beyond the entries.
 */
const RefusalsCounted = declare(
  closed(
    'RefusalsCounted',
    { from: recordedTime, to: recordedTime, refusals: listOf(RefusalCount) },
    { others: count },
  ),
  {
    isIn: inStream(REFUSALS_STREAM),
    by: ['berth'],
    guide:
      '[refusals](#refusals) were answered, once a minute and at a stop | `from`, `to`, `refusals`, and `others` if there were more than it can list',
  },
)

export const refusalEvents = { RefusalsCounted } as const

/** What readers of events are told of the members. */
export const refusalNotes: Notes = {
  from: ['When it began.', EXAMPLE_TIME],
  to: ['When it ended.', EXAMPLE_TIME],
  refusals: [
    'What was refused, and how often: of one SUT, or by criteria.',
    [
      { code: 'reservation_conflict', count: 3, sut_id: EXAMPLE_SUT, user_id: EXAMPLE_USER },
      { code: 'no_sut_free', count: 1, match: { os: 'windows', tags: { rack: ['3', '4'] } }, user_id: EXAMPLE_USER },
    ],
  ],
  'refusals.sut_id': ['The SUT; absent with match.', EXAMPLE_SUT],
  'refusals.match': [
    'The criteria of which any SUT was asked for; absent with sut_id.',
    { os: 'windows', tags: { rack: ['3', '4'] } },
  ],
  'refusals.user_id': ['For whom it would have been, or who asked.', EXAMPLE_USER],
  'refusals.code': ['The code of the refusal.', 'reservation_conflict'],
  'refusals.count': ['How often the same was refused.', 3],
  others: ['Refusals beyond those listed.', 12],
}
