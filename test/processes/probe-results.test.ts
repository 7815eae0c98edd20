import test from 'ava'
import type { Sut } from '../../projections/sut.ts'
import { OFFLINE_CAUSES } from '../../src/domain/events/monitoring.ts'
import type { Cause } from '../../src/domain/monitoring/status.ts'
import { type Last, nextResult } from '../../src/processes/monitoring/monitor.ts'

const SUT = { address: 'a', port: 1, sut_type: 'vnc' } as Sut
const MINUTE = 60_000

/** The results of probes every minute, one after the other. */
const resultsOf = (causes: readonly Cause[], interval = MINUTE): readonly Last[] => {
  const results: Last[] = []
  for (const [n, cause] of causes.entries()) results.push(nextResult(SUT, cause, results.at(-1), interval, n))
  return results
}
const minutesOf = (results: readonly Last[]) => results.map(({ pause }) => pause && pause / MINUTE)
const times = (count: number, cause: Cause): readonly Cause[] => Array<Cause>(count).fill(cause)

test('after a refusal that a server may count, probes back off from the third on, up to an hour', (t) => {
  for (const cause of ['password_refused', 'locked_out', 'no_security_type', 'refused_by_server'] as const) {
    t.deepEqual(minutesOf(resultsOf(times(11, cause))), [1, 1, 1, 2, 4, 8, 16, 32, 60, 60, 60], cause)
  }
  const daily = resultsOf(times(5, 'locked_out'), 1_440 * MINUTE)
  t.deepEqual(new Set(minutesOf(daily)), new Set([1_440]), 'an interval above an hour stays')
})

test('other failures do not back off', (t) => {
  const counted = ['password_refused', 'locked_out', 'no_security_type', 'refused_by_server']
  const others = OFFLINE_CAUSES.filter((cause) => !counted.includes(cause))
  t.is(others.length, 6)
  for (const cause of others) t.deepEqual(new Set(minutesOf(resultsOf(times(9, cause)))), new Set([undefined]), cause)
})

test('a server whose password Berth does not have is looked at hourly, and has not failed', (t) => {
  const results = resultsOf(['refused', ...times(3, 'no_password')])
  t.deepEqual(minutesOf(results), [undefined, 60, 60, 60])
  t.deepEqual(
    results.map(({ failures }) => failures),
    [1, 0, 0, 0],
  )
})

test('failures count whatever their causes, and each cause on its own', (t) => {
  const results = resultsOf(['refused', 'timed_out', 'timed_out', 'refused'])
  t.deepEqual(
    results.map(({ failures, since, ofCause }) => [failures, since, ofCause]),
    [
      [1, 0, 1],
      [2, 0, 1],
      [3, 0, 2],
      [4, 0, 1],
    ],
  )
})

test('results of another machine do not count', (t) => {
  const [, , third] = resultsOf(times(3, 'locked_out'))
  const other = nextResult({ ...SUT, address: 'b' }, 'locked_out', third, MINUTE, 9)
  t.like(other, { failures: 1, since: 9, ofCause: 1, pause: MINUTE })
})
