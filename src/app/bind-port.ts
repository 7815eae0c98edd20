import { makeIdempotencyKeys } from '../commands/idempotency-key.ts'
import { BEFORE_FIRST } from '../domain/values/position.ts'
import { ExpectedError } from '../files/expected-error.ts'
import { makeApp } from '../http/app.ts'
import { CLOSED_GATE } from '../http/authentication/gate.ts'
import { type ClientAddresses, makeClientAddresses } from '../http/protocol/client-address.ts'
import { healthRoutes } from '../http/routes/health.ts'
import type { Certificate } from '../http/server/certificate.ts'
import { listen } from '../http/server/listen.ts'
import { Misconfigured } from './config/config.ts'
import type { Base } from './core/base.ts'
import { conditionOf, type LoggedReports, makeReports } from './core/base.ts'

class PortTaken extends ExpectedError {}

const ADDRESS_PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'BERTH_HOST is a host name that cannot be resolved',
  EAI_AGAIN: 'BERTH_HOST is a host name that cannot be resolved',
  EADDRNOTAVAIL: 'BERTH_HOST is not an address of this machine',
  EAFNOSUPPORT: 'BERTH_HOST belongs to an address family that this machine does not support',
  EACCES: 'BERTH_PORT is a port that this user may not listen on',
}

/** Answers health checks, and everything else with "not ready". */
const makeStartingApp = (base: Base, addresses: ClientAddresses, reports: LoggedReports) =>
  makeApp(healthRoutes, {
    condition: () => conditionOf(base),
    ...{ ...base, ...reports, gate: CLOSED_GATE, addressOf: addresses.clientOf },
    isServing: () => false,
    // Nothing has been read yet.
    idempotencyKeys: makeIdempotencyKeys(() => ({ keys: [] })),
    repeated: () => undefined,
    views: { position: () => BEFORE_FIRST, waitForPublicPosition: async () => false },
    synced: () => undefined,
    nameOf: (id: string) => id,
    pseudonymOf: () => undefined,
  })

/**
 * Takes the port, before anything is created. Until the start is complete, health checks are answered and everything
 * else is refused as not ready.
 *
 * @throws PortTaken, Misconfigured
 */
export const bindPort = async (base: Base, certificate: Certificate | undefined) => {
  const { log, timeouts, opened } = base
  const { host, port, trustedProxies } = base.config
  const addresses = makeClientAddresses(trustedProxies, (peer) =>
    log.warn(
      { peer },
      'ignoring forwarding headers of an untrusted peer; if it is a proxy, add it to BERTH_TRUSTED_PROXIES',
    ),
  )
  const reports = makeReports(base)
  const app = makeStartingApp(base, addresses, reports)
  const { onAcceptError } = reports
  const listening = await listen(app, {
    ...{ host, port, addresses, certificate, timeouts, onAcceptError },
  }).catch((error: NodeJS.ErrnoException) => {
    const problem = ADDRESS_PROBLEMS[String(error.code)]
    if (problem !== undefined) throw new Misconfigured([problem])
    if (error.code !== 'EADDRINUSE') throw error
    const sentence = `BERTH_PORT: port ${port} at ${host} is in use by another program`
    throw new PortTaken(`${sentence}; stop it, or set BERTH_PORT to another port`, { cause: error })
  })
  opened.defer(() => listening.close(0))
  if (certificate === undefined && !listening.isLoopback) {
    const remedy = 'set BERTH_TLS_CERT and BERTH_TLS_KEY'
    log.warn({ host }, `connections are not encrypted, so passwords can be intercepted; ${remedy}`)
  }
  return { listening, addresses, reports }
}
