import { integer, listOf, matching, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { REFUSALS_STREAM } from '../values/ids.ts'
import { Criteria } from './criteria.ts'
import { declare, inStream } from './declaration.ts'
import { assignedId, recordedTime } from './fields.ts'

/** Entries of one RefusalsCounted. Refusals beyond them are summed. */
export const COUNTED_MAX = 500

const count = integer(1, Number.MAX_SAFE_INTEGER)
/** What was refused to a user: `count` times the same. Exactly one of `sut_id` and `match` is there. */
const RefusalCount = closed(
  'RefusalCount',
  { user_id: opaqueId, code: matching('code', /^[a-z][a-z_]{0,63}$/, 'must be the code of a refusal'), count },
  { sut_id: assignedId, match: Criteria },
)

export const refusalEvents = {
  /**
   * What one instance refused from `from` to `to` because of what was reserved already, of the state of a SUT or of a
   * quota. `others` are refusals beyond the entries.
   */
  RefusalsCounted: declare({
    members: { from: recordedTime, to: recordedTime, refusals: listOf(RefusalCount) },
    optional: { others: count },
    isIn: inStream(REFUSALS_STREAM),
    by: ['berth'],
    guide:
      '[refusals](#refusals) were answered, once a minute and at a stop | `from`, `to`, `refusals`, and `others` if there were more than it can list',
  }),
} as const
