import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Call, RouteResult } from '../../../src/http/protocol/call.ts'
import { type HealthCondition, healthRoutes } from '../../../src/http/routes/health.ts'
import { leftOf, rightOf } from '../../users/builders.ts'

type Answer = Awaited<RouteResult>

const WELL: HealthCondition = {
  service: 'ok',
  store: 'ok',
  views: 'ok',
  users: 'ok',
  vault: 'ok',
  clock: 'ok',
  gateway: 'ok',
}

const conditions: readonly (readonly [Partial<HealthCondition>, boolean])[] = [
  [{}, true],
  [{ service: 'stopping' }, false],
  [{ store: 'failed' }, false],
  [{ store: 'another' }, false],
  [{ views: 'behind' }, false],
  // Cached users and keys stay in use, and recorded data is still answered.
  [{ store: 'unreadable' }, true],
  [{ views: 'unwritten' }, true],
  [{ users: 'broken' }, true],
  [{ users: 'unknown' }, false],
  [{ vault: 'broken' }, true],
  [{ clock: 'ahead' }, true],
  [{ gateway: 'opening' }, false],
  [{ views: 'behind', vault: 'broken' }, false],
]
for (const [wrong, isReady] of conditions) {
  const state =
    Object.entries(wrong)
      .map((pair) => pair.join(' '))
      .join(', ') || 'nothing wrong'
  test(`with ${state} the service is ${isReady ? 'ready' : 'not ready, and the answer gives the state of each part'}`, async (t) => {
    const parts = { ...WELL, ...wrong }
    const answers = healthRoutes.map(({ handler }) => handler({ condition: () => parts }, {} as Call))
    const [live, answer] = (await Promise.all(answers)) as [Answer, Answer]
    t.deepEqual(live, E.right({ status: 200, body: '{"status":"live"}' }))
    if (wrong.clock === 'ahead')
      t.regex(rightOf(answer).body as string, /^\{"status":"ready","detail":"Writes are .*berth clock confirm\."\}$/)
    else if (isReady) t.deepEqual(answer, E.right({ status: 200, body: '{"status":"ready"}' }))
    else
      t.deepEqual(leftOf(answer), {
        code: 'unavailable',
        detail: `The service is not ready: ${state}.`,
        parts,
      })
  })
}
