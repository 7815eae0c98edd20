import test from 'ava'
import { makeSilence } from '../../../src/event-store/eventstoredb/server/silence.ts'
import { until } from '../../http/until.ts'

const given = () => {
  const told: boolean[] = []
  let isAnswering = false
  const silence = makeSilence({
    probe: () => Promise.resolve(isAnswering),
    onSilence: (isSilent) => told.push(isSilent),
    limits: { silentAfter: 100, lookEvery: 10, probeEvery: 10 },
  })
  return {
    told,
    ...silence,
    answerAgain: () => {
      isAnswering = true
    },
  }
}

const never = (): Promise<never> => new Promise(() => undefined)
const answer = (): boolean => true

test('a store that answers reads but no append is silent, until a probe of appends is answered', async (t) => {
  const { watch, stop, told, answerAgain } = given()
  t.teardown(stop)
  void watch('append', never(), answer)
  const reading = setInterval(() => void watch('read', Promise.resolve(), answer), 5)
  t.teardown(() => clearInterval(reading))
  await until('silent', async () => told.length === 1, 5_000)
  answerAgain()
  await until('answering', async () => told.length === 2, 5_000)
  t.deepEqual(told, [true, false])
})
