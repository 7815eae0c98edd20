import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeInFlight } from './commands/in-flight.ts'
import { keepSwept, makeSweep } from './commands/listen-ports.ts'
import type { Runner } from './commands/order.ts'
import { makeRetryKeysOf } from './commands/retry-key.ts'
import { makeRunner } from './commands/runner.ts'
import type { Config } from './config.ts'
import { LISTEN_PORTS_STREAM, makeEventId, type RandomHex } from './domain/ids.ts'
import type { EventStore } from './event-store/event-store.ts'
import { type Answered, knownMethod, NO_ROUTE } from './http/answered.ts'
import { makeApp } from './http/app.ts'
import type { Certificate } from './http/certificate.ts'
import { makeClientAddresses, peerOf } from './http/client-address.ts'
import { makeGate } from './http/gate.ts'
import { type Condition, isReady, makeHealth } from './http/health.ts'
import { type Listening, listen } from './http/listen.ts'
import type { Gauges, Metrics } from './http/metrics.ts'
import { makeObjects } from './http/objects.ts'
import { codes, type Refusal } from './http/problem.ts'
import { makeRepeated } from './http/repeated.ts'
import { makeReservationLists } from './http/reservation-lists.ts'
import { makeReservationHandlers } from './http/reservations.ts'
import { routes } from './http/routes.ts'
import { makeSutLists } from './http/sut-lists.ts'
import { makeSutHandlers } from './http/suts.ts'
import { makeUserList } from './http/user-list.ts'
import type { Views } from './read-models/views.ts'
import type { Alarms } from './telemetry/alarms.ts'
import { makeAuthenticator } from './users/authenticate.ts'
import type { Users } from './users/users.ts'
import type { Vault } from './vault/vault.ts'
import type { World } from './world.ts'

const storeWord = (alarms: Alarms, views: Views, isFailed: boolean): Condition['store'] => {
  if (isFailed) return 'failed'
  if (views.isOfAnotherLog()) return 'another'
  return alarms.isRaised('store') ? 'unreadable' : 'ok'
}

/** What is known of the parts as they stand, for whoever asks how the service is. */
export const conditionOf = (alarms: Alarms, views: Views, isFailed: boolean, isStopping: boolean): Condition => ({
  service: isStopping ? 'stopping' : 'ok',
  store: storeWord(alarms, views, isFailed),
  views: !views.caughtUp() ? 'behind' : alarms.isRaised('views') ? 'unwritten' : 'ok',
  users: alarms.isRaised('users') ? 'broken' : 'ok',
  vault: alarms.isRaised('vault') ? 'broken' : 'ok',
})

/** What the metrics look at whenever they are asked for. */
export const gaugesOf = ({
  store,
  views,
  vault,
  alarms,
  condition,
}: Pick<Parts, 'store' | 'views' | 'vault' | 'condition'> & { readonly alarms: Alarms }): Gauges => ({
  isReady: () => isReady(condition()),
  events: () => views.position() + 1,
  viewLag: async () => Math.max(0, (await store.head()) - views.mark()),
  pendingRows: views.pendingRows,
  alarms: alarms.all,
  oldKeys: () => vault.keys().keys.length - 1,
})

/** What has been opened, to be put together. */
export interface Parts {
  readonly store: EventStore
  readonly views: Views
  readonly users: Users
  readonly vault: Vault
  readonly certificate: Certificate | undefined
  readonly metrics: Metrics
  readonly condition: () => Condition
  /** What has been opened, to be closed in the opposite order. */
  readonly opened: (() => Promise<void> | void)[]
}

/** Milliseconds that work in the background is given to end by itself, before the store is closed under it. */
const BACKGROUND_WITHIN = 1_000

/** A store that does not answer does not keep a service from stopping. */
export const withoutWaitingLong = (close: () => Promise<void> | void) => (): Promise<void> =>
  Promise.race([close(), delay(BACKGROUND_WITHIN, undefined, { ref: false })])

