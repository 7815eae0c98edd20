import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeRotatingIdempotencyKeys } from '../commands/idempotency-key.ts'
import { makeInFlight } from '../commands/in-flight.ts'
import { makeSweep, startSweeping } from '../commands/listen-ports.ts'
import type { Runner } from '../commands/order.ts'
import { makeRunner } from '../commands/runner.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { type Feed, makeFeed } from '../feed/feed.ts'
import { makeApp } from '../http/app.ts'
import { makeGate } from '../http/authentication/gate.ts'
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
import type { OnResumed } from '../read-models/projector/outage-timer.ts'
import type { Views } from '../read-models/views.ts'
import { makeAuthenticator } from '../users/authenticate.ts'
import type { Config } from './config/config.ts'
import { listenForCommands } from './control-handlers.ts'
import { makeHandlers } from './handlers.ts'
import type { Parts } from './parts.ts'
import type { Log, World } from './world.ts'

/** Milliseconds background work gets to finish before the store is closed. */
const BACKGROUND_TIMEOUT = 1_000

/** Closes with a timeout, so that an unresponsive store does not block shutdown. */
export const withTimeout = (close: () => Promise<void> | void) => (): Promise<void> =>
  Promise.race([close(), delay(BACKGROUND_TIMEOUT, undefined, { ref: false })])

/** A node may cut off a subscription at any time. Log each outage with its length. */
export const logResumed =
  ({ warn }: Pick<Log, 'warn'>): OnResumed =>
  (cause, milliseconds) =>
    warn({ err: cause, milliseconds }, 'subscription to the event store was interrupted; resumed')

/** Starts sweeping abandoned creations. Returns the function that stops it. */
const startSweep = (
  { clock, log }: World,
  randomHex: RandomHex,
  runner: Runner,
  views: Views,
  isOpen: () => boolean,
): (() => Promise<void> | void) => {
  const sweep = makeSweep({
    runner,
    clock,
    sutStatusOf: (id) => {
      const version = views.newest('sut', id)
      return version && (version.ended === 'retired' ? 'retired' : 'standing')
    },
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
  })
  return startSweeping(sweep, isOpen, (error) => log.error({ err: error }, 'sweep failed; retrying')).stop
}

/** Hooks through which the parts report to the log and the metrics. */
const makeTelemetry = (world: World, metrics: Metrics) => {
  const refused = new WeakSet<Socket>()
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
    },
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
const closeWithStreams = (listening: Listening, feed: Feed): Listening => ({
  ...listening,
  close: async (within) => {
    const closed = listening.close(within)
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
  const { store, views, users, vault, certificate, metrics, guard, condition, opened } = parts
  const { clock, randomBytes, log } = world
  const { readSnapshot: read, readPage, keepSnapshot: keep, dropUnwrittenSnapshots: dropUnwritten } = views
  const snapshots = { read, readPage, keep, dropUnwritten }
  const { hooks, onAnswered, onRefused } = makeTelemetry(world, metrics)
  const runner = makeRunner({ store, clock, randomHex, snapshots, log: views, guard, hooks })
  const repeated = makeStoredResponse(views)
  const isOpen = (): boolean => isServing(condition())
  const addresses = makeClientAddresses(config.trustedProxies, (peer) =>
    log.warn(
      { peer },
      'ignoring forwarding headers of an untrusted peer; if it is a proxy, add it to BERTH_TRUSTED_PROXIES',
    ),
  )
  const feed = openFeed(config, world, randomHex, parts)
  const page: readonly Route[] = routes(
    makeHandlers({ config, clock, randomHex, parts, runner, feed, page: () => page }),
  )
  const app = makeApp({
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
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request failed'),
    onAnswered,
    addressOf: addresses.clientOf,
  })
  opened.push(runner.saveStates, withTimeout(startSweep(world, randomHex, runner, views, isOpen)))
  opened.push(await listenForCommands(config, world, randomHex, parts))
  const { host, port } = config
  const { patience } = world
  const connections = { host, port, addresses, certificate, patience, onRefused }
  const listening = await listen(handleInBursts(app.callback()), { ...connections, clock, randomHex })
  if (certificate === undefined && !listening.isLoopback) {
    log.warn(
      { host },
      'connections are not encrypted, so passwords can be intercepted; set BERTH_TLS_CERT and BERTH_TLS_KEY',
    )
  }
  return closeWithStreams(listening, feed)
}
