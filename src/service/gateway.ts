import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { Runner } from '../commands/order.ts'
import type { Decisions } from '../gateway/decisions.ts'
import { openGateway } from '../gateway/gateway.ts'
import { respondToChallenge } from '../gateway/rfb/challenge.ts'
import { makeMayBeShared } from '../gateway/shared-addresses.ts'
import { makeAdmission } from '../processes/admission.ts'
import { type Forwarding, makeForwarding } from '../processes/forwarding.ts'
import type { Sessions } from '../processes/sessions/sessions.ts'
import { makeTargetOf } from '../processes/targets.ts'
import type { UpcomingReservations } from '../processes/upcoming.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { Vault } from '../vault/vault.ts'
import type { Config } from './config/config.ts'
import type { Parts } from './parts.ts'
import type { Log, World } from './world.ts'

/** Milliseconds between log lines about the same reservation and reason. */
const LOGGED_EVERY = 60_000
/** Reservations and reasons of which the last line is remembered. */
const LOGGED_MAX = 10_000

interface ForwardingOptions {
  readonly config: Config
  readonly world: World
  readonly parts: Pick<
    Parts,
    'views' | 'users' | 'vault' | 'clientNames' | 'metrics' | 'processClock' | 'alarms' | 'forwarded'
  >
  readonly runner: Runner
  readonly upcoming: UpcomingReservations
  /** The port of the service itself. */
  readonly ownPort: number
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly sessions: Pick<Sessions, 'connected' | 'counted' | 'disconnected'>
}

/** Raises an alarm while another program has a port of ours. */
const watchPorts = (alarms: Alarms, isForwarded: (reservationId: string) => boolean) => {
  const waiting = new Set<string>()
  const settle = (reservationId: string): void => {
    waiting.delete(reservationId)
    if (waiting.size === 0) alarms.clear('gateway', 'every port of a running reservation is open')
  }
  return {
    onPortTaken: (reservationId, port, code) => {
      // It may be over by the time that this is reported.
      if (!isForwarded(reservationId)) return
      waiting.add(reservationId)
      alarms.raise('gateway', `port ${port} cannot be opened (${code}); retrying every 10 s`)
    },
    onPortOpened: settle,
    /** The reservation is over, or no longer forwarded. */
    settle,
  } satisfies Pick<Decisions, 'onPortTaken' | 'onPortOpened'> & { readonly settle: (reservationId: string) => void }
}

/** Counts connections and follows sessions. */
const countConnections = (
  { connected, disconnected }: Parts['metrics'],
  sessions: ForwardingOptions['sessions'],
): Pick<Decisions, 'onConnected' | 'onCounted' | 'onDisconnected'> => ({
  onConnected: (start) => {
    connected(start.milliseconds)
    sessions.connected(start)
  },
  onCounted: sessions.counted,
  onDisconnected: (end) => {
    disconnected(end)
    sessions.disconnected(end)
  },
})

/** Warns once of a client address that may be that of many. */
const makeWarnIfShared = (log: Log) => {
  const mayBeShared = makeMayBeShared()
  let isLogged = false
  return (address: string): void => {
    if (isLogged || !mayBeShared(address)) return
    isLogged = true
    log.warn(
      { address },
      'the gateway has a client whose address others may have too, and all of them count as the holder; ' +
        'if something rewrites addresses, use host networking, or let clients connect directly',
    )
  }
}

/** Logs a refusal or failure once a minute for each reservation. */
const makeLogOnce = (log: Log, clock: () => number) => {
  const logged = new LRUCache<string, true>({ max: LOGGED_MAX, ttl: LOGGED_EVERY, perf: { now: clock } })
  return (reservation: string, why: string, sentence: string): void => {
    const key = `${reservation} ${why}`
    if (logged.get(key)) return
    logged.set(key, true)
    log.warn({ reservation, why }, sentence)
  }
}

const makePasswordOf =
  (vault: Vault) =>
  async (sutId: string): Promise<string | undefined> => {
    const revealed = await vault.reveal(sutId)
    if (E.isLeft(revealed)) throw new Error(revealed.left)
    return revealed.right.password || undefined
  }

/** Opens the gateway and what tells it what to forward. Returns the function that stops both. */
export const openForwarding = (options: ForwardingOptions) => {
  const { config, world, parts, runner, upcoming, ownPort, wake, signal, sessions } = options
  const { views, users, vault, clientNames, metrics, processClock: clock, alarms, forwarded } = parts
  const { host, clients, suts, ...limits } = config.gateway
  const { log } = world
  const logOnce = makeLogOnce(log, world.clock)
  const onError = (error: unknown): void => log.error({ err: error }, 'a reservation was not forwarded')
  const targetOf = makeTargetOf(views, suts)
  const passwordOf = makePasswordOf(vault)
  const get: Forwarding['get'] = (id) => forwarding.get(id)
  const admission = makeAdmission({
    ...{ get, targetOf, runner, clientNames, passwordOf, respond: respondToChallenge, clients },
  })
  const ports = watchPorts(alarms, (id) => get(id) !== undefined)
  const warnIfShared = makeWarnIfShared(log)
  const decisions: Decisions = {
    ...admission,
    admit: (id, address) => {
      if (clients === 'holder') warnIfShared(address)
      return admission.admit(id, address)
    },
    onPortTaken: ports.onPortTaken,
    onPortOpened: ports.onPortOpened,
    ...countConnections(metrics, sessions),
    onRefused: (id, reason, count) => {
      metrics.gatewayRefused(reason, count)
      logOnce(id, reason, 'the gateway refused a client')
    },
    onFailed: (id, cause) => logOnce(id, cause, 'the gateway could not reach a SUT'),
    onThreadFailed: (error) => log.error({ err: error }, 'the thread of the gateway failed; starting another'),
  }
  const gateway = forwarded.following(
    openGateway({ host, ownPorts: [ownPort], clock: world.clock, ...limits }, forwarded.observing(decisions)),
    {
      hasPassword: async (id) => {
        const reservation = get(id)
        return reservation !== undefined && (await passwordOf(reservation.sut_id)) !== undefined
      },
      onRefused: decisions.onRefused,
    },
  )
  const mayHold = (userId: string): boolean => {
    const role = users.byId(userId)?.role
    return role === 'tester' || role === 'administrator'
  }
  const close: typeof gateway.close = (id, cause) => {
    ports.settle(id)
    gateway.close(id, cause)
  }
  const forwarding: Forwarding = makeForwarding({
    ...{ upcoming, views, gateway: { ...gateway, close }, clock, targetOf, mayHold, wake, signal, onError },
  })
  return { gateway, forwarding }
}
