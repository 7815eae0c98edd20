import { makeStore, type Store } from '../parts/store.ts'
import type { Api } from '../service/api.ts'
import type { Booked, Stretch } from '../timeline/calendar.ts'
import { MINUTE, toIso } from '../timeline/times.ts'
import type { List, Person, Reservation, Sut } from './objects.ts'

/** The machines, the people and the reservations that the page has read. Each object is kept once. */
export interface Lab {
  readonly suts: ReadonlyMap<string, Sut>
  readonly people: ReadonlyMap<string, Person>
  readonly reservations: ReadonlyMap<string, Reservation>
  /** Reservations by machine, by start: of what has been read. */
  readonly bySut: ReadonlyMap<string, readonly Booked[]>
  readonly isLoaded: boolean
}

const EMPTY: Lab = {
  suts: new Map(),
  people: new Map(),
  reservations: new Map(),
  bySut: new Map(),
  isLoaded: false,
}

/** Entries of a page of a list, at most. */
const PAGE = 1_000

/** The schedule shows minutes: a machine that was given back within this one is free at once. */
const toMinute = (time: string): number => Math.floor(Date.parse(time) / MINUTE) * MINUTE

const toBooked = ({ _id, user_id, start_time, end_time }: Reservation): Booked => ({
  _id,
  userId: user_id,
  from: toMinute(start_time),
  to: toMinute(end_time),
})

const indexBySut = (reservations: Iterable<Reservation>): ReadonlyMap<string, readonly Booked[]> => {
  const bySut = new Map<string, Booked[]>()
  for (const reservation of reservations) {
    const booked = bySut.get(reservation.sut_id)
    if (booked === undefined) bySut.set(reservation.sut_id, [toBooked(reservation)])
    else booked.push(toBooked(reservation))
  }
  for (const booked of bySut.values()) booked.sort((a, b) => a.from - b.from)
  return bySut
}

export interface LabControl {
  readonly lab: Store<Lab>
  /** Reads machines and people, and the reservations of a span. Rejects with Refused. */
  readonly load: (span: Stretch) => Promise<void>
  /** Puts what an answer has said in place of what was known. */
  readonly put: (reservation: Reservation) => void
  readonly remove: (reservationId: string) => void
  /** Forgets everything, as for another user. */
  readonly clear: () => void
}

/** Reads a list to its end. */
export const readAll = async <A extends { readonly _id: string }>(
  api: Api,
  path: string,
  name: string,
): Promise<readonly A[]> => {
  const all: A[] = []
  for (let before = ''; ; ) {
    const { value } = await api.get<List>(`${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${before}`)
    const page = value[name as keyof List] as unknown as readonly A[]
    all.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return all
    before = `&before=${encodeURIComponent(last._id)}`
  }
}

const byId = <A extends { readonly _id: string }>(all: readonly A[]): ReadonlyMap<string, A> =>
  new Map(all.map((each) => [each._id, each]))

export const openLab = (api: Api): LabControl => {
  const lab = makeStore<Lab>(EMPTY)
  const setReservations = (reservations: ReadonlyMap<string, Reservation>): void =>
    lab.update((before) => ({ ...before, reservations, bySut: indexBySut(reservations.values()) }))
  return {
    lab,
    load: async ({ from, to }) => {
      const span = `from=${encodeURIComponent(toIso(from))}&to=${encodeURIComponent(toIso(to))}`
      const [suts, people, reservations] = await Promise.all([
        readAll<Sut>(api, '/api/sut', 'suts'),
        readAll<Person>(api, '/api/user', 'users'),
        readAll<Reservation>(api, `/api/sut_reservation?${span}`, 'sut_reservations'),
      ])
      lab.set({
        suts: byId(suts.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))),
        people: byId(people),
        reservations: byId(reservations),
        bySut: indexBySut(reservations),
        isLoaded: true,
      })
    },
    put: (reservation) => setReservations(new Map(lab.get().reservations).set(reservation._id, reservation)),
    remove: (reservationId) => {
      const left = new Map(lab.get().reservations)
      if (left.delete(reservationId)) setReservations(left)
    },
    clear: () => lab.set(EMPTY),
  }
}
