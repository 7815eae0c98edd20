import type { Answering } from '../../concurrency/answer-calls.ts'
import { within } from '../../concurrency/waits.ts'
import { PortStream } from '../bridge/port-stream.ts'
import { isOwnAddress } from '../connections/addresses.ts'
import type { CutCause, EndCause } from '../connections/causes.ts'
import {
  type Forwarding,
  type GatewayOwner,
  type GatewayThread,
  type GatewayWorkerOptions,
  UNDECIDED,
  type Verdict,
} from '../messages.ts'
import { makeAcceptor } from './accept.ts'
import { makeConnectClient } from './connect-client.ts'
import { closeEntry, cutConnections, type ForwardedReservation, makeAdmissions, reconsiderEntry } from './entry.ts'
import { type Listener, listenOn } from './listener.ts'
import { makeConnectionRefusals } from './refusal-counts.ts'

/** Milliseconds for an answer of the main thread. At most one question is open for each connection. */
const ANSWER_TIMEOUT_MS = 10_000

/** Forwardings by their ports. */
type ByPort = Map<number, ForwardedReservation>

/** Wires listening, admission and connecting for entries. */
const wireEntries = (
  options: GatewayWorkerOptions,
  { tell, call, receiveArrived }: Answering<GatewayOwner>,
  byPort: ByPort,
) => {
  const refusals = makeConnectionRefusals(tell)
  const count = { open: 0 }
  const ownPorts = new Set(options.ownPorts)
  const isOwnPort = (port: number): boolean => ownPorts.has(port) || byPort.has(port)
  const isOwn = (address: string, port: number): boolean => isOwnAddress(address, port, isOwnPort)
  const connect = makeConnectClient({
    limits: options,
    count,
    isOwn,
    respond: (reservationId, challenge) =>
      within(ANSWER_TIMEOUT_MS, call('answerChallenge', [reservationId, challenge]), undefined),
    refusals,
    tell,
  })
  const { accept, attach } = makeAcceptor({ limits: options, count, refusals, connect })

  const listen = ({ reservationId, listenPort: port }: Forwarding, entry: () => ForwardedReservation): Listener =>
    listenOn(
      { host: options.host, port, retryMs: options.portRetryMs },
      {
        onConnection: (socket) => {
          // What was decided before a client connected counts for it: a client may come right after its binding.
          receiveArrived()
          accept(entry(), socket)
        },
        onExhausted: () => refusals.refused(reservationId, 'full'),
        onOpened: () => tell('onPortOpened', [reservationId, port]),
        onTaken: (code) => tell('onPortTaken', [reservationId, port, code]),
      },
    )

  const add = (forwarding: Forwarding): ForwardedReservation => {
    const ask = (address: string) => call('admit', [forwarding.reservationId, address])
    const admissions = makeAdmissions((address) => within<Verdict, Verdict>(ANSWER_TIMEOUT_MS, ask(address), UNDECIDED))
    const listener = listen(forwarding, () => entry)
    const entry: ForwardedReservation = {
      ...{ forwarding, listener, admissions },
      ...{ connections: new Map(), undecided: new Set(), isOver: false },
    }
    return entry
  }

  const change = (entry: ForwardedReservation, forwarding: Forwarding): void => {
    entry.forwarding = forwarding
    entry.admissions.forget()
    if (entry.listener.port === forwarding.listenPort) return
    entry.listener.close()
    entry.listener = listen(forwarding, () => entry)
  }

  return { refusals, attach, add, change }
}

/** All forwardings in the worker thread. */
export const makeSwitchboard = (
  options: GatewayWorkerOptions,
  main: Answering<GatewayOwner>,
): GatewayThread & { readonly stop: () => void } => {
  const byId = new Map<string, ForwardedReservation>()
  const byPort: ByPort = new Map()
  const { refusals, attach, add, change } = wireEntries(options, main, byPort)

  const close = (reservationId: string, cause: CutCause): void => {
    const entry = byId.get(reservationId)
    if (entry === undefined) return
    byId.delete(reservationId)
    byPort.delete(entry.listener.port)
    closeEntry(entry, cause)
  }

  /** A port belongs to one SUT, and a SUT has one running reservation at a time. So a previous one is over. */
  const freePort = ({ reservationId, listenPort }: Forwarding): void => {
    const former = byPort.get(listenPort)?.forwarding.reservationId
    if (former !== undefined && former !== reservationId) close(former, 'over')
  }

  return {
    open: (forwarding) => {
      const { reservationId } = forwarding
      freePort(forwarding)
      const known = byId.get(reservationId)
      if (known !== undefined) {
        byPort.delete(known.listener.port)
        change(known, forwarding)
      }
      const entry = known ?? add(forwarding)
      byId.set(reservationId, entry)
      byPort.set(entry.listener.port, entry)
      return entry.listener.isListening()
    },
    close,
    cut: (reservationId, cause) => {
      const entry = byId.get(reservationId)
      if (entry !== undefined) cutConnections(entry, cause)
    },
    reconsider: (reservationId) => {
      const entry = byId.get(reservationId)
      if (entry !== undefined) reconsiderEntry(entry)
    },
    attach: ({ reservationId, hasPassword, port }) => {
      const entry = byId.get(reservationId)
      const stream = new PortStream<EndCause>(port)
      const refused = entry === undefined ? 'over' : attach(entry, stream, hasPassword)
      if (refused !== undefined) stream.destroy()
      return refused
    },
    stop: () => {
      for (const reservationId of [...byId.keys()]) close(reservationId, 'stopped')
      refusals.flush()
    },
  }
}
