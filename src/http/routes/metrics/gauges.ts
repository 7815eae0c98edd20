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

/** What a gauge measured; undefined if it failed or took too long. */
const measured = async <A>(measure: () => A | Promise<A>): Promise<A | undefined> => {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, GAUGE_TIMEOUT_MS)
  try {
    return await Promise.race([measure(), late.promise])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

type Measure = () => number | Promise<number>

/** The gauges without labels: name, help, and what they measure. */
const plainGauges = (gauges: Gauges): readonly (readonly [name: string, help: string, measure: Measure])[] => [
  ['ready', 'Whether the service is ready (1) or not (0).', () => Number(gauges.isReady())],
  ['log_events', 'Events folded from the log.', gauges.events],
  [
    'view_lag',
    'Projection lag behind the end of the log, in events (embedded store) or bytes (EventStoreDB).',
    gauges.viewLag,
  ],
  ['view_pending_rows', 'Rows of the views that are not committed yet.', gauges.pendingRows],
  ['vault_old_keys', 'Vault keys other than the current one.', gauges.oldKeys],
  ['reservations_running', 'Reservations that hold their SUT now.', gauges.lab.running],
  ['requests_waiting', 'Requests that wait for a SUT.', gauges.lab.waiting],
  ['requests_longest_wait_seconds', 'For how long the oldest of these has waited.', gauges.lab.longestWait],
  [
    'last_backup_timestamp_seconds',
    'Unix time of the last backup of the log with this program; 0 if there is none.',
    async () => (await gauges.lastBackup()) / 1_000,
  ],
  [
    'certificate_expiry_timestamp_seconds',
    'Unix time at which the TLS certificate expires; NaN without one.',
    () => gauges.certificateExpiry() / 1_000,
  ],
]

/** Starts exposing the gauges. */
export const registerGauges = (register: Registry, gauges: Gauges): void => {
  const registers = [register]
  for (const [name, help, measure] of plainGauges(gauges)) {
    new Gauge({
      ...{ name: `berth_${name}`, help, registers },
      async collect() {
        this.set((await measured(measure)) ?? Number.NaN)
      },
    })
  }
  new Gauge({
    name: 'berth_suts',
    help: 'SUTs that are not retired, by state: one of each counts.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await measured(gauges.lab.suts)
      for (const state of SUT_STATES) this.set({ state }, counts?.[state] ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1. The labels have the versions of Berth and of Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set(gauges.build, 1)
  new Gauge({
    name: 'berth_alarm',
    help: 'Whether an alarm is raised for a part (1 or 0). The log has the cause.',
    labelNames: ['part'],
    registers,
    collect() {
      for (const [part, isRaised] of Object.entries(gauges.alarms())) this.set({ part }, Number(isRaised))
    },
  })
}
