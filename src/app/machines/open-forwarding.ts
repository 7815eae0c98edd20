import { type Decisions, openGateway } from '../../gateway/gateway.ts'
import { respondToChallenge } from '../../gateway/rfb/challenge.ts'
import { makeMayBeShared } from '../../gateway/shared-addresses.ts'
import type { AttachClient } from '../../http/console/bridge.ts'
import { makeAdmit } from '../../processes/admission.ts'
import type { ForwardedReservations } from '../../processes/forwarded.ts'
import { makeForwarding } from '../../processes/forwarding.ts'
import type { Timed } from '../../processes/loop.ts'
import type { Sessions } from '../../processes/sessions/sessions.ts'
import { makeTargetOf } from '../../processes/targets.ts'
import type { UpcomingReservations } from '../../processes/upcoming.ts'
import type { ClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import { findHolder } from '../accounts/signed-in.ts'
import type { Lab } from '../core/base.ts'
import { makeWarnOnce } from '../core/base.ts'
import { makePasswordOf } from './open-monitor.ts'

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

interface OpenForwarding {
  readonly process: Timed
  readonly attach: AttachClient
  /** Cuts every connection. */
  readonly stop: () => Promise<void>
}

/** Opens the gateway, and the process that has it forward running reservations. */
export const openForwarding = (lab: Lab, parts: ForwardingParts): OpenForwarding => {
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
  return { process, attach, stop: gateway.stop }
}
