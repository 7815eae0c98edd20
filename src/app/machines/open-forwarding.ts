import type { Decisions } from '../../gateway/gateway.ts'
import { type Gateway, openGateway } from '../../gateway/gateway.ts'
import { respondToChallenge } from '../../gateway/rfb/challenge.ts'
import { makeMayBeShared } from '../../gateway/shared-addresses.ts'
import { makeAdmission } from '../../processes/admission.ts'
import { type ForwardingProcess, makeForwarding } from '../../processes/forwarding.ts'
import type { Sessions } from '../../processes/sessions/sessions.ts'
import { makeTargetOf } from '../../processes/targets.ts'
import type { UpcomingReservations } from '../../processes/upcoming.ts'
import type { ClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import type { Lab } from '../core/base.ts'
import { makeWarnOnce } from '../core/reports.ts'
import type { ForwardedRegistry } from './forwarded.ts'
import { findHolder } from './holder.ts'
import { makePasswordOf } from './open-monitor.ts'

/**
 * Calls back at once with the users who were removed, or whose access was interrupted, perhaps only for a moment. Who
 * may do what now does not tell that.
 */
const watchAccessEnds = (
  { list, onChange }: Lab['users'],
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

/** Ends the waits for reservations that are cancelled or released. Returns the function that ends this. */
const giveUpEnded = (views: Lab['views'], { giveUp }: ForwardedRegistry): (() => void) =>
  views.watch((_, changes) => {
    for (const { projection, after } of changes) {
      if (projection === 'reservation' && after.ended !== null) giveUp(after.id)
    }
  })

/** Raises an alarm while another program holds a port of a running reservation. */
const watchPorts = ({ alarms }: Lab, isForwarded: (reservationId: string) => boolean) => {
  const waiting = new Set<string>()
  return {
    taken: (reservationId: string, port: number, code: string): void => {
      // It may be over by the time this is reported.
      if (!isForwarded(reservationId)) return
      waiting.add(reservationId)
      alarms.raise('gateway', `port ${port} cannot be opened (${code}); retrying every 10 s`)
    },
    /** The port is open, or the reservation is over or no longer forwarded. */
    settle: (reservationId: string): void => {
      waiting.delete(reservationId)
      if (waiting.size === 0) alarms.clear('gateway', 'every port of a running reservation is open')
    },
  }
}

/** Warns once about a client address that many clients may share. */
const makeWarnIfShared = ({ log }: Lab) => {
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

interface ForwardingParts {
  readonly clientPseudonyms: ClientPseudonyms
  readonly forwarded: ForwardedRegistry
  readonly upcoming: UpcomingReservations
  readonly sessions: Sessions
  /** The port of the service itself. */
  readonly ownPort: number
  /** Ends what follows the views; the gateway is stopped by itself. */
  readonly signal: AbortSignal
}

/** What the gateway's decisions depend on, and what its reports go to. */
interface Reported extends Pick<ForwardingParts, 'forwarded' | 'sessions'> {
  readonly ports: ReturnType<typeof watchPorts>
  readonly admission: ReturnType<typeof makeAdmission>
}

/** Decides who may connect, and notes and reports what happens. */
const makeDecisions = (lab: Lab, { forwarded, sessions, ports, admission }: Reported): Decisions => {
  const { config, clock, log, metrics } = lab
  const warnIfShared = makeWarnIfShared(lab)
  const warnOnce = makeWarnOnce(log, clock)
  const warn = (reservation: string, why: string, sentence: string, more = {}): void =>
    warnOnce({ reservation, why, ...more }, sentence, `${reservation} ${why}`)
  return {
    ...admission,
    admit: (id, address) => {
      if (config.gateway.clients === 'holder') warnIfShared(address)
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
      warn(id, reason, 'the gateway refused a client')
    },
    onUndecided: (id, error) => warn(id, (error as Error).message, 'the gateway could not decide about a client'),
    onFailed: (id, failure) => {
      forwarded.failed(id, failure)
      const { cause, reason } = failure
      warn(id, cause, 'the gateway could not reach a SUT', reason === undefined ? {} : { reason })
    },
    onThreadFailed: (error) => {
      forwarded.setAllClosed()
      log.error({ err: error }, 'the thread of the gateway failed; starting another')
    },
  }
}

/** Opens the gateway, and the process that has it forward running reservations. */
export const openForwarding = (
  lab: Lab,
  { clientPseudonyms, forwarded, upcoming, sessions, ownPort, signal }: ForwardingParts,
): { readonly gateway: Gateway; readonly forwarding: ForwardingProcess } => {
  const { config, clock, log, processClock, views, users, runner } = lab
  const { host, clients, suts, ...limits } = config.gateway
  const targetOf = makeTargetOf(views, suts)
  const passwordOf = makePasswordOf(lab)
  const get: ForwardingProcess['get'] = (id) => forwarding.get(id)
  const ports = watchPorts(lab, (id) => get(id) !== undefined)
  const admission = makeAdmission({
    ...{ get, targetOf, runner, clientPseudonyms, passwordOf, respond: respondToChallenge, clients },
  })
  const decisions = makeDecisions(lab, { forwarded, sessions, ports, admission })
  const gateway = openGateway({ host, ownPorts: [ownPort], clock, ...limits }, decisions)
  forwarded.use({
    ...gateway,
    hasPassword: async (id) => {
      const reservation = get(id)
      return reservation !== undefined && (await passwordOf(reservation.sut_id)) !== undefined
    },
    onRefused: decisions.onRefused,
  })
  const forwarding = makeForwarding({
    ...{ upcoming, views, clock: processClock, targetOf, signal },
    mayHold: (userId) => findHolder(users, userId) !== undefined,
    onError: (error) => log.error({ err: error }, 'a reservation was not forwarded'),
    // What it is told to forward is noted.
    gateway: {
      ...gateway,
      open: (opening) => {
        forwarded.open(opening)
        return gateway.open(opening)
      },
      close: (id, cause) => {
        ports.settle(id)
        forwarded.close(id, cause)
        gateway.close(id, cause)
      },
      cut: (id, cause) => {
        forwarded.cut(id, cause)
        gateway.cut(id, cause)
      },
    },
  })
  signal.addEventListener('abort', watchAccessEnds(users, forwarding.endAccess))
  signal.addEventListener('abort', giveUpEnded(views, forwarded))
  return { gateway, forwarding }
}
