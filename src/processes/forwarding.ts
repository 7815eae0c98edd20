import type { CutCause } from '../gateway/connections/causes.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import type { ProcessClock } from './clock.ts'
import type { Timed } from './loop.ts'
import { forEachYielding } from './process.ts'
import type { SutTarget } from './targets.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ForwardingOptions {
  readonly clock: Pick<ProcessClock, 'now' | 'mayAct'>
  /** Follows the views already, so that it knows a change before this does. */
  readonly upcoming: Pick<UpcomingReservations, 'get' | 'all'>
  readonly views: Pick<Views, 'watch'>
  readonly gateway: Pick<Gateway, 'open' | 'close' | 'cut' | 'reconsider'>
  readonly targetOf: (sutId: string) => SutTarget | undefined
  /** Whether a user may use reservations: it exists, and is a tester or an administrator. */
  readonly mayHold: (userId: string) => boolean
  readonly onError: (error: unknown) => void
  readonly signal: AbortSignal
}

/** Has the gateway forward exactly the reservations that are running. Changes are followed at once. */
export interface ForwardingProcess extends Timed {
  /** The reservation with an id, if it is forwarded here. */
  readonly get: (id: string) => Upcoming | undefined
  /** Opens the ports that are due. Resolves when all of them have been tried. */
  readonly openDue: () => Promise<void>
  /** Cuts everything that users have open. Closes the ports of those that may not use reservations any more. */
  readonly endAccess: (userIds: ReadonlySet<string>) => void
}

/** The reservations whose ports are open here. Bounded by the listen ports. */
const makeOpenPorts = ({ gateway, targetOf, onError }: ForwardingOptions, isTrusted: () => boolean) => {
  const open = new Map<string, Upcoming>()
  const inFlight = new Set<Promise<unknown>>()
  let isUnread = false

  /** Undefined also if it cannot be read, which is reported once a look: it fails for every reservation. */
  const read = ({ sut_id }: Upcoming): SutTarget | undefined => {
    try {
      return targetOf(sut_id)
    } catch (error) {
      if (!isUnread) onError(error)
      isUnread = true
      return undefined
    }
  }

  /** Passes the current target and end of a reservation to the gateway, which drops its cached verdicts. */
  const forward = (reservation: Upcoming): void => {
    const { _id: reservationId, listen_port: listenPort, ends } = reservation
    const target = read(reservation)
    if (target === undefined) return
    const { host, port, protocol } = target
    // The gateway reports a port that it cannot open, and retries.
    const opening = gateway
      .open({ reservationId, listenPort, host, port, protocol, until: isTrusted() ? ends : null })
      .catch(onError)
      .finally(() => inFlight.delete(opening))
    inFlight.add(opening)
  }

  return {
    ...{ open, forward, read },
    /** Whether a target could not be read since the last call: then the gateway must be told of all again. */
    takeUnread: (): boolean => {
      const wasUnread = isUnread
      isUnread = false
      return wasUnread
    },
    /** Opens the port of a reservation, or moves its end. */
    put: (reservation: Upcoming): void => {
      open.set(reservation._id, reservation)
      forward(reservation)
    },
    close: (id: string, cause: CutCause): void => {
      if (open.delete(id)) gateway.close(id, cause)
    },
    /** Resolves when the gateway has tried to open every port so far. */
    tried: async (): Promise<void> => {
      await Promise.all(inFlight)
    },
  }
}

export const makeForwarding = (options: ForwardingOptions): ForwardingProcess => {
  const { upcoming, views, gateway, mayHold, clock, signal } = options
  let isTrusted = true
  const { open, forward, read, takeUnread, put, close, tried } = makeOpenPorts(options, () => isTrusted)

  const isToOpen = ({ _id, starts, ends }: Upcoming): boolean =>
    !open.has(_id) && starts <= clock.now() && ends > clock.now()
  const begin = ({ _id }: Upcoming): void => {
    // It may have been released since it was found.
    const reservation = upcoming.get(_id)
    if (reservation === undefined || !isToOpen(reservation) || !mayHold(reservation.user_id)) return
    if (read(reservation)?.isOurs === true) put(reservation)
  }

  /** Why an open one is to be closed. A clock that was ahead has opened those that begin later. */
  const endOf = ({ user_id, starts, ends }: Upcoming): CutCause | undefined => {
    if (!mayHold(user_id)) return 'barred'
    const now = clock.now()
    return isTrusted && (ends <= now || starts > now) ? 'over' : undefined
  }
  const end = ({ _id }: Upcoming): void => {
    // It may have been extended since it was found.
    const reservation = open.get(_id)
    const cause = reservation && endOf(reservation)
    if (cause !== undefined) close(_id, cause)
  }

  const take = ({ projection, after: { id, isObserved } }: RowChange): void => {
    if (projection === 'sut' && !isObserved) {
      for (const reservation of open.values()) if (reservation.sut_id === id) forward(reservation)
    }
    if (projection !== 'reservation') return
    const reservation = upcoming.get(id)
    if (reservation === undefined) close(id, 'released')
    else if (open.has(id)) {
      put(reservation)
      gateway.reconsider(id)
    } else if (clock.mayAct()) begin(reservation)
  }

  const tick = async (): Promise<void> => {
    const mayAct = clock.mayAct()
    const isToTell = takeUnread() || mayAct !== isTrusted
    isTrusted = mayAct
    if (isToTell) await forEachYielding(open.values(), forward, signal)
    // A look at all also finds the holders that were barred, and the SUTs that another instance forwards no longer.
    await forEachYielding([...open.values()].filter(endOf), end, signal)
    if (mayAct) await forEachYielding([...upcoming.all()].filter(isToOpen), begin, signal)
  }

  const unwatch = views.watch((_, changes) => changes.forEach(take))
  signal.addEventListener('abort', unwatch)
  return {
    failure: 'a reservation was not forwarded',
    tick,
    get: (id) => open.get(id),
    openDue: async () => {
      await tick()
      await tried()
    },
    endAccess: (userIds) => {
      for (const { _id, user_id } of [...open.values()]) {
        if (!userIds.has(user_id)) continue
        if (mayHold(user_id)) gateway.cut(_id, 'barred')
        else close(_id, 'barred')
      }
    },
  }
}
