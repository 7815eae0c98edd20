/** A lab with a simulated clock, and which ports its processes open. */

import { setImmediate as turn } from 'node:timers/promises'
import type { Event } from '../../../src/domain/event.ts'
import { type ForwardedReservations, makeForwarded } from '../../../src/processes/forwarded.ts'
import { makeForwarding } from '../../../src/processes/forwarding.ts'
import { makeUpcomingReservations } from '../../../src/processes/upcoming.ts'
import {
  clock,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
} from '../../domain/builders.ts'
import { fakeViews } from '../fake-views.ts'

const QUARTER = 900_000
const BEGIN = clock('06:00')
export const SUTS = 3
export const USERS = 2

interface Reservation {
  readonly id: string
  readonly sut: number
  readonly user: number
  /** Unix milliseconds. */
  readonly start: number
  end: number
  readonly created: number
  isGone: boolean
}

export type Step =
  | { readonly kind: 'book'; readonly sut: number; readonly user: number; readonly in: number; readonly for: number }
  | { readonly kind: 'extend' | 'end'; readonly which: number }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'retag'; readonly sut: number }
  | { readonly kind: 'bar'; readonly user: number }
  | { readonly kind: 'set'; readonly seconds: number }
  | { readonly kind: 'restart' }

const portOf = (sut: number): number => 20_000 + sut
/** With its date: the clock may be set back to the day before. */
const timeOf = (moment: number): string => new Date(moment).toISOString()
const wallOf = (moment: number): string => new Date(moment).toISOString().replace('.000Z', '+00:00')
const sutOf = (sut: number): string => idOf(100 + sut)
const userOf = (user: number): string => idOf(200 + user)

