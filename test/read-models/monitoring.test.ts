import test from 'ava'
import { sutProjection } from '../../projections/sut.ts'
import { OFFLINE_CAUSES, type OfflineCause } from '../../src/domain/events/monitoring.ts'
import {
  SUT_ID,
  sutCreated,
  sutMonitoringDisabled,
  sutMonitoringEnabled,
  sutRetired,
  sutUpdated,
  sutWentOffline,
  sutWentOnline,
} from '../domain/builders.ts'
import { at } from '../domain/given-when-then.ts'
import { foldedBy } from './given-then.ts'

const sut = foldedBy(sutProjection)
const given = [at('05:00', sutCreated()), at('05:01', sutMonitoringEnabled())] as const
type Given = Parameters<typeof sut>[1]

const monitoringAfter = (...events: readonly Given[]) => sut(SUT_ID, ...given, ...events).document.monitoring
const since = (time: string, status: string, status_description: string) => ({
  status,
  last_updated: `2030-05-02T${time}:00+00:00`,
  status_description,
})
const unknownSince = (time: string) => since(time, 'Unknown', 'SUT has not been probed yet')
const onlineSince = (time: string) => since(time, 'Online', 'SUT is online')

const TEXTS: Readonly<Record<OfflineCause, string>> = {
  refused: 'SUT is offline: it refused the connection',
  timed_out: 'SUT is offline: it timed out',
  unreachable: 'SUT is offline: it is unreachable',
  unknown_host: 'SUT is offline: its name is unknown',
  wrong_greeting: 'SUT is offline: it answered with something else',
  password_refused: 'SUT is offline: it refused the password',
  locked_out: 'SUT is offline: it bars this address',
  no_security_type: 'SUT is offline: it offers no security type that Berth knows',
  in_use: 'SUT is offline: it is in use already',
  refused_by_server: 'SUT is offline: it refused Berth',
}

for (const cause of OFFLINE_CAUSES) {
  test(`a SUT that is offline because of ${cause} says so in these words`, (t) => {
    t.deepEqual(monitoringAfter(at('05:02', sutWentOffline(cause))), since('05:02', 'Offline', TEXTS[cause]))
  })
}

test('another cause leaves the time at which the outage began, and one of being online likewise', (t) => {
  const outage = [at('05:02', sutWentOffline('refused')), at('05:03', sutWentOffline('locked_out'))]
  t.deepEqual(monitoringAfter(...outage), since('05:02', 'Offline', TEXTS.locked_out))
  const online = [at('05:02', sutWentOnline('no_password')), at('05:03', sutWentOnline())]
  const described = 'SUT is online; Berth has no password to look further'
  t.deepEqual(monitoringAfter(...online.slice(0, 1)), since('05:02', 'Online', described))
  t.deepEqual(monitoringAfter(...online), onlineSince('05:02'))
})

test('what is known lasts from the change on, whatever else is recorded', (t) => {
  t.deepEqual(monitoringAfter(), unknownSince('05:01'))
  const online = at('05:02', sutWentOnline())
  t.deepEqual(monitoringAfter(online), onlineSince('05:02'))
  const others = [sutMonitoringEnabled(10), sutUpdated({ name: 'other', is_active: false, tags: { site: 'berlin' } })]
  t.deepEqual(monitoringAfter(online, ...others.map((event) => at('05:03', event))), onlineSince('05:02'))
})

for (const changed of [{ address: 'other' }, { port: 1 }, { sut_type: 'rdp' }] as const) {
  test(`a SUT is unknown after a change of ${Object.keys(changed)}, whether it was online or offline`, (t) => {
    for (const known of [sutWentOnline(), sutWentOffline()]) {
      const after = monitoringAfter(at('05:02', known), at('05:03', sutUpdated(changed)))
      t.deepEqual(after, unknownSince('05:03'))
    }
    const disabled = at('05:02', sutMonitoringDisabled())
    t.like(monitoringAfter(disabled, at('05:03', sutUpdated(changed))), { status: 'SUT Monitoring Disabled' })
  })
}

test('a SUT is unknown again after monitoring is enabled again, and not monitored once retired', (t) => {
  const disabled = since('05:03', 'SUT Monitoring Disabled', 'SUT Monitoring is disabled')
  const wasOnline = at('05:02', sutWentOnline())
  for (const end of [sutMonitoringDisabled(), sutRetired()]) {
    t.deepEqual(monitoringAfter(wasOnline, at('05:03', end)), disabled)
    t.deepEqual(monitoringAfter(wasOnline, at('05:03', end), at('05:04', sutWentOffline())), disabled, 'a late probe')
  }
  const again = [at('05:03', sutMonitoringDisabled()), at('05:04', sutMonitoringEnabled())]
  t.deepEqual(monitoringAfter(wasOnline, ...again), unknownSince('05:04'))
})
