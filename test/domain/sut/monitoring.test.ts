import test from 'ava'
import { type SetMonitoring, sutDecider } from '../../../src/domain/sut/decide.ts'
import { sutCreated, sutMonitoringDisabled, sutMonitoringEnabled, sutRetired } from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(sutDecider)
const created = at('05:00', sutCreated())
const enabled = at('05:01', sutMonitoringEnabled(60))
const set = (interval: number | null, ifMatch?: readonly number[]): SetMonitoring => ({
  type: 'SetMonitoring',
  interval,
  ...(ifMatch && { ifMatch }),
})

test('monitoring is enabled, changed and disabled', (t) => {
  t.deepEqual(given(created).when(set(60), '06:00'), records(sutMonitoringEnabled(60)))
  t.deepEqual(given(created, enabled).when(set(10), '06:00'), records(sutMonitoringEnabled(10)))
  t.deepEqual(given(created, enabled).when(set(null), '06:00'), records(sutMonitoringDisabled()))
})

test('the same again records nothing', (t) => {
  t.deepEqual(given(created).when(set(null), '06:00'), records())
  t.deepEqual(given(created, enabled).when(set(60), '06:00'), records())
  t.deepEqual(given(created, enabled, at('05:02', sutMonitoringDisabled())).when(set(null), '06:00'), records())
})

test('a SUT that does not exist, is retired or has changed is refused, in this order', (t) => {
  t.is(refusal(given().when(set(60), '06:00')).code, 'sut_not_found')
  const retired = given(created, at('05:02', sutRetired()))
  t.is(refusal(retired.when(set(60, [7]), '06:00')).code, 'sut_retired')
  t.is(refusal(retired.when(set(null), '06:00')).code, 'sut_retired')
  t.is(refusal(given(created, enabled).when(set(60, [0]), '06:00')).code, 'stale')
  t.deepEqual(given(created, enabled).when(set(60, [1]), '06:00'), records())
})
