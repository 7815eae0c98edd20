import { type ReadonlySignal, signal } from '@preact/signals'
import { type Booked, overlaps, type Stretch } from '../features/schedule/calendar.ts'
import type { Readable } from '../service/api.ts'
import { readAll, readReservations } from './lists.ts'
import { bookedOf, type Person, type Reservation, type Sut } from './objects.ts'

/** The machines, the people and the reservations that the page has read. Each object is kept once. */
export interface Lab {
  readonly suts: ReadonlyMap<string, Sut>
  readonly people: ReadonlyMap<string, Person>
  readonly reservations: ReadonlyMap<string, Reservation>
  /** Reservations by machine, by start: of what has been read. */
  readonly bySut: ReadonlyMap<string, readonly Booked[]>
  /** The machines whose time was read, and from when to when. */
  readonly known: ReadonlyMap<string, Stretch>
  /** What of the whole lab was read. */
  readonly has: ReadonlySet<'suts' | 'people' | 'soon'>
}

const EMPTY: Lab = {
  ...{ suts: new Map(), people: new Map(), reservations: new Map() },
  ...{ bySut: new Map(), known: new Map(), has: new Set() },
}

/** Whether there is enough for a screen: all but what single rows show. */
export const isLoaded = ({ has }: Lab): boolean => has.size === 3

export const isKnown = ({ known }: Pick<Lab, 'known'>, sutId: string, { from, to }: Stretch): boolean => {
  const span = known.get(sutId)
  return span !== undefined && span.from <= from && span.to >= to
}

export interface LabControl {
  readonly lab: ReadonlySignal<Lab>
  /** Reads all machines. */
  readonly readSuts: (api: Readable) => Promise<void>
  /** Reads the names of all people. */
  readonly readPeople: (api: Readable) => Promise<void>
  /** Reads what is reserved in a span that is about now, in the whole lab or of some machines: who has what, and what is free. */
  readonly readSoon: (api: Readable, span: Stretch, sutIds?: readonly string[]) => Promise<void>
  /** Reads the reservations of some machines in a span. */
  readonly readRows: (api: Readable, span: Stretch, sutIds: readonly string[]) => Promise<void>
  /** Forgets which time of other machines is known: what nobody sees is not read again. */
  readonly keepRows: (sutIds: ReadonlySet<string>) => void
  /** Forgets what is reserved neither in a span nor in the time of a row that is known: a page may be open for weeks. */
  readonly forgetOthers: (span: Stretch) => void
  /** Puts what an answer has said in place of what was known before. */
  readonly put: (reservation: Reservation) => void
  readonly remove: (reservationId: string) => void
  /** Forgets everything, as for another user. */
  readonly clear: () => void
}

const byId = <A extends { readonly _id: string }>(all: readonly A[]): ReadonlyMap<string, A> =>
  new Map(all.map((each) => [each._id, each]))

const { compare } = new Intl.Collator(undefined, { numeric: true })

const byStart = (a: Booked, b: Booked): number => a.from - b.from

type Reserved = Pick<Lab, 'reservations' | 'bySut'>

/** The later of what is known of a reservation and what an answer says: on a bad network answers overtake each other. */
const laterOf = ({ reservations }: Reserved, told: Reservation): Reservation => {
  const known = reservations.get(told._id)
  return known !== undefined && Date.parse(known.updated_at) > Date.parse(told.updated_at) ? known : told
}

/** What was read of a span in place of what was known of it: of some machines, or of all. */
const replaced = (
  before: Reserved,
  span: Stretch,
  sutIds: readonly string[] | undefined,
  read: readonly Reservation[],
): Reserved => {
  const bySut = new Map(before.bySut)
  const reservations = new Map(before.reservations)
  for (const id of sutIds ?? before.bySut.keys()) {
    const booked = bySut.get(id) ?? []
    for (const each of booked) if (overlaps(each, span)) reservations.delete(each._id)
    bySut.set(
      id,
      booked.filter((each) => !overlaps(each, span)),
    )
  }
  const latest = read.map((each) => laterOf(before, each))
  for (const [id, of] of Map.groupBy(latest, ({ sut_id }) => sut_id)) {
    const known = (bySut.get(id) ?? []).filter(({ _id }) => !of.some((each) => each._id === _id))
    bySut.set(id, [...known, ...of.map(bookedOf)].sort(byStart))
    for (const each of of) reservations.set(each._id, each)
  }
  return { reservations, bySut }
}

