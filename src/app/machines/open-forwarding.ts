import type { Decisions } from '../../gateway/decisions.ts'
import { type Gateway, openGateway } from '../../gateway/gateway.ts'
import { respondToChallenge } from '../../gateway/rfb/challenge.ts'
import type { GatewayMeasures } from '../../http/routes/metrics/measures.ts'
import { makeAdmission } from '../../processes/admission.ts'
import type { ProcessClock } from '../../processes/clock.ts'
import { type ForwardingProcess, makeForwarding } from '../../processes/forwarding.ts'
import type { Sessions } from '../../processes/sessions/sessions.ts'
import { makeTargetOf } from '../../processes/targets.ts'
import type { UpcomingReservations } from '../../processes/upcoming.ts'
import type { ClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import type { Opened } from '../accounts/opened.ts'
import type { GatewayConfig } from '../config/gateway.ts'
import type { ForwardedRegistry } from './forwarded.ts'
import { findHolder } from './holder.ts'
import { makePasswordOf } from './open-monitor.ts'
import { makeLogOnce, makeWarnIfShared, watchPorts } from './reports.ts'

/**
 * Calls back at once with the users who were removed, or whose access was interrupted, perhaps only for a moment. Who
 * may do what now does not tell that.
 */
const watchAccessEnds = (
  { list, onChange }: Opened['users'],
  onEnded: (userIds: ReadonlySet<string>) => void,
): (() => void) => {
  const read = (): ReadonlyMap<string, number> => new Map(list().map(({ _id, accessSince }) => [_id, accessSince]))
  let before = read()
  return onChange(() => {
    const now = read()
    const ended = [...before].filter(([id, since]) => now.get(id) !== since)
    before = now
    if (ended.length > 0) onEnded(new Set(ended.map(([id]) => id)))
  })
}

interface OpenForwardingOptions
  extends Pick<Opened, 'clock' | 'log' | 'views' | 'users' | 'vault' | 'alarms' | 'runner'> {
  readonly config: GatewayConfig
  readonly processClock: ProcessClock
  readonly clientPseudonyms: ClientPseudonyms
  readonly metrics: GatewayMeasures
  readonly forwarded: ForwardedRegistry
  readonly upcoming: UpcomingReservations
  /** The port of the service itself. */
  readonly ownPort: number
  readonly signal: AbortSignal
  readonly sessions: Sessions
}

const makeHasPassword =
  (get: ForwardingProcess['get'], passwordOf: (sutId: string) => Promise<string | undefined>) =>
  async (reservationId: string): Promise<boolean> => {
    const reservation = get(reservationId)
    return reservation !== undefined && (await passwordOf(reservation.sut_id)) !== undefined
  }

/** Ends the waits for reservations that are cancelled or released. Returns the function that ends this. */
const giveUpEnded = (views: Opened['views'], { giveUp }: ForwardedRegistry): (() => void) =>
  views.watch((_, changes) => {
    for (const { projection, after } of changes) {
      if (projection === 'reservation' && after.ended !== null) giveUp(after.id)
    }
  })

/** The same gateway. What it is told to forward is noted. */
const noteForwarded = (gateway: Gateway, forwarded: ForwardedRegistry, settle: (id: string) => void): Gateway => ({
  ...gateway,
  open: (forwarding) => {
    forwarded.open(forwarding)
    return gateway.open(forwarding)
  },
  close: (id, cause) => {
    settle(id)
    forwarded.close(id, cause)
    gateway.close(id, cause)
  },
  cut: (id, cause) => {
    forwarded.cut(id, cause)
    gateway.cut(id, cause)
  },
})

/** Opens the gateway, and the process that has it forward running reservations. */
export const openForwarding = (options: OpenForwardingOptions) => {
  const { clock, log, processClock, views, users, vault, clientPseudonyms, metrics, alarms, forwarded } = options
  const { runner, upcoming, ownPort, signal, sessions } = options
  const { host, clients, suts, ...limits } = options.config
  const logOnce = makeLogOnce(log, clock)
  const onError = (error: unknown): void => log.error({ err: error }, 'a reservation was not forwarded')
  const targetOf = makeTargetOf(views, suts)
  const passwordOf = makePasswordOf(vault)
  const get: ForwardingProcess['get'] = (id) => forwarding.get(id)
  const admission = makeAdmission({
    ...{ get, targetOf, runner, clientPseudonyms, passwordOf, respond: respondToChallenge, clients },
  })
  const ports = watchPorts(alarms, (id) => get(id) !== undefined)
  const warnIfShared = makeWarnIfShared(log)
  const decisions: Decisions = {
    ...admission,
    admit: (id, address) => {
      if (clients === 'holder') warnIfShared(address)
      return admission.admit(id, address)
    },
    onPortTaken: (id, port, code) => {
      forwarded.portTaken(id, code)
      ports.taken(id, port, code)
    },
    onPortOpened: (id) => {
      forwarded.portOpened(id)
      ports.settle(id)
    },
    onConnected: (begun) => {
      forwarded.connected(begun.reservationId)
      metrics.connected(begun.milliseconds)
      sessions.connected(begun)
    },
    onCounted: sessions.counted,
    onDisconnected: (end) => {
      forwarded.disconnected(end)
      metrics.disconnected(end)
      sessions.disconnected(end)
    },
    onRefused: (id, reason, count) => {
      metrics.gatewayRefused(reason, count)
      logOnce({ reservation: id }, reason, 'the gateway refused a client')
    },
    onUndecided: (id, error) =>
      logOnce({ reservation: id }, (error as Error).message, 'the gateway could not decide about a client'),
    onFailed: (id, failure) => {
      forwarded.failed(id, failure)
      logOnce({ reservation: id }, failure.cause, 'the gateway could not reach a SUT', failure.reason)
    },
    onThreadFailed: (error) => {
      forwarded.setAllClosed()
      log.error({ err: error }, 'the thread of the gateway failed; starting another')
    },
  }
  const gateway = openGateway({ host, ownPorts: [ownPort], clock, ...limits }, decisions)
  forwarded.use({ ...gateway, hasPassword: makeHasPassword(get, passwordOf), onRefused: decisions.onRefused })
  const mayHold = (userId: string): boolean => findHolder(users, userId) !== undefined
  const forwarding: ForwardingProcess = makeForwarding({
    ...{ upcoming, views, clock: processClock, targetOf, mayHold, signal, onError },
    gateway: noteForwarded(gateway, forwarded, ports.settle),
  })
  const unwatch = watchAccessEnds(users, forwarding.endAccess)
  signal.addEventListener('abort', unwatch)
  signal.addEventListener('abort', giveUpEnded(views, forwarded))
  return { gateway, forwarding }
}