/** Sweeps up the creations that were never ended; the function returned ends that. */
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
    standingOf: (id) => {
      const version = views.newest('sut', id)
      return version && (version.ended === 'retired' ? 'retired' : 'standing')
    },
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
  })
  return keepSwept(sweep, isOpen, (error) => log.error({ err: error }, 'a sweep failed')).stop
}

/** What the parts tell of their work, for the log and the metrics. */
const tellingOf = (world: World, metrics: Metrics) => {
  const refused = new WeakSet<Socket>()
  const tell = (answered: Answered): void => {
    metrics.answered(answered)
    world.onAnswered?.(answered)
  }
  return {
    /** A request that was refused over its head, because it did not come whole, has been told. */
    onAnswered: (answered: Answered, { socket }: IncomingMessage) => !refused.has(socket) && tell(answered),
    /** What was refused before it became a request is told like one. */
    onRefused: ({ code }: Refusal, requestId: string, socket: Socket): void => {
      refused.add(socket)
      const known = { route: NO_ROUTE, method: knownMethod(undefined), status: codes[code].status, code }
      const address = peerOf(socket)
      tell({ ...known, requestId, address, traceId: undefined, user: undefined, milliseconds: 0 })
    },
    told: {
      decidedAgain: metrics.decidedAgain,
      // Not an answer yet: that is the SUT's own stream's to give.
      repeated: (stream: string) => stream !== LISTEN_PORTS_STREAM && metrics.repeated(),
    },
  }
}

/** Puts the parts together and listens. */
export const assemble = async (
  config: Config,
  world: World,
  randomHex: RandomHex,
  parts: Parts,
): Promise<Listening> => {
  const { store, views, users, vault, certificate, metrics, condition, opened } = parts
  const { clock, randomBytes, log } = world
  const snapshots = { read: views.readSnapshot, keep: views.keepSnapshot }
  const { told, onAnswered, onRefused } = tellingOf(world, metrics)
  const runner = makeRunner({ store, clock, randomHex, snapshots, following: views.following, told })
  const objects = makeObjects(views, store)
  const repeated = makeRepeated(views)
  const isOpen = (): boolean => isReady({ ...condition(), service: 'ok' })
  const addresses = makeClientAddresses(config.trustedProxies)
  const handlers = {
    reservations: makeReservationHandlers({ runner, objects, users, limits: config.limits, randomHex }),
    reservationLists: makeReservationLists({ objects, clock }),
    suts: makeSutHandlers({ runner, objects, vault, range: config.listenPorts, randomHex }),
    sutLists: makeSutLists({ objects, clock, horizon: config.limits.horizon }),
    userList: makeUserList(users),
    health: makeHealth(condition),
    metrics: metrics.text,
  }
  const app = makeApp({
    routes: routes(handlers),
    gate: makeGate({ authenticator: makeAuthenticator({ users, randomBytes }), addresses, clock }),
    retryKeys: makeRetryKeysOf(vault.keys),
    inFlight: makeInFlight(),
    repeated: (key) => {
      const answer = repeated(key)
      if (answer !== undefined && E.isRight(answer)) metrics.repeated()
      return answer
    },
    views,
    isOpen,
    clock,
    randomHex,
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request failed'),
    onAnswered,
    addressOf: addresses.clientOf,
  })
  opened.push(withoutWaitingLong(startSweep(world, randomHex, runner, views, isOpen)))
  const { host, port } = config
  const { patience } = world
  const connections = { host, port, addresses, certificate, patience, onRefused }
  const listening = await listen(app.callback(), { ...connections, clock, randomHex })
  if (certificate === undefined && !listening.isLoopback) {
    log.warn(
      { host },
      'connections are not encrypted, so passwords can be read on the way; set BERTH_TLS_CERT and _KEY',
    )
  }
  return listening
}
