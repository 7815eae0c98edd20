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
import { ANSWER_TIMEOUT_MS, accept, attach, type Shared } from './clients.ts'
import { closeEntry, cutConnections, type ForwardedReservation, makeAdmissions, reconsiderEntry } from './entry.ts'
import { type Listener, listenOn } from './listener.ts'
import { makeConnectionRefusals } from './refusal-counts.ts'

/** Adds and changes forwardings. */
const makeEntries = (shared: Shared, { host, portRetryMs: retryMs }: GatewayWorkerOptions) => {
  const { main, refusals } = shared

  const listen = ({ reservationId, listenPort: port }: Forwarding, entry: () => ForwardedReservation): Listener =>
    listenOn(
      { host, port, retryMs },
      {
        onConnection: (socket) => {
          // What was decided before a client connected counts for it: a client may come right after its binding.
          main.receiveArrived()
          accept(shared, entry(), socket)
        },
        onExhausted: () => refusals.refused(reservationId, 'full'),
        onOpened: () => main.tell('onPortOpened', [reservationId, port]),
        onTaken: (code) => main.tell('onPortTaken', [reservationId, port, code]),
      },
    )

  return {
    add: (forwarding: Forwarding): ForwardedReservation => {
      const ask = (address: string) => main.call('admit', [forwarding.reservationId, address])
      const entry: ForwardedReservation = {
        ...{ forwarding, listener: listen(forwarding, () => entry) },
        admissions: makeAdmissions((address) => within<Verdict, Verdict>(ANSWER_TIMEOUT_MS, ask(address), UNDECIDED)),
        ...{ connections: new Map(), undecided: new Set(), isOver: false },
      }
      return entry
    },
    change: (entry: ForwardedReservation, forwarding: Forwarding): void => {
      entry.forwarding = forwarding
      entry.admissions.forget()
      if (entry.listener.port === forwarding.listenPort) return
      entry.listener.close()
      entry.listener = listen(forwarding, () => entry)
    },
  }
}

export const makeSwitchboard = (
  options: GatewayWorkerOptions,
  main: Answering<GatewayOwner>,
): GatewayThread & { readonly stop: () => void } => {
  const byId = new Map<string, ForwardedReservation>()
  const byPort = new Map<number, ForwardedReservation>()
  const ownPorts = new Set(options.ownPorts)
  const isOwnPort = (port: number): boolean => ownPorts.has(port) || byPort.has(port)
  const refusals = makeConnectionRefusals(main.tell)
  const shared: Shared = {
    ...{ limits: options, main, refusals, open: 0, last: 0 },
    isOwn: (address, port) => isOwnAddress(address, port, isOwnPort),
  }
  const { add, change } = makeEntries(shared, options)

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
      const refused = entry === undefined ? 'over' : attach(shared, entry, stream, hasPassword)
      if (refused !== undefined) stream.destroy()
      return refused
    },
    stop: () => {
      for (const reservationId of [...byId.keys()]) close(reservationId, 'stopped')
      refusals.flush()
    },
  }
}
