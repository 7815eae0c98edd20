import test from 'ava'
import { monitoringDecider, type RecordProbe } from '../../../src/domain/monitoring/decide.ts'
import { SUT_ID, sutWentOffline, sutWentOnline } from '../builders.ts'
import { at, records, stories } from '../given-when-then.ts'

const { given } = stories(monitoringDecider)
const [HERE, THERE] = ['0123456789abcdef', 'fedcba9876543210']
const by = (instance: string) => ({ request_id: `${instance}:018f36f0-0000-7000-8000-000000000000` })

const probe = (more: Partial<RecordProbe> = {}): RecordProbe => ({
  type: 'RecordProbe',
  _id: SUT_ID,
  cause: undefined,
  instance: HERE,
  failingSince: 0,
  shown: { status: 'unknown', changes: 0 },
  ...more,
})
const wasOnline = { shown: { status: 'online', changes: 1 } } as const
const wasOffline = { shown: { status: 'offline', changes: 1 } } as const

test('the first success and the first failure of an unknown SUT are recorded', (t) => {
  t.deepEqual(given().when(probe(), '06:00'), records(sutWentOnline()))
  t.deepEqual(given().when(probe({ cause: 'locked_out' }), '06:00'), records(sutWentOffline('locked_out')))
})

test('what is known already is not recorded again', (t) => {
  const online = given(at('05:00', sutWentOnline(), by(HERE)))
  t.deepEqual(online.when(probe(wasOnline), '06:00'), records())
  const offline = given(at('05:00', sutWentOffline('refused'), by(HERE)))
  t.deepEqual(offline.when(probe({ ...wasOffline, cause: 'refused' }), '06:00'), records())
})

test('whether Berth has a password to look further is recorded of a SUT that is online', (t) => {
  const unlooked = given(at('05:00', sutWentOnline('no_password'), by(THERE)))
  t.deepEqual(given().when(probe({ cause: 'no_password' }), '06:00'), records(sutWentOnline('no_password')))
  t.deepEqual(unlooked.when(probe({ ...wasOnline, cause: 'no_password' }), '06:00'), records())
  t.deepEqual(unlooked.when(probe(wasOnline), '06:00'), records(sutWentOnline()))
})

test('another cause of an outage is recorded by the instance that recorded the last one', (t) => {
  const refused = at('05:00', sutWentOffline('refused'), by(HERE))
  const another = probe({ ...wasOffline, cause: 'timed_out' })
  t.deepEqual(given(refused).when(another, '05:01'), records(sutWentOffline('timed_out')))
  t.deepEqual(given(at('05:00', sutWentOffline('refused'), by(THERE))).when(another, '09:00'), records())
})

test('another cause of an outage is recorded once an hour', (t) => {
  const outage = given(
    at('05:00', sutWentOffline('refused'), by(HERE)),
    at('05:01', sutWentOffline('timed_out'), by(HERE)),
  )
  const again = probe({ shown: { status: 'offline', changes: 2 }, cause: 'refused' })
  t.deepEqual(outage.when(again, '06:00:59.999'), records())
  t.deepEqual(outage.when(again, '06:01'), records(sutWentOffline('refused')))
})

test('nothing is recorded on what another instance has changed meanwhile', (t) => {
  const overtaken = given(at('05:00', sutWentOnline(), by(THERE)))
  t.deepEqual(overtaken.when(probe(), '06:00'), records())
  t.deepEqual(overtaken.when(probe({ cause: 'refused' }), '06:00'), records())
})

test('a document that contradicts the last change records nothing', (t) => {
  const online = given(at('05:00', sutWentOnline(), by(HERE)))
  t.deepEqual(online.when(probe(wasOffline), '06:00'), records())
  const offline = given(at('05:00', sutWentOffline('refused'), by(HERE)))
  t.deepEqual(offline.when(probe({ ...wasOnline, cause: 'timed_out' }), '06:00'), records())
})

test('once its SUT is unknown again, the same is recorded again', (t) => {
  const online = given(at('05:00', sutWentOnline(), by(THERE)))
  const again = { shown: { status: 'unknown', changes: 1 } } as const
  t.deepEqual(online.when(probe(again), '06:00'), records(sutWentOnline()))
  t.deepEqual(online.when(probe({ ...again, cause: 'refused' }), '05:00'), records(sutWentOffline('refused')))
})

test('any instance may find a SUT online, and the one that did may find it offline', (t) => {
  const offline = given(at('05:00', sutWentOffline('refused'), by(THERE)))
  t.deepEqual(offline.when(probe(wasOffline), '05:00:05'), records(sutWentOnline()))
  const online = given(at('05:00', sutWentOnline(), by(HERE)))
  t.deepEqual(online.when(probe({ ...wasOnline, cause: 'refused' }), '05:00:15'), records(sutWentOffline('refused')))
})

test('another instance finds it offline only after ten minutes of failures since the last change', (t) => {
  const since = (time: string) => ({ ...wasOnline, cause: 'refused', failingSince: Date.parse(time) }) as const
  const online = given(at('05:00', sutWentOnline(), by(THERE)))
  t.deepEqual(online.when(probe(since('2030-05-02T05:20:00Z')), '05:29:59.999'), records())
  t.deepEqual(online.when(probe(since('2030-05-02T05:20:00Z')), '05:30'), records(sutWentOffline('refused')))
  t.deepEqual(online.when(probe(since('2030-05-02T04:00:00Z')), '05:09'), records(), 'failures before do not count')
})

test('a change whose request id names no instance belongs to none', (t) => {
  const { state } = given(at('05:00', sutWentOnline()))
  t.is(state.instance, null)
})
