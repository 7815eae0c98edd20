/** Times of the client, in milliseconds unless said otherwise. */
export interface Limits {
  /** Time for an answer, beyond what the service was asked to wait. */
  readonly answerMs: number
  /** How long a service is asked again that cannot be reached, or is not ready. */
  readonly outageMs: number
  /** Likewise when a machine is given back: the reservation ends by itself too. */
  readonly releaseMs: number
  readonly retryMs: number
  /** Seconds for which the service is asked to wait. Proxies cut a request that is not answered for a minute. */
  readonly wait: number
  /** How long the port of a machine may take to open. */
  readonly portMs: number
  /** The longest time between two looks at a reservation that is in use. */
  readonly keepMs: number
  /** With less than this left, a reservation is extended. */
  readonly extendMs: number
  /** Time between SIGTERM and SIGKILL. */
  readonly killMs: number
  /** Seconds for which a reservation is kept alive, unless --keepalive says so. */
  readonly keepalive: number
}

export const LIMITS: Limits = {
  answerMs: 30_000,
  outageMs: 120_000,
  releaseMs: 20_000,
  retryMs: 1_000,
  wait: 30,
  portMs: 60_000,
  keepMs: 10_000,
  extendMs: 300_000,
  killMs: 10_000,
  keepalive: 120,
}
