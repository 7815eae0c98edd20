/** Times of the client, in milliseconds unless said otherwise. */
export const LIMITS = {
  /** Time for an answer, beyond what the service was asked to wait. */
  answerMs: 30_000,
  /** How long a service is asked again that cannot be reached, or is not ready. */
  outageMs: 120_000,
  /** Whether a request waits for a service that is not there, and for refusals that pass, as of a clock that is ahead. */
  isPatient: true,
  /** Likewise when a machine is given back: the reservation ends by itself too. */
  releaseMs: 20_000,
  retryMs: 1_000,
  /** Seconds for which the service is asked to wait. Proxies cut a request that is not answered for a minute. */
  wait: 30,
  /** How long the port of a machine may take to open. */
  portMs: 60_000,
  /** The longest time between two looks at a reservation that is in use. */
  keepMs: 10_000,
  /** With less than this left, a reservation is extended. */
  extendMs: 300_000,
  /** Time between SIGTERM and SIGKILL. */
  killMs: 10_000,
  /** Time for what COMMAND leaves behind to end by itself. */
  graceMs: 1_000,
  /** Seconds for which a reservation is kept alive, unless --keepalive says so. */
  keepalive: 120,
}
export type Limits = Readonly<typeof LIMITS>
