import type { PendingCalls } from '../../concurrency/calls.ts'
import { within } from '../../concurrency/waits.ts'
import { openPortStream } from '../bridge/port-stream.ts'
import { isOwnAddress } from '../connections/addresses.ts'
import type { CutCause } from '../connections/causes.ts'
import {
  type Forwarding,
  type GatewayOwner,
  type GatewayThread,
  type GatewayWorkerOptions,
  UNDECIDED,
  type Verdict,
  type WorkerReport,
} from '../messages.ts'
import { makeAcceptor } from './accept.ts'
import { makeAdmissions } from './admissions.ts'
import { makeConnectClient } from './connect-client.ts'
import { makeDeadlines } from './deadlines.ts'
import { closeEntry, cutConnections, type ForwardedReservation, reconsiderEntry } from './entry.ts'
import { type Listener, listenOn } from './listener.ts'
import { makeConnectionRefusals } from './refusal-counts.ts'

/** Milliseconds for an answer of the main thread. At most one question is open for each connection. */
const ANSWER_TIMEOUT_MS = 10_000

export interface Switchboard extends GatewayThread {
  readonly stop: () => void
}

/** The main thread, as the switchboard sees it. */
interface Main {
  readonly report: (report: WorkerReport) => void
  readonly call: PendingCalls<GatewayOwner>['call']
  /** Handles what the main thread has called already. */
  readonly followArrived: () => void
}

/** Forwardings, by reservation and by port. */
const makeEntries = () => {
  const byId = new Map<string, ForwardedReservation>()
  const byPort = new Map<number, ForwardedReservation>()
  return {
    get: (reservationId: string) => byId.get(reservationId),
    on: (port: number) => byPort.get(port),
    ids: () => [...byId.keys()],
    isCurrent: (entry: ForwardedReservation) => byId.get(entry.forwarding.reservationId) === entry,
    put: (entry: ForwardedReservation): void => {
      byId.set(entry.forwarding.reservationId, entry)
      byPort.set(entry.listener.port, entry)
    },
    with: (reservationId: string, act: (entry: ForwardedReservation) => void): void => {
      const entry = byId.get(reservationId)
      if (entry !== undefined) act(entry)
    },
    remove: (entry: ForwardedReservation): void => {
      byId.delete(entry.forwarding.reservationId)
      byPort.delete(entry.listener.port)
    },
  }
}

/** Wires listening, admission and connecting for entries. */
const wireEntries = (
  options: GatewayWorkerOptions,
  { report, call, followArrived }: Main,
  entries: ReturnType<typeof makeEntries>,
  isRunning: (entry: ForwardedReservation) => boolean,
) => {
  const refusals = makeConnectionRefusals(report)
  const count = { open: 0 }
  const ownPorts = new Set(options.ownPorts)
  const isOwnPort = (port: number): boolean => ownPorts.has(port) || entries.on(port) !== undefined
  const isOwn = (address: string, port: number): boolean => isOwnAddress(address, port, isOwnPort)
  const connect = makeConnectClient({
    limits: options,
    count,
    isOwn,
    respond: (reservationId, challenge) =>
      within(ANSWER_TIMEOUT_MS, call('answerChallenge', [reservationId, challenge]), undefined),
    refusals,
    report,
  })
  const { accept, attach } = makeAcceptor({ limits: options, count, refusals, isRunning, connect })

  const listen = ({ reservationId, listenPort: port }: Forwarding, entry: () => ForwardedReservation): Listener =>
    listenOn(
      { host: options.host, port, retryMs: options.portRetryMs },
      {
        onConnection: (socket) => {
          // What was decided before a client connected counts for it: a client may come right after its binding.
          followArrived()
          accept(entry(), socket)
        },
        onExhausted: () => refusals.refused(reservationId, 'full'),
        onOpened: () => report(['onPortOpened', reservationId, port]),
        onTaken: (code) => report(['onPortTaken', reservationId, port, code]),
      },
    )

  const add = (forwarding: Forwarding): ForwardedReservation => {
    const ask = (address: string) => call('admit', [forwarding.reservationId, address])
    const admissions = makeAdmissions((address) => within<Verdict, Verdict>(ANSWER_TIMEOUT_MS, ask(address), UNDECIDED))
    const listener = listen(forwarding, () => entry)
    const entry: ForwardedReservation = {
      forwarding,
      listener,
      admissions,
      connections: new Map(),
      undecided: new Set(),
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
export const makeSwitchboard = (options: GatewayWorkerOptions, main: Main): Switchboard => {
  const entries = makeEntries()

  const close = (reservationId: string, cause: CutCause): void => {
    const entry = entries.get(reservationId)
    deadlines.delete(reservationId)
    if (entry === undefined) return
    entries.remove(entry)
    closeEntry(entry, cause)
  }

  const deadlines = makeDeadlines((reservationId) => close(reservationId, 'over'))
  const isRunning = (entry: ForwardedReservation): boolean =>
    entries.isCurrent(entry) && !deadlines.isOver(entry.forwarding.reservationId)
  const wired = wireEntries(options, main, entries, isRunning)
  const { refusals, attach, add, change } = wired

  /** A port belongs to one SUT, and a SUT has one running reservation at a time. So a previous one is over. */
  const freePort = ({ reservationId, listenPort }: Forwarding): void => {
    const former = entries.on(listenPort)?.forwarding.reservationId
    if (former !== undefined && former !== reservationId) close(former, 'over')
  }

  return {
    open: (forwarding) => {
      const { reservationId, until } = forwarding
      freePort(forwarding)
      const known = entries.get(reservationId)
      if (known !== undefined) {
        entries.remove(known)
        change(known, forwarding)
      }
      const entry = known ?? add(forwarding)
      entries.put(entry)
      // Closes it again if it is already over.
      deadlines.set(reservationId, until)
      return entry.listener.isListening()
    },
    close,
    cut: (reservationId, cause) => entries.with(reservationId, (entry) => cutConnections(entry, cause)),
    reconsider: (reservationId) => entries.with(reservationId, reconsiderEntry),
    attach: async ({ reservationId, hasPassword, port }) => {
      const entry = entries.get(reservationId)
      const stream = openPortStream(port)
      const attached = entry === undefined ? 'over' : attach(entry, stream, hasPassword)
      if (typeof attached === 'string') stream.destroy()
      return attached
    },
    stop: () => {
      for (const reservationId of entries.ids()) close(reservationId, 'stopped')
      deadlines.stop()
      refusals.flush()
    },
  }
}
