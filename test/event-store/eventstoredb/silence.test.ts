import test, { type ExecutionContext } from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { Silence } from '../../../src/event-store/eventstoredb/server/silence.ts'
import { until } from '../../http/until.ts'

const given = (t: ExecutionContext) => {
  const told: boolean[] = []
  let isAnswering = false
  const limits = { silentAfter: 100, arriveWithin: 50, checkEvery: 10, probeEvery: 10 }
  const silence = new Silence(
    async () => isAnswering,
    (isSilent) => told.push(isSilent),
    limits,
  )
  t.teardown(() => silence.stop())
  return {
    ...{ told, silence },
    answerAgain: () => {
      isAnswering = true
    },
  }
}

/** A subscription after position 0. */
const aSubscription = () => {
  const subscription = {
    ...{ arrived: toStorePosition(0), responses: 0, isPaused: false, hasFailed: false },
    fail: () => {
      subscription.hasFailed = true
    },
  }
  return subscription
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
  const { silence, told, answerAgain } = given(t)
  void silence.watch('append', never(), answer)
  const reading = setInterval(() => void silence.watch('read', Promise.resolve(), answer), 5)
  t.teardown(() => clearInterval(reading))
  await is(() => told.length === 1)
  const subscription = aSubscription()
  // Confirmed by a node that does not answer appends.
  silence.subscribed(subscription)
  silence.confirmed(subscription)
  answerAgain()
  await is(() => subscription.hasFailed)
  t.deepEqual(told, [true])
  silence.subscribed(subscription)
  silence.confirmed(subscription)
  await is(() => told.length === 2)
  t.deepEqual(told, [true, false])
})

test('a subscription that receives earlier events, or takes none for now, is not given up', async (t) => {
  const { silence, told } = given(t)
  let asked = 0
  const catchingUp = Object.defineProperty(aSubscription(), 'responses', { get: () => asked++ })
  const paused = Object.assign(aSubscription(), { isPaused: true })
  silence.subscribed(catchingUp)
  silence.subscribed(paused)
  await silence.watch('append', Promise.resolve(), answer)
  silence.appended(toStorePosition(1))
  await looks(() => asked, 20)
  t.deepEqual(told, [])
  t.false(catchingUp.hasFailed || paused.hasFailed)
})
