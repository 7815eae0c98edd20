import type * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../failure.ts'
import { lengthOf } from '../values/sorted-list.ts'
import { isPassedOver, type LifeMoment } from './ending.ts'
import type { RequestsState } from './state.ts'
import { rankedIn } from './waiting.ts'

/** Requests of a user, and of all, that wait at the same time. */
const WAITING_OF_USER_MAX = 100
const WAITING_MAX = 10_000

const refuseTooMany = (most: string): E.Either<Failure, never> =>
  refuse('too_many_requests', `At most ${most} wait at the same time.`)

/** Refuses one more request where as many wait as may. */
export const refuseAny = ({ queue }: RequestsState): E.Either<Failure, never> | undefined =>
  lengthOf(queue) >= WAITING_MAX ? refuseTooMany(`${WAITING_MAX} requests`) : undefined

/** Refuses one more request of a user who has as many as may wait. Those that are passed over do not count. */
export const refuseAnotherOf = (
  { queue }: RequestsState,
  userId: string,
  moment: LifeMoment,
): E.Either<Failure, never> | undefined => {
  let own = 0
  for (const each of rankedIn(queue)) own += each.user_id === userId && !isPassedOver(each, moment) ? 1 : 0
  return own >= WAITING_OF_USER_MAX ? refuseTooMany(`${WAITING_OF_USER_MAX} requests of a user`) : undefined
}
