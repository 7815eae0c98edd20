import type { Gateway } from '../gateway/gateway.ts'
import type { RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import { makeDue } from './due.ts'
import { makeOpenPorts, type OpenPorts } from './open-ports.ts'
import { forEachYielding, type ProcessOptions } from './process.ts'
import type { Target } from './targets.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ForwardingOptions extends ProcessOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'watch'>
  readonly gateway: Pick<Gateway, 'open' | 'close' | 'cut' | 'reconsider'>
  readonly targetOf: (sutId: string) => Target | undefined
  /** Whether a user may use reservations: it exists, and is a tester or an administrator. */
  readonly mayHold: (userId: string) => boolean
}

/** Has the gateway forward exactly the reservations that are running. */
export interface ForwardingProcess {
  /** The reservation with an id, if it is forwarded here. */
  readonly get: (id: string) => Upcoming | undefined
  /** Opens the ports that are due. Resolves when all of them have been tried. */
  readonly openDue: () => Promise<void>
  /** Cuts everything that users have open. Closes the ports of those that may not use reservations any more. */
  readonly endAccess: (userIds: ReadonlySet<string>) => void
  /** Runs until the signal aborts. */
  readonly run: () => Promise<void>
}

/** Between checks of holders' roles and SUTs' tags, which both affect what is forwarded. */
const CHECK_INTERVAL_MS = 1_000

/** Applies changes of SUTs, and of who may connect to what. */
const makeOnChange =
  ({ gateway }: ForwardingOptions, open: OpenPorts) =>
  ({ projection, after: { id, isObserved } }: RowChange): void => {
    if (projection === 'sut' && !isObserved) for (const reservation of open.ofSut(id)) open.forward(reservation)
    const changed = projection === 'reservation' ? open.get(id) : undefined
    if (changed === undefined) return
    open.forward(changed)
    gateway.reconsider(id)
  }

/** Makes the function that checks the clock, and roles and tags at intervals. */
const makeTick = (options: ForwardingOptions, open: OpenPorts, trust: { isGiven: boolean }) => {
  const { upcoming, clock, mayHold, targetOf, signal } = options
  let checkedAt = Number.NEGATIVE_INFINITY
  const isToOpen = ({ _id, ends }: Upcoming): boolean => open.get(_id) === undefined && ends > clock.now()
  const begins = makeDue(upcoming.all, (reservation) => (isToOpen(reservation) ? reservation.starts : undefined))
  const ends = makeDue(open.all, (reservation) => reservation.ends)

  const begin = ({ _id }: Upcoming): void => {
    // It may have been released since it was found.
    const reservation = upcoming.get(_id)
    if (reservation === undefined || !isToOpen(reservation) || !mayHold(reservation.user_id)) return
    if (targetOf(reservation.sut_id)?.isOurs === true) open.put(reservation)
  }
  const end = ({ _id }: Upcoming): void => {
    // It may have been extended since.
    if ((open.get(_id)?.ends ?? 0) <= clock.now()) open.close(_id, 'over')
  }
  const retry = (id: string): void => {
    const reservation = open.get(id)
    if (reservation !== undefined) open.forward(reservation)
  }
  /** Closes those of holders that were barred, and what a clock that was ahead has opened. */
  const check = ({ _id, user_id, starts }: Upcoming): void => {
    if (!mayHold(user_id)) open.close(_id, 'barred')
    else if (clock.mayAct() && starts > clock.now()) open.close(_id, 'over')
  }

  const tick = async (): Promise<void> => {
    const mayAct = clock.mayAct()
    if (mayAct !== trust.isGiven) {
      trust.isGiven = mayAct
      await forEachYielding(open.all(), open.forward, signal)
    }
    const now = clock.now()
    if (mayAct) {
      await forEachYielding(ends.find(now), end, signal)
      // Once a second also those that another instance forwards, or that a barred user holds: that may change.
      await forEachYielding(begins.find(now), begin, signal)
    }
    if (Math.abs(now - checkedAt) < CHECK_INTERVAL_MS) return
    checkedAt = now
    await forEachYielding(open.takeFailed(), retry, signal)
    await forEachYielding(open.all(), check, signal)
  }
  return { tick, changed: begins.changed, moved: ends.changed }
}

export const makeForwarding = (options: ForwardingOptions): ForwardingProcess => {
  const { upcoming, views, gateway, targetOf, mayHold, wake, signal, onError } = options
  const trust = { isGiven: true }
  const open = makeOpenPorts({ gateway, targetOf, isTrusted: () => trust.isGiven, onError })
  const { tick: tickOnce, changed, moved } = makeTick(options, open, trust)

  const onUpcoming = (id: string, reservation: Upcoming | undefined): void => {
    if (reservation === undefined) open.close(id, 'released')
    else if (open.get(id) !== undefined) {
      open.put(reservation)
      moved(reservation)
    } else changed(reservation)
  }

  let ticking = Promise.resolve()
  /**
   * Ticks run one after the other. When one resolves, what earlier ones have taken has been opened too. What one could
   * not read, a later one does.
   */
  const tick = (): Promise<void> => {
    ticking = ticking.then(tickOnce).catch(onError)
    return ticking
  }

  return {
    get: open.get,
    openDue: async () => {
      await tick()
      await open.tried()
    },
    endAccess: (userIds) => {
      for (const { _id, user_id } of [...open.all()]) {
        if (!userIds.has(user_id)) continue
        if (mayHold(user_id)) gateway.cut(_id, 'barred')
        else open.close(_id, 'barred')
      }
    },
    run: async () => {
      upcoming.observe(onUpcoming)
      const unwatch = views.watch((_, changes) => changes.forEach(makeOnChange(options, open)))
      while (!signal.aborted) {
        await tick()
        await wake(signal)
      }
      unwatch()
    },
  }
}
