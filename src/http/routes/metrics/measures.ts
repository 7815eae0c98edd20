import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { OFFLINE_CAUSES } from '../../../domain/events/monitoring.ts'
import type { Cause } from '../../../domain/monitoring/status.ts'
import type { FeedMeasures } from '../../../feed/subscribers.ts'

/** Measurements of the gateway. */
export interface GatewayMeasures {
  /** A client was connected to its SUT, after so many milliseconds. */
  readonly connected: (milliseconds: number) => void
  readonly disconnected: (end: { readonly bytesToSut: number; readonly bytesFromSut: number }) => void
  /** Clients were refused without a byte. */
  readonly gatewayRefused: (reason: string, count: number) => void
}

/** Seconds. A machine nearby answers in a few milliseconds; 10 s end an attempt. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Reasons that are present from the start. */
const REASONS = ['over', 'not_bound', 'not_holder', 'not_here', 'too_many', 'full', 'undecided'] as const

export const gatewayMeasures = (registers: Registry[]): GatewayMeasures => {
  const open = new Gauge({ name: 'berth_gateway_connections', help: 'Open connections to SUTs.', registers })
  const opened = new Counter({
    name: 'berth_gateway_connections_opened_total',
    help: 'Connections to SUTs that were opened.',
    registers,
  })
  const took = new Histogram({
    name: 'berth_gateway_connect_seconds',
    help: 'From the admission of a client until its SUT was connected, RFB handshakes included.',
    buckets: BUCKETS,
    registers,
  })
  const bytes = new Counter({
    name: 'berth_gateway_bytes_total',
    help: 'Bytes passed on, by direction, counted when a connection ends.',
    labelNames: ['direction'],
    registers,
  })
  const refused = new Counter({
    name: 'berth_gateway_refused_total',
    help: 'Connections refused, by reason.',
    labelNames: ['reason'],
    registers,
  })
  for (const direction of ['to_sut', 'from_sut']) bytes.inc({ direction }, 0)
  for (const reason of REASONS) refused.inc({ reason }, 0)
  return {
    connected: (milliseconds) => {
      took.observe(milliseconds / 1000)
      open.inc()
      opened.inc()
    },
    disconnected: ({ bytesToSut, bytesFromSut }) => {
      open.dec()
      bytes.inc({ direction: 'to_sut' }, bytesToSut)
      bytes.inc({ direction: 'from_sut' }, bytesFromSut)
    },
    gatewayRefused: (reason, count) => refused.inc({ reason }, count),
  }
}

/** Ends caused by the service. */
const CUT_OFFS = ['too_slow', 'user_changed', 'stopping', 'another_log', 'failed'] as const

/** Counts subscribers of one kind of stream. */
export const feedMeasures = (registers: Registry[], name: 'feed' | 'changes', what: string): FeedMeasures => {
  const subscribers = new Gauge({
    name: `berth_${name}_subscribers`,
    help: `Open ${what}.`,
    registers,
  })
  const cutOffs = new Counter({
    name: `berth_${name}_cut_offs_total`,
    help: `The ${what} that the service ended, by reason.`,
    labelNames: ['why'],
    registers,
  })
  for (const why of CUT_OFFS) cutOffs.inc({ why }, 0)
  return {
    subscribed: () => subscribers.inc(),
    unsubscribed: (how) => {
      subscribers.dec()
      if (how !== 'left' && how !== 'done') cutOffs.inc({ why: how })
    },
  }
}

/** Measurements of probes. */
export interface ProbeMeasures {
  /** A SUT was reached, has an open session or says that it is in use, or this is the cause. */
  readonly probed: (outcome: 'reachable' | 'in_use' | Cause) => void
}

export const probeMeasures = (registers: Registry[]): ProbeMeasures => {
  const probes = new Counter({
    name: 'berth_probes_total',
    help: 'Probes of SUTs, by outcome: reachable, in_use, no_password, or the cause of a failure.',
    labelNames: ['outcome'],
    registers,
  })
  // Start at 0: Prometheus sees no increase in a series that begins with its first probe.
  for (const outcome of ['reachable', 'no_password', ...OFFLINE_CAUSES]) probes.inc({ outcome }, 0)
  return { probed: (outcome) => probes.inc({ outcome }) }
}

/** Measurements of the schedule. */
export interface ScheduleMeasures {
  /** A start or end was recorded this many milliseconds after it was due. */
  readonly scheduled: (what: 'start' | 'end', lag: number) => void
}

/** Seconds: within the second, within a minute, after a downtime. */
const LAGS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 3_600, 86_400]

export const scheduleMeasures = (registers: Registry[]): ScheduleMeasures => {
  const lags = new Histogram({
    name: 'berth_schedule_lag_seconds',
    help: 'Time from when a start or end of a reservation was due until it was recorded.',
    labelNames: ['what'],
    buckets: LAGS,
    registers,
  })
  for (const what of ['start', 'end']) lags.zero({ what })
  return { scheduled: (what, lag) => lags.observe({ what }, Math.max(0, lag) / 1000) }
}
