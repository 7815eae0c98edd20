import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeRotatingIdempotencyKeys } from '../commands/idempotency-key.ts'
import { makeInFlight } from '../commands/in-flight.ts'
import type { Runner } from '../commands/order.ts'
import { makeRunner } from '../commands/runner.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { type Feed, makeFeed } from '../feed/feed.ts'
import { isOwnAddress } from '../gateway/connections/own-addresses.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import { makeGate } from '../http/authentication/gate.ts'
import type { Consoles } from '../http/console/consoles.ts'
import { makeClientAddresses, peerOf } from '../http/protocol/client-address.ts'
import { codes, type Refusal } from '../http/protocol/problem.ts'
import type { Route } from '../http/protocol/route.ts'
import { knownMethod, NO_ROUTE, type RequestSummary } from '../http/response/request-summary.ts'
import { makeStoredResponse } from '../http/response/stored-response.ts'
import { isOpen as isServing } from '../http/routes/health.ts'
import type { Metrics } from '../http/routes/metrics.ts'
import { routes } from '../http/routes.ts'
import { handleInBursts } from '../http/server/bursts.ts'
import { type Listening, listen } from '../http/server/listen.ts'
import { fits } from '../processes/targets.ts'
import type { OnResumed } from '../read-models/projector/outage-timer.ts'
import { makeAuthenticator } from '../users/authenticate.ts'
import { warnOfPlainText, warnOfUntrustedProxy } from './checks/network.ts'
import type { Config } from './config/config.ts'
import { listenForCommands } from './control-handlers.ts'
import { makeAccess } from './forwarding/access.ts'
import { makeHandlers } from './handlers.ts'
import { openMonitor } from './monitoring/open-monitor.ts'
import type { Parts } from './parts.ts'
import { pauseBriefly, startProcesses, startSweep } from './processes.ts'
import { makeLogUnavailable } from './unavailable.ts'
import type { Log, World } from './world.ts'

/** Milliseconds background work gets to finish before the store is closed. */
const BACKGROUND_TIMEOUT = 1_000

/** Milliseconds for timed processes, which also cut connections and record their sessions. */
const PROCESSES_TIMEOUT = 5_000

/** Closes with a timeout, so that an unresponsive store does not block shutdown. */
export const withTimeout =
  (close: () => Promise<void> | void, within = BACKGROUND_TIMEOUT) =>
  (): Promise<void> =>
    Promise.race([close(), delay(within, undefined, { ref: false })])

/** A node may cut off a subscription at any time. Log each outage with its length. */
export const logResumed =
  ({ warn }: Pick<Log, 'warn'>): OnResumed =>
  (cause, milliseconds) =>
    warn({ err: cause, milliseconds }, 'subscription to the event store was interrupted; resumed')

/** Whether a port is the service's own, or may be a listen port. */
const isOwnPort = ({ port, listenPorts: { first, last } }: Config, own: number): boolean =>
  own === port || (own >= first && own <= last)

/** The monitor of this instance, not yet started. */
const openOwnMonitor = (
  config: Config,
  { clock, sinceBoot, log, wake = pauseBriefly }: World,
  randomHex: RandomHex,
  { views, vault, processClock, instance, metrics, sessions }: Parts,
  ...[runner, isOpen]: readonly [Runner, () => boolean]
) =>
  openMonitor({
    ...{ views, runner, vault, clock: processClock, sinceBoot, instance, isOpen, log, wake },
    isOurs: ({ tags }) => fits(tags, config.gateway.suts),
    isInUse: (sutId) => sessions.isInUse(sutId),
    isOwn: (address, port) => isOwnAddress(address, port, (own) => isOwnPort(config, own)),
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
    onProbe: metrics.probed,
  })

/** Hooks through which the parts report to the log and the metrics. */
const makeTelemetry = (world: World, metrics: Metrics) => {
  const refused = new WeakSet<Socket>()
  const unavailable = makeLogUnavailable(world.log, world.sinceBoot)
  const report = (summary: RequestSummary): void => {
    metrics.answered(summary)
    world.onAnswered?.(summary)
  }
  return {
    /** An incomplete request that was refused on the raw socket has been reported by `onRefused` already. */
    onAnswered: (summary: RequestSummary, { socket }: IncomingMessage) => !refused.has(socket) && report(summary),
    /** Reports a request that was refused before Node had parsed it. */
    onRefused: ({ code }: Refusal, requestId: string, socket: Socket): void => {
      refused.add(socket)
      const known = { route: NO_ROUTE, method: knownMethod(undefined), status: codes[code].status, code }
      const address = peerOf(socket)
      report({ ...known, requestId, address, traceId: undefined, user: undefined, milliseconds: 0 })
    },
    hooks: {
      onAppend: metrics.appended,
      onRetry: metrics.decisionRepeated,
      // A repetition on the port stream is no response yet. The SUT's own stream decides that.
      onRepeat: (stream: string) => stream !== LISTEN_PORTS_STREAM && metrics.retryAnswered(),
      onUnavailable: unavailable.ofCommand,
    },
    onError: (error: unknown, requestId: string): void =>
      world.log.error({ err: error, request_id: requestId }, 'a request failed'),
    onUnavailable: unavailable.ofRequest,
  }
}

