import test, { type ExecutionContext } from 'ava'
import { startInstances } from '../event-store/eventstoredb/service/instances.ts'
import type { Running } from '../http/harness.ts'
import { aReservation, createSut, reserved } from '../http/requests.ts'
import { isScheduled, untilScheduled } from './recorded.ts'
import { at } from './stage.ts'

/** Three instances over one store, each with its own clock and its own processes. */

const SUTS = 12

/** A reservation that was made for certain. What became of another, which a busy store did not tell, does not matter. */
const reservedForCertain = async (one: Running, other: Running, name: string): Promise<string> => {
  for (;;) {
    try {
      const sut = await createSut(one.as('admin'), { name })
      return String((await reserved(other.as('alice'), aReservation(sut))).json._id)
    } catch (error) {
      if (!String(error).includes('outcome_unknown')) throw error
    }
  }
}

const runThrough = async (t: ExecutionContext) => {
  const { services, log } = await startInstances(t, { now: at('05:50:00.000') })
  const pick = (n: number): Running => services[n % services.length] as Running
  const ids: string[] = []
  for (let n = 0; n < SUTS; n++) {
    ids.push(await reservedForCertain(pick(n), pick(n + 1), `bench ${n}`))
  }
  for (const [time, count] of [
    [at('06:00:00.000'), SUTS],
    [at('06:15:00.000'), 2 * SUTS],
  ] as const) {
    for (const { clock } of services) clock.set(time)
    await untilScheduled(services, count, log)
  }
  const recorded = (await log())
    .filter(isScheduled)
    .filter(({ data }) => ids.includes(String(data._id)))
    .map(({ type, data }) => `${type} ${data._id}`)
  const expected = ids.flatMap((id) => [`ReservationStarted ${id}`, `ReservationEnded ${id}`])
  return { recorded: recorded.toSorted(), expected: expected.toSorted(), log: await log() }
}

test('of three instances, one records each start and end', async (t) => {
  const { recorded, expected, log } = await runThrough(t)
  t.deepEqual(recorded, expected)
  t.is(log.filter(({ type }) => type === 'ScheduleBegan').length, 1)
})