/** What the lab has, and the processes over it. `gateway` may leave something out. */
export const makeLab = () => {
  const { fake, views } = fakeViews()
  const state = { now: BEGIN, isTrusted: true, isReadable: true, reservations: [] as Reservation[] }
  const isOurs = Array.from({ length: SUTS }, () => true)
  const mayHold = Array.from({ length: USERS }, () => true)
  const ports = new Map<string, number>()
  /** SUTs that the gateway was told of last, by their ports. */
  const told: number[] = []
  let stop = new AbortController()
  let forwarded: ForwardedReservations
  let processes: { readonly look: () => Promise<void>; readonly lose: () => void }

  const start = async (): Promise<void> => {
    stop.abort()
    await turn()
    stop = new AbortController()
    const { signal } = stop
    ports.clear()
    const upcoming = makeUpcomingReservations({ views, clock: () => state.now })
    signal.addEventListener('abort', upcoming.close)
    forwarded = makeForwarded({
      clock: () => state.now,
      alarms: { raise: () => undefined, clear: () => undefined },
    })
    const forwarding = makeForwarding({
      ...{ upcoming, views, forwarded },
      gateway: {
        open: async ({ reservationId, listenPort }) => {
          ports.set(reservationId, listenPort)
          told.push(listenPort)
          return true
        },
        close: (id) => void ports.delete(id),
        cut: () => undefined,
        reconsider: () => undefined,
      },
      clock: { now: () => state.now, mayAct: () => state.isTrusted },
      targetOf: (id) => {
        if (!state.isReadable) throw new Error('the views cannot be read')
        const sut = Number.parseInt(id, 16) - 100
        return { host: '127.0.0.1', port: 1, protocol: 'tcp', isOurs: isOurs[sut] === true }
      },
      accessSince: (id) => (mayHold[Number.parseInt(id, 16) - 200] === true ? 0 : undefined),
      signal,
      onError: (error) => {
        throw error
      },
    })
    processes = {
      look: async () => {
        await upcoming.load()
        await forwarding.tick().catch((error: unknown) => {
          if (state.isReadable) throw error
        })
      },
      lose: forwarding.reopenAll,
    }
  }

  const tell = (event: Event): void => {
    fake.rows = state.reservations
      .filter(({ isGone }) => !isGone)
      .map(({ id, sut, user, start: from, end, created }) => ({
        ...{ _id: id, sut_id: sutOf(sut), user_id: userOf(user), listen_port: portOf(sut), created },
        ...{ start: from / 1000, end: end / 1000 },
      }))
    fake.tell(timeOf(state.now), event)
  }

  const isFree = (sut: number, from: number, to: number, except?: Reservation): boolean =>
    state.reservations.every(
      (one) => one === except || one.isGone || one.sut !== sut || one.end <= from || one.start >= to,
    )

  const steps = {
    book: ({ sut, user, in: ahead, for: quarters }: Extract<Step, { kind: 'book' }>): void => {
      const from = (Math.floor(state.now / QUARTER) + ahead) * QUARTER
      const end = from + quarters * QUARTER
      if (!isFree(sut, from, end)) return
      const id = idOf(state.reservations.length + 1)
      state.reservations.push({ id, sut, user, start: from, end, created: state.now, isGone: false })
      const made = reservationCreated(id, '06:00', '06:15')
      if (made.type !== 'ReservationCreated') throw new Error('not a creation')
      const window = { start_time: wallOf(from), end_time: wallOf(end) }
      const holder = { sut_id: sutOf(sut), user_id: userOf(user), listen_port: portOf(sut) }
      tell({ ...made, data: { ...made.data, ...holder, ...window } })
    },
    extend: ({ which }: { readonly which: number }): void => {
      const one = state.reservations[which % Math.max(1, state.reservations.length)]
      if (one === undefined || one.isGone || one.end <= state.now) return
      if (!isFree(one.sut, one.end, one.end + QUARTER, one)) return
      one.end += QUARTER
      tell(reservationExtended(one.id, wallOf(one.end)))
    },
    end: ({ which }: { readonly which: number }): void => {
      const one = state.reservations[which % Math.max(1, state.reservations.length)]
      if (one === undefined || one.isGone || one.end <= state.now) return
      one.isGone = true
      tell(one.start > state.now ? reservationCancelled(one.id) : reservationReleased(one.id, wallOf(state.now)))
    },
    pass: ({ seconds }: { readonly seconds: number }): void => {
      state.now += seconds * 1_000
    },
    // The clock is set either way, and confirmed.
    set: ({ seconds }: { readonly seconds: number }): void => {
      state.now += seconds * 1_000
    },
    // Open ports stay, and refuse; see the guide.
    retag: ({ sut }: { readonly sut: number }): void => {
      if (![...ports.values()].includes(portOf(sut))) isOurs[sut] = !isOurs[sut]
    },
    bar: ({ user }: { readonly user: number }): void => {
      mayHold[user] = !mayHold[user]
    },
    restart: start,
  }

  return {
    take: async (step: Step): Promise<void> => {
      await (steps[step.kind] as (step: Step) => void | Promise<void>)(step)
      // Roles and tags count within a second.
      state.now += 1_000
      await processes.look()
    },
    start,
    trust: (isTrusted: boolean): void => {
      state.isTrusted = isTrusted
    },
    makeReadable: (isReadable: boolean): void => {
      state.isReadable = isReadable
    },
    /** The thread of the gateway fails. */
    lose: () => processes.lose(),
    stop: () => stop.abort(),
    /** Whether the reservations whose ports are open count as running. */
    areRunning: (): readonly boolean[] => [...ports.keys()].map((id) => forwarded.has(id)),
    /** What the gateway was told of since the last call. */
    told: (): readonly number[] => told.splice(0),
    open: (): readonly number[] => [...ports.values()].toSorted(),
    expected: (): readonly number[] =>
      state.reservations
        .filter(({ sut, user, start: from, end, isGone }) => {
          const isRunning = from <= state.now && state.now < end && !isGone
          return isRunning && isOurs[sut] === true && mayHold[user] === true
        })
        .map(({ sut }) => portOf(sut))
        .toSorted(),
  }
}
