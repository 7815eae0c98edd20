import type { Logged } from '../domain/event.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Views } from '../read-models/views.ts'
import { makeAgenda } from './agenda.ts'
import type { ProcessClock } from './clock.ts'
import { makeOpenPorts, type OpenPorts } from './open-ports.ts'
import type { Target } from './targets.ts'
import type { Upcoming, UpcomingReservations } from './upcoming.ts'

export interface ForwardingOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'watch'>
  readonly gateway: Pick<Gateway, 'open' | 'close' | 'reconsider'>
  readonly clock: ProcessClock
  readonly targetOf: (sutId: string) => Target | undefined
  /** Whether a user may use reservations: it exists, and is a tester or an administrator. */
  readonly mayHold: (userId: string) => boolean
  /** Resolves when to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/** Follows which reservations run, and has the gateway forward exactly these. */
export interface Forwarding {
  /** The reservation with an id, if it is forwarded here. */
  readonly get: (id: string) => Upcoming | undefined
  /** Opens the ports that are due. Resolves when all of them have been tried. */
  readonly openDue: () => Promise<void>
  /** Runs until the signal aborts. */
  readonly run: () => Promise<void>
}

/** Milliseconds between checks whether roles of holders, or tags of SUTs, have changed what is forwarded. */
const CHECK_EVERY = 1_000

/** Takes changes of SUTs and of bindings. */
const makeOnEvent =
  ({ gateway }: ForwardingOptions, open: OpenPorts) =>
  ({ type, data }: Logged): void => {
    if (type === 'SutUpdated') for (const reservation of open.ofSut(data._id)) open.forward(reservation)
    const bound = type === 'ReservationBound' ? open.get(data._id) : undefined
    if (bound === undefined) return
    open.forward(bound)
    gateway.reconsider(bound._id)
  }

/** Whether a reservation that has begun is forwarded here. */
const makeMayBegin =
  ({ clock, mayHold, targetOf }: ForwardingOptions) =>
  ({ user_id, sut_id, ends }: Upcoming): boolean =>
    ends > clock.now() && mayHold(user_id) && targetOf(sut_id)?.isOurs === true

/** Closes what a clock that was ahead has opened, and opens what runs and may be forwarded again. */
const makeFollow =
  ({ upcoming }: ForwardingOptions, open: OpenPorts, begin: (id: string) => void) =>
  (now: number): void => {
    for (const { _id, starts } of open.all()) if (starts > now) open.close(_id, 'over')
    for (const { _id, starts } of upcoming.all()) if (starts <= now && open.get(_id) === undefined) begin(_id)
  }

export const makeForwarding = (options: ForwardingOptions): Forwarding => {
  const { upcoming, views, gateway, clock, targetOf, mayHold, wake, signal, onError } = options
  let isTrusted = true
  const open = makeOpenPorts({ gateway, targetOf, isTrusted: () => isTrusted, onError })
  const begins = makeAgenda()
  let checkedAt = Number.NEGATIVE_INFINITY

  const begin = (id: string): void => {
    const reservation = upcoming.get(id)
    if (reservation !== undefined && mayBegin(reservation)) open.put(reservation)
  }

  const onUpcoming = (id: string, reservation: Upcoming | undefined): void => {
    if (reservation === undefined) {
      begins.delete(id)
      open.close(id, 'released')
    } else if (open.get(id) !== undefined) open.put(reservation)
    else begins.set(id, reservation.starts)
  }

  const mayBegin = makeMayBegin(options)
  const follow = makeFollow(options, open, begin)

  const look = (): void => {
    const mayAct = clock.mayAct()
    if (mayAct !== isTrusted) {
      isTrusted = mayAct
      for (const reservation of open.all()) open.forward(reservation)
    }
    const now = clock.now()
    if (mayAct) {
      for (const id of open.takeOver(now)) open.close(id, 'over')
      for (const id of begins.takeDue(now)) begin(id)
    }
    if (Math.abs(now - checkedAt) < CHECK_EVERY) return
    checkedAt = now
    for (const { _id, user_id } of open.all()) if (!mayHold(user_id)) open.close(_id, 'barred')
    if (mayAct) follow(now)
  }

  return {
    get: open.get,
    openDue: () => {
      look()
      return open.tried()
    },
    run: async () => {
      upcoming.observe(onUpcoming)
      const unwatch = views.watch((events) => events.forEach(makeOnEvent(options, open)))
      while (!signal.aborted) {
        look()
        await wake(signal)
      }
      unwatch()
    },
  }
}
