import test, { type ExecutionContext } from 'ava'
import { type DiscoveryLimits, startDiscovery } from '../../../src/users/oidc/discovery.ts'
import { until } from '../../http/until.ts'

const NEVER: DiscoveryLimits = { renewEvery: 1e9, retryMin: 1e9, retryMax: 1e9, forgetEvery: 1e9 }

/** A provider that is away for the first so many questions, and answers each later one with another number. */
const given = (t: ExecutionContext, limits: Partial<DiscoveryLimits>, away = 0) => {
  let asked = 0
  const reports: string[] = []
  const discovery = startDiscovery({
    discover: async () => {
      if (++asked <= away) throw new Error('away')
      return asked
    },
    onFailure: () => reports.push('failed'),
    onRecovered: () => reports.push('recovered'),
    limits: { ...NEVER, ...limits },
  })
  t.teardown(discovery.stop)
  return { discovery, reports, asked: () => asked }
}

test('a provider that is known is discovered again when its time has come', async (t) => {
  const { discovery, asked } = given(t, { renewEvery: 1 })
  await until('two renewals', async () => asked() > 2, 5_000)
  t.true((await discovery.known()) >= 2)
})

test('a provider that is away is tried again until it answers, and reported once each way', async (t) => {
  const { discovery, reports } = given(t, { retryMin: 1, retryMax: 2 }, 3)
  await until('the recovery', async () => reports.length === 2, 5_000)
  t.deepEqual([reports, await discovery.known()], [['failed', 'recovered'], 4])
})

test('who asks shortly after a failure gets that failure, without another discovery', async (t) => {
  const { discovery, asked } = given(t, {}, 1)
  await t.throwsAsync(discovery.known(), { message: 'away' })
  await t.throwsAsync(discovery.known(), { message: 'away' })
  t.is(asked(), 1)
})

test('what is known of a provider is forgotten once in a while at most', async (t) => {
  const { discovery, asked } = given(t, {})
  const values = [await discovery.known()]
  for (let n = 0; n < 2; n++) {
    discovery.forget()
    values.push(await discovery.known())
  }
  t.deepEqual([values, asked()], [[1, 2, 2], 2])
})
