import { setImmediate as turn } from 'node:timers/promises'
import type { SlotSet } from '../../domain/matching/fit-index.ts'
import { compareRequests, type Waiting } from '../../domain/request/waiting.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { IndexedSuts } from './indexed-suts.ts'
import type { WaitingRequests } from './waiting-requests.ts'

/** Requests that rank before another and share a SUT with it that fits both. */
export interface Rivals {
  readonly count: number
  /** Those that go first, in their order; undefined if they are too many for an estimate. */
  readonly ranked: readonly Waiting[] | undefined
}

interface RivalsOptions {
  readonly indexed: IndexedSuts
  /** The scopes that the SUTs of a request must be in; undefined if it cannot be granted any, or is passed over. */
  readonly scopesOf: (request: Waiting) => readonly Scope[] | undefined
}

/** More requests before one make an estimate worthless. */
const RANKED_MAX = 100
/** Requests compared in one turn of the event loop. */
const TURN_SIZE = 32

/** @param own the SUTs that fit the request */
export const findRivals = async (
  request: Waiting,
  own: SlotSet,
  waiting: Pick<WaitingRequests, 'ranked'>,
  { indexed, scopesOf }: RivalsOptions,
): Promise<Rivals> => {
  let [n, count] = [0, 0]
  const ranked: Waiting[] = []
  for (const other of waiting.ranked()) {
    if (compareRequests(other, request) >= 0) break
    if (++n % TURN_SIZE === 0) {
      await turn()
      indexed.refresh()
    }
    const scopes = scopesOf(other)
    if (scopes === undefined || !indexed.isOneFitting(own, other, scopes)) continue
    count++
    if (count <= RANKED_MAX) ranked.push(other)
  }
  return { count, ranked: count > RANKED_MAX ? undefined : ranked }
}
