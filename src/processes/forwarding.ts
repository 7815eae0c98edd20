import { setImmediate as turn } from 'node:timers/promises'
import type { Logged } from '../domain/event.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Views } from '../read-models/views.ts'
import { type DueTimes, makeDueTimes } from './due-times.ts'
import { makeOpenPorts, type OpenPorts } from './open-ports.ts'
import type { ProcessOptions } from './process.ts'
import type { Target } from './targets.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

/** Items that are looked at in one turn of the event loop: some of them parse documents, 40 us each. */
const BATCH_SIZE = 100

/**
 * Calls for each item, with a turn of the event loop after every hundred, so that thousands hold no request up. Ends when
 * the signal aborts.
 */
const forEachYielding = async <A>(
  items: Iterable<A>,
  each: (item: A) => unknown,
  signal?: AbortSignal,
): Promise<void> => {
  let left = BATCH_SIZE
  for (const item of items) {
    if (left-- === 0) {
      await turn()
      if (signal?.aborted) return
      left = BATCH_SIZE - 1
    }
    each(item)
  }
}

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

/** Applies changes of SUTs and of bindings. */
const makeOnEvent =
  ({ gateway }: ForwardingOptions, open: OpenPorts) =>
  ({ type, data }: Logged): void => {
    if (type === 'SutUpdated') for (const reservation of open.ofSut(data._id)) open.forward(reservation)
    const isBinding = type === 'ReservationBound' || type === 'ReservationUnbound'
    const changed = isBinding ? open.get(data._id) : undefined
    if (changed === undefined) return
    open.forward(changed)
    gateway.reconsider(changed._id)
  }

/** Makes the function that checks the clock, and roles and tags at intervals. */
const makeTick = (options: ForwardingOptions, open: OpenPorts, begins: DueTimes, trust: { isGiven: boolean }) => {
  const { upcoming, clock, mayHold, targetOf, signal } = options
  let checkedAt = Number.NEGATIVE_INFINITY

  const begin = (id: string): void => {
    const reservation = upcoming.get(id)
    if (reservation === undefined || reservation.ends <= clock.now() || !mayHold(reservation.user_id)) return
    if (targetOf(reservation.sut_id)?.isOurs === true) open.put(reservation)
  }
  const end = async (now: number): Promise<void> => {
    // It may have been extended since it was taken.
    const endIfOver = (id: string) => (open.get(id)?.ends ?? 0) <= now && open.close(id, 'over')
    await forEachYielding(open.takeEnded(now), endIfOver, signal)
  }
  const retry = async (): Promise<void> => {
    const forwardIfOpen = (id: string): void => {
      const reservation = open.get(id)
      if (reservation !== undefined) open.forward(reservation)
    }
    await forEachYielding(open.takeFailed(), forwardIfOpen, signal)
  }
  const bar = (): Promise<void> =>
    forEachYielding(open.all(), ({ _id, user_id }) => mayHold(user_id) || open.close(_id, 'barred'), signal)
  /** Closes what a clock that was ahead has opened, and opens what runs and may be forwarded again. */
  const follow = async (now: number): Promise<void> => {
    await forEachYielding(open.all(), ({ _id, starts }) => starts > now && open.close(_id, 'over'), signal)
    const beginIfDue = ({ _id, starts }: Upcoming) => starts <= now && open.get(_id) === undefined && begin(_id)
    await forEachYielding(upcoming.all(), beginIfDue, signal)
  }

  return async (): Promise<void> => {
    const mayAct = clock.mayAct()
    if (mayAct !== trust.isGiven) {
      trust.isGiven = mayAct
      await forEachYielding(open.all(), open.forward, signal)
    }
    const now = clock.now()
    if (mayAct) {
      await end(now)
      await forEachYielding(begins.takeDue(now), begin, signal)
    }
    if (Math.abs(now - checkedAt) < CHECK_INTERVAL_MS) return
    checkedAt = now
    await retry()
    await bar()
    if (mayAct) await follow(now)
  }
}

export const makeForwarding = (options: ForwardingOptions): ForwardingProcess => {
  const { upcoming, views, gateway, targetOf, mayHold, wake, signal, onError } = options
  const trust = { isGiven: true }
  const open = makeOpenPorts({ gateway, targetOf, isTrusted: () => trust.isGiven, onError })
  const begins = makeDueTimes()
  const tickOnce = makeTick(options, open, begins, trust)

  const onUpcoming = (id: string, reservation: Upcoming | undefined): void => {
    if (reservation === undefined) {
      begins.delete(id)
      open.close(id, 'released')
    } else if (open.get(id) !== undefined) open.put(reservation)
    else begins.set(id, reservation.starts)
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
      const unwatch = views.watch((events) => events.forEach(makeOnEvent(options, open)))
      while (!signal.aborted) {
        await tick()
        await wake(signal)
      }
      unwatch()
    },
  }
}
