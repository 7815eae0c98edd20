import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../../../domain/failure.ts'
import { type Cause, offlineCauseOf } from '../../../domain/monitoring/status.ts'
import { refusal } from '../../protocol/problem.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import type { Objects } from '../../response/objects.ts'
import { findNewest } from '../../response/visibility.ts'

/** The result of a probe. */
export interface Checked {
  /** Undefined if the SUT was simply reached. */
  readonly cause: Cause | undefined
  readonly milliseconds: number
}

/** Probes a SUT now. The result counts like any other. When this resolves, documents show it. */
export type Check = (sutId: string) => Promise<E.Either<Failure, Checked>>

export type CheckHandler = (call: Call) => RouteResult

export interface CheckDependencies {
  readonly objects: Pick<Objects, 'newest'>
  readonly check: Check
  /** Milliseconds since boot. */
  readonly sinceBoot: () => number
}

/** Between checks of a SUT. */
const CHECK_INTERVAL_MS = 1_000
/** Maximum SUTs stored as checked within that time. */
const CHECKED_MAX = 10_000

/** Returns whether a SUT may be checked now, and if so counts that as a check. */
const makeMayCheck = (sinceBoot: () => number): ((sutId: string) => boolean) => {
  const checked = new Map<string, number>()
  return (sutId) => {
    const now = sinceBoot()
    for (const [id, at] of checked) {
      if (now - at < CHECK_INTERVAL_MS && checked.size <= CHECKED_MAX) break
      checked.delete(id)
    }
    if (checked.has(sutId)) return false
    checked.set(sutId, now)
    return true
  }
}

export const makeCheckHandler = ({ objects, check, sinceBoot }: CheckDependencies): CheckHandler => {
  const mayCheck = makeMayCheck(sinceBoot)
  return async ({ params }) => {
    const id = params.id ?? ''
    const found = await findNewest(objects, 'sut', id)
    if (E.isLeft(found)) return found
    if (found.right.ended === 'retired') {
      return E.left(failure('sut_retired', 'The SUT has been retired and is no longer probed.'))
    }
    if (!mayCheck(id)) return E.left(refusal('too_many_checks', 'This SUT was checked within the last second.'))
    const checked = await check(id)
    if (E.isLeft(checked)) return checked
    const { cause, milliseconds } = checked.right
    const body = {
      reachable: offlineCauseOf(cause) === undefined,
      cause: cause ?? null,
      milliseconds: Math.round(milliseconds),
    }
    return E.right({ status: 200, body: JSON.stringify(body) })
  }
}
