import test, { type ExecutionContext } from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { makeSilence } from '../../../src/event-store/eventstoredb/server/silence.ts'
import { until } from '../../http/until.ts'

const given = (t: ExecutionContext) => {
  const told: boolean[] = []
  let isAnswering = false
  const silence = makeSilence({
    probe: () => Promise.resolve(isAnswering),
    onSilence: (isSilent) => told.push(isSilent),
    limits: { silentAfter: 100, arriveWithin: 50, checkEvery: 10, probeEvery: 10 },
  })
  t.teardown(silence.stop)
  return {
    ...{ told, ...silence },
    answerAgain: () => {
      isAnswering = true
    },
  }
}

/** A subscription after position 0. */
const aSubscription = () => {
  const of = { arrived: 0, responses: 0, isPaused: false, hasFailed: false }
  const subscription = {
    arrived: () => toStorePosition(of.arrived),
    responses: () => of.responses,
    isPaused: () => of.isPaused,
    fail: () => {
      of.hasFailed = true
    },
  }
  return { of, subscription }
}

const never = (): Promise<never> => new Promise(() => undefined)
const answer = (): boolean => true
const is = (condition: () => boolean) => until('so', async () => condition(), 5_000)

/** Waits for that many looks at the subscriptions. */
const looks = async (responses: () => number, count: number): Promise<void> => {
  const before = responses()
  await is(() => responses() - before >= count)
}

test('a store that answers reads but no append is silent, until a probe of appends is answered', async (t) => {
  const { watch, told, answerAgain, subscribed } = given(t)
  void watch('append', never(), answer)
  const reading = setInterval(() => void watch('read', Promise.resolve(), answer), 5)
  t.teardown(() => clearInterval(reading))
  await is(() => told.length === 1)
  const { of, subscription } = aSubscription()
  // Confirmed by a node that does not answer appends.
  subscribed(subscription).confirm()
  answerAgain()
  await is(() => of.hasFailed)
  t.deepEqual(told, [true])
  subscribed(subscription).confirm()
  await is(() => told.length === 2)
  t.deepEqual(told, [true, false])
})

test('a subscription that receives earlier events, or takes none for now, is not given up', async (t) => {
  const { watch, told, subscribed, appended } = given(t)
  const [catchingUp, paused] = [aSubscription(), aSubscription()]
  paused.of.isPaused = true
  let asked = 0
  subscribed({ ...catchingUp.subscription, responses: () => asked++ })
  subscribed(paused.subscription)
  await watch('append', Promise.resolve(), answer)
  appended(toStorePosition(1))
  await looks(() => asked, 20)
  t.deepEqual(told, [])
  t.false(catchingUp.of.hasFailed || paused.of.hasFailed)
})
