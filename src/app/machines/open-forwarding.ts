import * as E from 'fp-ts/lib/Either.js'
import { fits } from '../../domain/user/scope.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { isOwnAddress } from '../../gateway/connections/addresses.ts'
import { type Decisions, openGateway } from '../../gateway/gateway.ts'
import { probe } from '../../gateway/probe/probe.ts'
import { respondToChallenge } from '../../gateway/rfb/challenge.ts'
import { makeMayBeShared } from '../../gateway/shared-addresses.ts'
import type { AttachClient } from '../../http/console/bridge.ts'
import { makeAdmit, makeTargetOf } from '../../processes/admission.ts'
import type { ForwardedReservations } from '../../processes/forwarded.ts'
import { makeForwarding } from '../../processes/forwarding.ts'
import { type Monitor, type MonitorOptions, makeMonitor } from '../../processes/monitoring/monitor.ts'
import type { Sessions } from '../../processes/sessions/sessions.ts'
import type { UpcomingReservations } from '../../processes/upcoming.ts'
import type { ClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import { findHolder } from '../accounts/signed-in.ts'
import type { Config } from '../config/config.ts'
import { type Lab, makeWarnOnce } from '../core/base.ts'

/**
 * Makes the function that finds the password of a SUT; undefined if it has none.
 *
 * @throws Unreadable for one that was altered, or whose key is missing
 */
export const makePasswordOf =
  ({ vault }: Pick<Lab, 'vault'>, Unreadable: new (why: string) => Error = Error) =>
  async (sutId: string): Promise<string | undefined> => {
    const password = await vault.passwordOf(sutId)
    if (E.isLeft(password)) throw new Unreadable(password.left)
    return password.right
  }

/** Makes the function that says whether the service listens at an address. @param ownPort of its API */
export const makeIsOwn = ({ listenPorts: { first, last } }: Config, ownPort: number) => {
  const isOwnPort = (port: number): boolean => port === ownPort || (port >= first && port <= last)
  return (address: string, port: number): boolean => isOwnAddress(address, port, isOwnPort)
}

/**
 * A monitor that probes over the network with the vault's passwords. The signal also abandons probes in flight.
 *
 * @param ownPort of the service itself. Berth never connects to its own ports.
 */
export const openMonitor = (
  lab: Lab,
  options: Pick<MonitorOptions, 'instance' | 'useOf' | 'isServing' | 'signal'>,
  ownPort: number,
): Monitor => {
  const { config, log, clock, metrics, processClock } = lab
  const { signal } = options
  const isOwn = makeIsOwn(config, ownPort)
  const warnOnce = makeWarnOnce(log, clock)
  const passwordOf = makePasswordOf(lab, StoreUnavailable)
  return makeMonitor({
    ...{ ...lab, ...options, clock: processClock, onProbe: metrics.probed },
    isOurs: ({ tags }) => fits(tags, config.gateway.suts),
    probe: async ({ _id, address: host, port, sut_type }) => {
      const password = sut_type === 'vnc' ? await passwordOf(_id) : undefined
      const finding = await probe({ host, port, sut_type, password }, { isOwn, signal })
      if (finding?.reason !== undefined) {
        const facts = { sut: _id, why: finding.cause, reason: finding.reason }
        warnOnce(facts, 'a SUT refused a probe', `${_id} ${finding.cause}`)
      }
      return finding
    },
    onError: (error) => log.error({ err: error }, 'a SUT could not be probed; retrying'),
  })
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
  readonly forwarded: ForwardedReservations
  readonly upcoming: UpcomingReservations
  readonly sessions: Sessions
  /** The port of the service itself. */
  readonly ownPort: number
  /** Ends what follows the views; the gateway is stopped by itself. */
  readonly signal: AbortSignal
}

/** Notes and reports what happens at the gateway. */
const makeNotes = ({ clock, log, metrics }: Lab, { forwarded, sessions }: ForwardingParts) => {
  const warnOnce = makeWarnOnce(log, clock)
  const warn = (reservation: string, why: string, sentence: string, more = {}): void =>
    warnOnce({ reservation, why, ...more }, sentence, `${reservation} ${why}`)
  return {
    onPortTaken: forwarded.portTaken,
    onPortOpened: forwarded.portOpened,
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
  } satisfies Partial<Decisions>
}

/** Opens the gateway, and the process that has it forward running reservations. */
export const openForwarding = (lab: Lab, parts: ForwardingParts) => {
  const { config, log, processClock, views, users, runner } = lab
  const { clientPseudonyms, forwarded, upcoming, ownPort, signal } = parts
  const { host, clients, suts, ...limits } = config.gateway
  const targetOf = makeTargetOf(views, suts)
  const passwordOf = makePasswordOf(lab)
  const get = (id: string) => forwarded.get(id)?.reservation
  /** The password of the SUT of a reservation. */
  const passwordFor = async (id: string): Promise<string | undefined> => {
    const sutId = get(id)?.sut_id
    return sutId && passwordOf(sutId)
  }
  const warnIfShared = makeWarnIfShared(lab)
  const admit = makeAdmit({ get, targetOf, runner, clientPseudonyms, passwordOf, clients })
  const decisions: Decisions = {
    ...makeNotes(lab, parts),
    admit: (id, address) => {
      if (clients === 'holder') warnIfShared(address)
      return admit(id, address)
    },
    answerChallenge: async (id, challenge) => {
      const password = await passwordFor(id)
      return password === undefined ? undefined : respondToChallenge(password, challenge)
    },
    onThreadFailed: (error) => {
      process.reopenAll()
      log.error({ err: error }, 'the thread of the gateway failed; starting another')
    },
  }
  const gateway = openGateway({ host, ownPorts: [ownPort], ...limits }, decisions)
  const process = makeForwarding({
    ...{ upcoming, forwarded, views, gateway, clock: processClock, targetOf, signal },
    accessSince: (userId) => findHolder(users, userId)?.accessSince,
    onError: (error) => log.error({ err: error }, 'a reservation was not forwarded'),
  })
  signal.addEventListener('abort', users.onChange(process.checkAll))
  const attach: AttachClient = async (id) => {
    const attached = await gateway.attach(id, { hasPassword: (await passwordFor(id)) !== undefined })
    if (!('refused' in attached)) return attached
    decisions.onRefused(id, attached.refused, 1)
    // A thread that has just been started does not know it yet.
    return attached.refused === 'over' && forwarded.has(id) ? { refused: 'undecided' } : attached
  }
  /** `stop` cuts every connection. */
  return { process, attach, stop: gateway.stop }
}
