import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

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