/** What is reserved in a span, or in the time of a row that is known. */
const within = ({ bySut, known, reservations }: Lab, span: Stretch): Reserved => {
  const left = new Map<string, readonly Booked[]>()
  for (const [id, booked] of bySut) {
    const row = known.get(id) ?? span
    const kept = booked.filter((each) => overlaps(each, span) || overlaps(each, row))
    // A row of which nothing is forgotten is not drawn again.
    if (kept.length > 0) left.set(id, kept.length === booked.length ? booked : kept)
  }
  const ids = new Set([...left.values()].flat().map(({ _id }) => _id))
  return { bySut: left, reservations: new Map([...reservations].filter(([id]) => ids.has(id))) }
}

/** Without a reservation. */
const without = ({ reservations, bySut }: Reserved, { _id, sut_id }: Pick<Reservation, '_id' | 'sut_id'>): Reserved => {
  const left = new Map(reservations)
  left.delete(_id)
  return {
    reservations: left,
    bySut: new Map(bySut).set(
      sut_id,
      (bySut.get(sut_id) ?? []).filter((each) => each._id !== _id),
    ),
  }
}

export const openLab = (): LabControl => {
  const lab = signal<Lab>(EMPTY)
  const set = (change: (before: Lab) => Partial<Lab>): void => {
    lab.value = { ...lab.peek(), ...change(lab.peek()) }
  }
  const setSuts = (suts: readonly Sut[]): void =>
    set(({ has }) => ({ suts: byId(suts.toSorted((a, b) => compare(a.name, b.name))), has: new Set([...has, 'suts']) }))
  return {
    lab,
    readSuts: async (api) => setSuts(await readAll<Sut>(api, '/api/sut?include=settings', 'suts')),
    readPeople: async (api) => {
      const people = byId(await readAll<Person>(api, '/api/user', 'users'))
      set(({ has }) => ({ people, has: new Set([...has, 'people']) }))
    },
    readSoon: async (api, span, sutIds) => {
      const read = await readReservations(api, span, sutIds)
      set((before) => ({ ...replaced(before, span, sutIds, read), has: new Set([...before.has, 'soon']) }))
    },
    readRows: async (api, span, sutIds) => {
      const read = await readReservations(api, span, sutIds)
      set((before) => ({
        ...replaced(before, span, sutIds, read),
        known: new Map([...before.known, ...sutIds.map((id) => [id, span] as const)]),
      }))
    },
    keepRows: (sutIds) => {
      const { known } = lab.peek()
      const left = [...known].filter(([id]) => sutIds.has(id))
      if (left.length < known.size) set(() => ({ known: new Map(left) }))
    },
    forgetOthers: (span) => {
      const left = within(lab.peek(), span)
      if (left.reservations.size < lab.peek().reservations.size) set(() => left)
    },
    put: (told) =>
      set((before) => {
        const reservation = laterOf(before, told)
        const { reservations, bySut } = without(before, reservation)
        const booked = [...(bySut.get(reservation.sut_id) ?? []), bookedOf(reservation)].sort(byStart)
        return {
          reservations: new Map(reservations).set(reservation._id, reservation),
          bySut: new Map(bySut).set(reservation.sut_id, booked),
        }
      }),
    remove: (reservationId) =>
      set((before) => {
        const known = before.reservations.get(reservationId)
        return known === undefined ? {} : without(before, known)
      }),
    clear: () => {
      lab.value = EMPTY
    },
  }
}
