import type { OfflineCause, OnlineCause } from '../events/monitoring.ts'

/** The monitoring status of a SUT, as a filter of lists. */
export const MONITORED = ['online', 'offline', 'disabled', 'unknown'] as const
export type MonitoringStatus = (typeof MONITORED)[number]

/** `monitoring.status` in documents. */
export const STATUS: Readonly<Record<MonitoringStatus, string>> = {
  online: 'Online',
  offline: 'Offline',
  disabled: 'SUT Monitoring Disabled',
  unknown: 'Unknown',
}

/** Why a SUT is offline, or what keeps Berth from looking further at one that is online. */
export type Cause = OfflineCause | OnlineCause

const CAUSES: Readonly<Record<Cause, string>> = {
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
  no_password: 'SUT is online; Berth has no password to look further',
}

const DESCRIPTIONS: Readonly<Record<MonitoringStatus, string>> = {
  online: 'SUT is online',
  offline: 'SUT is offline',
  disabled: 'SUT Monitoring is disabled',
  unknown: 'SUT has not been probed yet',
}

/** `monitoring.status_description` in documents. */
export const descriptionOf = (monitored: MonitoringStatus, cause?: Cause): string =>
  cause === undefined ? DESCRIPTIONS[monitored] : CAUSES[cause]

/** Why a SUT counts as offline; undefined if it was reached. */
export const offlineCauseOf = (cause: Cause | undefined): OfflineCause | undefined =>
  cause === 'no_password' ? undefined : cause
