import type { Sut } from '../../data/objects.ts'
import { HOUR, toIso } from '../../format/format.ts'
import { ceilQuarter } from '../schedule/calendar.ts'
import { type Asked, type Draft, windowOf } from '../schedule/draft.ts'
import { type Criteria, fromMatch, likeOf, NO_CRITERIA, toMatch } from './criteria.ts'

/** What one wants: it stands in the address, so that a link keeps it. Pure. */
export interface Wish extends Asked {
  readonly criteria: Criteria
}

const USUAL_MS = HOUR
/** As far as can be looked ahead, and a day less. */
const LONGEST_MS = 30 * 24 * HOUR

const criteriaIn = (text: string | undefined): Criteria => {
  try {
    const match: unknown = JSON.parse(text ?? '')
    return typeof match === 'object' && match !== null ? fromMatch({ ...match }) : NO_CRITERIA
  } catch {
    return NO_CRITERIA
  }
}

/** What is not understood is as if it were missing; a start that has passed is now. */
export const wishOf = (parameters: ReadonlyMap<string, string>, now: number): Wish => {
  const start = Date.parse(parameters.get('start') ?? '')
  const length = Number(parameters.get('duration')) * 1_000
  return {
    criteria: criteriaIn(parameters.get('match')),
    start: start > now ? ceilQuarter(start) : 'now',
    length: length >= 1_000 && length <= LONGEST_MS ? length : USUAL_MS,
  }
}

export const parametersOf = ({ criteria, start, length }: Wish): Readonly<Record<string, string>> => ({
  ...(criteria.size > 0 && { match: JSON.stringify(toMatch(criteria)) }),
  ...(start !== 'now' && { start: toIso(start) }),
  ...(length !== USUAL_MS && { duration: String(Math.round(length / 1_000)) }),
})

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
