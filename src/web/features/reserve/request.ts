import type { Sut } from '../../data/objects.ts'
import { toIso } from '../../format/format.ts'
import { type Draft, windowOf } from '../schedule/draft.ts'
import { likeOf, toMatch } from './criteria.ts'

/** Now is sent as an offset, so that it never fails for being late. */
export const bodyOf = (
  { sutId, start, length }: Draft,
  userId: string,
  now: number,
  isBeyondQuota: boolean,
  like?: Sut,
): object => ({
  user_id: userId,
  ...(like === undefined ? { sut_id: sutId } : { match: toMatch(likeOf(like)) }),
  ...(isBeyondQuota && { beyond_quota: true }),
  ...(start === 'now'
    ? { start_in: 0, duration: Math.max(1, Math.round(length / 1_000)) }
    : ((window) => ({ start_time: toIso(window.from), end_time: toIso(window.to) }))(
        windowOf({ start, length }, now, []),
      )),
})
