import { readLastBackup } from '../../archive/backup.ts'
import { version } from '../../http/documents/version.ts'
import { type HealthCondition, isReady } from '../../http/routes/health.ts'
import type { Measured } from '../../http/routes/metrics/metrics.ts'
import type { Certificate } from '../../http/server/certificate.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { SutCount } from '../../read-models/lists/suts.ts'
import type { Views } from '../../read-models/views.ts'
import type { Core } from './base.ts'

interface GaugesOptions extends Core {
  readonly views: Views
  readonly condition: () => HealthCondition
  readonly certificate: Pick<Certificate, 'expiry'> | undefined
}

const SUT_STATES = ['online', 'offline', 'unknown', 'not_monitored', 'inactive']

/** Each SUT has one: that it may not be reserved matters more than what probes found. */
const stateOf = ({ isActive, monitoring }: SutCount): string => {
  if (!isActive) return 'inactive'
  return monitoring === 'disabled' ? 'not_monitored' : monitoring
}

const shownBy = async <A>(reading: Promise<ListResult<A>> | undefined): Promise<A> => {
  if (reading === undefined) throw new Error('lists cannot be read now')
  return (await reading).listed
}

/** What the views say of the whole lab. */
const ofTheLab = ({ views, clock }: GaugesOptions): readonly Measured[] => {
  const waiting = (offset: number) => shownBy(views.read('sutRequests', { status: 'waiting', limit: 1, offset }))
  return [
    {
      name: 'suts',
      help: 'SUTs that are not retired, by state: one of each counts.',
      ...{ label: 'state', known: SUT_STATES },
      measure: async () => {
        const counts = Object.fromEntries(SUT_STATES.map((state) => [state, 0]))
        for (const row of await shownBy(views.read('sutStates')))
          counts[stateOf(row)] = (counts[stateOf(row)] ?? 0) + row.count
        return counts
      },
    },
    {
      name: 'reservations_running',
      help: 'Reservations that hold their SUT now.',
      measure: async () => {
        const second = Math.floor(clock() / 1_000)
        const span = { endsAfter: second, startsBefore: second + 1, isHeld: true }
        return (await shownBy(views.read('reservations', { ...span, limit: 1, offset: 0 }))).count
      },
    },
    {
      name: 'requests_waiting',
      help: 'Requests that wait for a SUT.',
      measure: async () => (await waiting(0)).count,
    },
    {
      name: 'requests_longest_wait_seconds',
      help: 'For how long the oldest of these has waited.',
      measure: async () => {
        const { count } = await waiting(0)
        // The newest are listed first.
        const [oldest] = count === 0 ? [] : (await waiting(count - 1)).documents
        if (oldest === undefined) return 0
        return Math.max(0, clock() - Date.parse((JSON.parse(oldest) as { created_at: string }).created_at)) / 1_000
      },
    },
  ]
}

/** Of what is opened later than the others. */
export const lagOfWebhooks = (measure: Measured['measure']): Measured => ({
  ...{ name: 'webhook_lag', help: 'Events of the log that a webhook has not passed.', label: 'webhook', measure },
})

export const gaugesOf = (options: GaugesOptions): readonly Measured[] => {
  const { store, views, vault, alarms, condition, config, certificate } = options
  return [
    {
      name: 'ready',
      help: 'Whether the service is ready (1) or not (0).',
      measure: () => Number(isReady(condition())),
    },
    { name: 'log_events', help: 'Events folded from the log.', measure: () => views.position() + 1 },
    {
      name: 'view_lag',
      help: 'Projection lag behind the end of the log, in events (embedded store) or bytes (EventStoreDB).',
      measure: async () => Math.max(0, (await store.head()) - views.storePosition()),
    },
    {
      name: 'view_pending_rows',
      help: 'Rows of the views that are not committed yet.',
      measure: () => views.pendingRows(),
    },
    {
      name: 'vault_old_keys',
      help: 'Vault keys other than the current one.',
      measure: () => vault.keys().keys.length - 1,
    },
    ...ofTheLab(options),
    {
      name: 'last_backup_timestamp_seconds',
      help: 'Unix time of the last backup of the log with this program; 0 if there is none.',
      measure: async () =>
        config.eventStore.kind === 'sqlite'
          ? ((await readLastBackup(config.data, store.logId)) ?? 0) / 1_000
          : Number.NaN,
    },
    {
      name: 'certificate_expiry_timestamp_seconds',
      help: 'Unix time at which the TLS certificate expires; NaN without one.',
      measure: () => (certificate?.expiry() ?? Number.NaN) / 1_000,
    },
    {
      name: 'build_info',
      help: 'Always 1. The labels have the versions of Berth and of Node.',
      labels: { version: version(), node: process.versions.node },
      measure: () => 1,
    },
    {
      name: 'alarm',
      help: 'Whether an alarm is raised for a part (1 or 0). The log has the cause.',
      label: 'part',
      measure: () => Object.fromEntries(Object.entries(alarms.all()).map(([part, isOn]) => [part, Number(isOn)])),
    },
  ]
}
