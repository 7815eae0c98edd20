import type { CutCause } from '../gateway/connections/causes.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import type { SutTarget } from './admission.ts'
import type { ProcessClock } from './clock.ts'
import type { ForwardedReservations, RunningReservation } from './forwarded.ts'
import { forEachYielding } from './process.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ForwardingOptions {
  readonly clock: Pick<ProcessClock, 'now' | 'mayAct'>
  /** Follows the views already, so that it knows a change before this does. */
  readonly upcoming: Pick<UpcomingReservations, 'get' | 'all'>
  readonly forwarded: ForwardedReservations
  readonly views: Pick<Views, 'watch'>
  readonly gateway: Pick<Gateway, 'open' | 'close' | 'cut' | 'reconsider'>
  readonly targetOf: (sutId: string) => SutTarget | undefined
  /** Since when a user may use reservations without a break; undefined if it may not. */
  readonly accessSince: (userId: string) => number | undefined
  readonly onError: (error: unknown) => void
  readonly signal: AbortSignal
}

const makePorts = ({ forwarded, gateway, targetOf, onError }: ForwardingOptions) => {
  const opening = new Set<Promise<unknown>>()
  return {
    /** Passes the current target of a reservation to the gateway, which drops its cached verdicts. */
    forward: (entry: RunningReservation): void => {
      forwarded.put(entry)
      const { _id: reservationId, listen_port: listenPort, sut_id } = entry.reservation
      const target = targetOf(sut_id)
      if (target === undefined) return
      const { host, port, protocol } = target
      // The gateway reports a port that it cannot open, and retries.
      const attempt = gateway
        .open({ reservationId, listenPort, host, port, protocol })
        .catch(onError)
        .finally(() => opening.delete(attempt))
      opening.add(attempt)
    },
    close: (id: string, cause: CutCause): void => {
      if (forwarded.delete(id)) gateway.close(id, cause)
    },
    /** Resolves when the gateway has tried to open every port so far. */
    tried: () => Promise.all(opening),
  }
}

/** A clock that was ahead has opened those that begin later. */
const isOver = ({ starts, ends }: Upcoming, now: number): boolean => ends <= now || starts > now

/** Has the gateway forward exactly the reservations that are running. Changes are followed at once. */
export const makeForwarding = (options: ForwardingOptions) => {
  const { upcoming, forwarded, views, gateway, targetOf, accessSince, clock, signal } = options
  const { forward, close, tried } = makePorts(options)
  let isTrusted = true
  /** Whether the gateway must be told of all again. */
  let isLost = false

  const isToOpen = ({ _id, starts, ends }: Upcoming): boolean =>
    forwarded.get(_id) === undefined && starts <= clock.now() && ends > clock.now()
  const begin = ({ _id }: Upcoming): void => {
    // It may have been released since it was found.
    const reservation = upcoming.get(_id)
    const since = reservation && accessSince(reservation.user_id)
    if (reservation === undefined || since === undefined || !isToOpen(reservation)) return
    if (targetOf(reservation.sut_id)?.isOurs === true) forward({ reservation, accessSince: since })
  }

  /** Closes what may not be used any more, and cuts what its holder has open whose access has ended since. */
  const check = (current: RunningReservation): void => {
    const { _id, user_id } = current.reservation
    const since = accessSince(user_id)
    if (since === undefined) close(_id, 'barred')
    else if (isTrusted && isOver(current.reservation, clock.now())) close(_id, 'over')
    else if (since !== current.accessSince) {
      current.accessSince = since
      gateway.cut(_id, 'barred')
    }
  }

  const take = ({ projection, after: { id, isObserved, ended } }: RowChange): void => {
    if (projection === 'sut' && !isObserved) {
      for (const each of forwarded.all()) if (each.reservation.sut_id === id) forward(each)
    }
    if (projection !== 'reservation') return
    const [reservation, current] = [upcoming.get(id), forwarded.get(id)]
    if (ended !== null) close(id, 'released')
    else if (reservation === undefined) return
    else if (current !== undefined) {
      forward({ ...current, reservation })
      gateway.reconsider(id)
    } else if (clock.mayAct()) begin(reservation)
  }
  const unwatch = views.watch((_, changes) => changes.forEach(take))
  signal.addEventListener('abort', unwatch)

  return {
    failure: 'a reservation was not forwarded',
    /** Opens the ports that are due, and closes others. Resolves when the gateway has tried to. */
    tick: async (): Promise<void> => {
      const mayAct = clock.mayAct()
      isTrusted = mayAct
      if (isLost) {
        isLost = false
        await forEachYielding(forwarded.all(), forward, signal)
      }
      await forEachYielding(forwarded.all(), check, signal)
      // A look at all also finds the SUTs that another instance forwards no longer.
      if (mayAct) await forEachYielding([...upcoming.all()].filter(isToOpen), begin, signal)
      await tried()
    },
    /** The gateway has lost all that it was told to forward. */
    reopenAll: (): void => {
      forwarded.setAllClosed()
      isLost = true
    },
    /** Closes and cuts at once what its holder may not use any more. */
    checkAll: (): void => {
      for (const each of forwarded.all()) check(each)
    },
  }
}
