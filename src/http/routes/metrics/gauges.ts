import { Gauge, type Registry } from 'prom-client'

/** Values read whenever metrics are requested. */
export interface Gauges {
  readonly isReady: () => boolean
  /** The number of events the views show, and their lag behind the log, in units of the store. */
  readonly events: () => number
  readonly viewLag: () => Promise<number>
  /** Rows of the views that are not in their file yet. */
  readonly pendingRows: () => number
  /** Every alarm, and whether it is raised. */
  readonly alarms: () => Readonly<Record<string, boolean>>
  /** Vault keys besides the current one. */
  readonly oldKeys: () => number
  readonly lab: LabFigures
  /** When the log was last backed up, in Unix milliseconds; 0 if never. NaN where its backups are not ours. */
  readonly lastBackup: () => Promise<number>
  /** When the certificate expires, in Unix milliseconds; NaN without one. */
  readonly certificateExpiry: () => number
  readonly build: { readonly version: string; readonly node: string }
}

export const SUT_STATES = ['online', 'offline', 'unknown', 'not_monitored', 'inactive'] as const
export type SutStateName = (typeof SUT_STATES)[number]

/** What the views say of the whole lab. */
export interface LabFigures {
  readonly suts: () => Promise<Readonly<Record<SutStateName, number>>>
  /** Reservations that hold their SUT now. */
  readonly running: () => Promise<number>
  readonly waiting: () => Promise<number>
  /** Seconds for which the oldest request has waited; 0 if none waits. */
  readonly longestWait: () => Promise<number>
}

/** The other metrics matter most when one does not respond. */
const GAUGE_TIMEOUT_MS = 2_000

const withTimeout = async <A>(value: A | Promise<A>, otherwise: A): Promise<A> => {
  if (!(value instanceof Promise)) return value
  const late = Promise.withResolvers<A>()
  const timer = setTimeout(late.resolve, GAUGE_TIMEOUT_MS, otherwise)
  return Promise.race([value, late.promise]).finally(() => clearTimeout(timer))
}

/** What a gauge measured; `otherwise` if it failed or took too long. */
const measured = async <A>(measure: () => A | Promise<A>, otherwise: A): Promise<A> => {
  try {
    return await withTimeout(measure(), otherwise)
  } catch {
    return otherwise
  }
}

type MakeGauge = (name: string, help: string, measure: () => number | Promise<number>) => void

const registerLab = (register: Registry, gauge: MakeGauge, { lab, lastBackup, certificateExpiry, build }: Gauges) => {
  new Gauge({
    name: 'berth_suts',
    help: 'SUTs that are not retired, by state: one of each counts.',
    labelNames: ['state'],
    registers: [register],
    async collect() {
      const counts = await measured<Partial<Record<SutStateName, number>>>(lab.suts, {})
      for (const state of SUT_STATES) this.set({ state }, counts[state] ?? Number.NaN)
    },
  })
  gauge('reservations_running', 'Reservations that hold their SUT now.', lab.running)
  gauge('requests_waiting', 'Requests that wait for a SUT.', lab.waiting)
  gauge('requests_longest_wait_seconds', 'For how long the oldest of these has waited.', lab.longestWait)
  gauge(
    'last_backup_timestamp_seconds',
    'Unix time of the last backup of the log with this program; 0 if there is none.',
    async () => (await lastBackup()) / 1_000,
  )
  gauge(
    'certificate_expiry_timestamp_seconds',
    'Unix time at which the TLS certificate expires; NaN without one.',
    () => certificateExpiry() / 1_000,
  )
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1. The labels have the versions of Berth and of Node.',
    labelNames: ['version', 'node'],
    registers: [register],
  }).set(build, 1)
}

/** Starts exposing the gauges. */
export const registerGauges = (register: Registry, gauges: Gauges): void => {
  const gauge: MakeGauge = (name, help, measure) => {
    new Gauge({
      name: `berth_${name}`,
      help,
      registers: [register],
      async collect() {
        this.set(await measured(measure, Number.NaN))
      },
    })
  }
  gauge('ready', 'Whether the service is ready (1) or not (0).', () => Number(gauges.isReady()))
  gauge('log_events', 'Events folded from the log.', gauges.events)
  gauge(
    'view_lag',
    'Projection lag behind the end of the log, in events (embedded store) or bytes (EventStoreDB).',
    gauges.viewLag,
  )
  gauge('view_pending_rows', 'Rows of the views that are not committed yet.', gauges.pendingRows)
  gauge('vault_old_keys', 'Vault keys other than the current one.', gauges.oldKeys)
  registerLab(register, gauge, gauges)
  new Gauge({
    name: 'berth_alarm',
    help: 'Whether an alarm is raised for a part (1 or 0). The log has the cause.',
    labelNames: ['part'],
    registers: [register],
    collect() {
      for (const [part, isRaised] of Object.entries(gauges.alarms())) this.set({ part }, Number(isRaised))
    },
  })
}
