import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { failure } from '../../../domain/failure.ts'
import { offlineCauseOf } from '../../../domain/monitoring/status.ts'
import { withoutBody } from '../../codecs/bodies.ts'
import { administrators, post, refTo } from '../../protocol/declaration.ts'
import { refusal } from '../../protocol/problem.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { findNewest } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'
import { OF_SUT } from '../refusals.ts'

/** Between checks of a SUT. */
const CHECK_INTERVAL_MS = 1_000
/** SUTs whose last check is remembered. */
const CHECKED_MAX = 10_000

/** When SUTs were last checked. */
export const makeLastChecks = (): Parts['lastChecks'] => new LRUCache({ max: CHECKED_MAX })

const check = async ({ objects, checkSut, lastChecks, sinceBoot }: Parts, { params }: Call): RouteResult => {
  const id = params.id ?? ''
  const found = await findNewest(objects, 'sut', id)
  if (E.isLeft(found)) return found
  if (found.right.ended === 'retired') {
    return E.left(failure('sut_retired', 'The SUT has been retired and is no longer probed.'))
  }
  const now = sinceBoot()
  if (now - (lastChecks.peek(id) ?? Number.NEGATIVE_INFINITY) < CHECK_INTERVAL_MS) {
    return E.left(refusal('too_many_checks', 'This SUT was checked within the last second.'))
  }
  lastChecks.set(id, now)
  const probed = await checkSut(id)
  if (E.isLeft(probed)) return probed
  const { cause, milliseconds } = probed.right
  const body = {
    reachable: offlineCauseOf(cause) === undefined,
    cause: cause ?? null,
    milliseconds: Math.round(milliseconds),
  }
  return E.right({ status: 200, body: JSON.stringify(body) })
}

export const checkSut = post({
  path: '/api/sut/:id/check',
  id: 'checkSut',
  summary: 'Probe a SUT now',
  description:
    'Answers when the probe has ended, after 15 s at most. It counts like any other probe of a monitored SUT. Once a second per SUT.',
  roles: administrators,
  ...withoutBody,
  answer: refTo('Check'),
  refusals: [...OF_SUT, 'not_forwarded', 'too_many_checks'],
  handler: check,
})