const openFeed = (
  { origin }: Config,
  { log, feed: limits }: World,
  randomHex: RandomHex,
  { store, views, users, metrics }: Parts,
): Feed =>
  makeFeed({
    store,
    views,
    users,
    origin,
    limits,
    measures: metrics,
    randomByte: () => Number.parseInt(randomHex(1), 16),
    onError: (error) => log.error({ err: error }, 'event stream failed'),
    onResumed: logResumed(log),
  })

/** Ends streams at once, while other requests are drained: streams would not end by themselves. */
const closeWithStreams = (listening: Listening, feed: Feed, consoles: Consoles): Listening => ({
  ...listening,
  close: async (within) => {
    const closed = listening.close(within)
    consoles.close()
    await feed.close()
    await closed
  },
})

/** Wires the parts together and listens. */
export const assemble = async (
  config: Config,
  world: World,
  randomHex: RandomHex,
  parts: Parts,
): Promise<Listening> => {
  const { store, views, users, vault, clientNames, certificate, metrics, guard, condition, opened } = parts
  const { clock, sinceBoot, randomBytes, log } = world
  const { readSnapshot: read, readPage, keepSnapshot: keep, dropUnwrittenSnapshots: dropUnwritten } = views
  const snapshots = { read, readPage, keep, dropUnwritten }
  const { hooks, onRefused, ...reports } = makeTelemetry(world, metrics)
  const runner = makeRunner({ store, clock, randomHex, snapshots, log: views, guard, hooks })
  const repeated = makeStoredResponse(views)
  const isOpen = (): boolean => isServing(condition())
  const addresses = makeClientAddresses(config.trustedProxies, warnOfUntrustedProxy(log))
  const feed = openFeed(config, world, randomHex, parts)
  const monitor = openOwnMonitor(config, world, randomHex, parts, runner, isOpen)
  const { consoles, ...access } = makeAccess({
    ...{ ...parts, ...config, clock, randomHex, ...reports },
    ...{ tickets: parts.consoleTickets, addressOf: addresses.clientOf, limits: world.console },
  })
  const making = { config, clock, sinceBoot, randomHex, parts, check: monitor.check, runner, feed, ...access }
  const page: readonly Route[] = routes(makeHandlers({ ...making, page: () => page }))
  const dependencies: AppDependencies = {
    routes: page,
    gate: makeGate({ authenticator: makeAuthenticator({ users, randomBytes }), addresses, clock, randomBytes }),
    idempotencyKeys: makeRotatingIdempotencyKeys(vault.keys),
    inFlight: makeInFlight(),
    repeated: (key) => {
      const answer = repeated(key)
      if (answer !== undefined && E.isRight(answer)) metrics.retryAnswered()
      return answer
    },
    views,
    synced: () => store.synced?.(),
    isOpen,
    clock,
    randomHex,
    ...reports,
    addressOf: addresses.clientOf,
    clientNameOf: clientNames.of,
  }
  const app = makeApp(dependencies)
  opened.push(runner.saveStates, withTimeout(startSweep(world, randomHex, runner, views, isOpen)))
  opened.push(withTimeout(monitor.start()))
  opened.push(await listenForCommands(config, world, randomHex, parts, dependencies))
  const { host, port } = config
  const { patience } = world
  const connections = { host, port, addresses, certificate, patience, onRefused, upgrades: consoles }
  const listening = await listen(handleInBursts(app.callback()), { ...connections, clock, randomHex })
  const ownPort = listening.port
  opened.push(
    withTimeout(startProcesses({ config, world, randomHex, parts, runner, isOpen, ownPort }), PROCESSES_TIMEOUT),
  )
  if (certificate === undefined && !listening.isLoopback) warnOfPlainText(log, host)
  return closeWithStreams(listening, feed, consoles)
}
