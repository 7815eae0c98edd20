import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Booked, overlaps, type Stretch } from '../features/schedule/calendar.ts'
import { toIso } from '../format/format.ts'
import { currentTime } from '../service/time.ts'
import { readReservations, spanOf } from './lists.ts'
import { type Change, isAfter } from './news.ts'
import { bookedOf, type Reservation } from './objects.ts'
import type { Query, Source } from './query.ts'

/** The reservations that the page has read, each once, with what one of the readings has asked for. */
export interface Reserved {
  readonly byId: ReadonlyMap<string, Reservation>
  /** By machine, by start: of what has been read. */
  readonly bySut: ReadonlyMap<string, readonly Booked[]>
  /** The machines whose time was read, and from when to when. */
  readonly known: ReadonlyMap<string, Stretch>
}

const EMPTY: Reserved = { byId: new Map(), bySut: new Map(), known: new Map() }

export const isKnown = ({ known }: Pick<Reserved, 'known'>, sutId: string, { from, to }: Stretch): boolean => {
  const span = known.get(sutId)
  return span !== undefined && span.from <= from && span.to >= to
}

export const isRunning = ({ start_time, end_time }: Pick<Reservation, 'start_time' | 'end_time'>, now: number) =>
  Date.parse(start_time) <= now && now < Date.parse(end_time)

/** What a reading is about: what is known of that, and was not read, there is no more. */
interface Cover {
  readonly sutIds?: readonly string[] | undefined
  readonly has: (booked: Booked) => boolean
}

const byStart = (a: Booked, b: Booked): number => a.from - b.from

/** On a bad network answers overtake each other. */
const isLater = (a: Reservation, b: Reservation): boolean => Date.parse(a.updated_at) > Date.parse(b.updated_at)

const isMoved = (a: Reservation | undefined, b: Reservation): boolean =>
  a?.start_time !== b.start_time || a.end_time !== b.end_time

/** What was read in place of what was known. What `isSettled` stays as it is. Rows that stay the same are not drawn again. */
const replaced = (
  { byId: before, bySut: rows, known }: Reserved,
  { sutIds = [...rows.keys()], has }: Cover,
  read: readonly Reservation[],
  isSettled: (id: string) => boolean = () => false,
): Reserved => {
  const byId = new Map(before)
  const moved = new Map<string, Set<string>>()
  const idsOf = (sutId: string): Set<string> => {
    const ids = moved.get(sutId) ?? new Set((rows.get(sutId) ?? []).map(({ _id }) => _id))
    moved.set(sutId, ids)
    return ids
  }
  const there = new Set(read.map(({ _id }) => _id))
  for (const sutId of sutIds)
    for (const booked of rows.get(sutId) ?? []) {
      if (there.has(booked._id) || isSettled(booked._id) || !has(booked)) continue
      idsOf(sutId).delete(booked._id)
      byId.delete(booked._id)
    }
  for (const each of read) {
    const one = byId.get(each._id)
    if (isSettled(each._id) || (one !== undefined && isLater(one, each))) continue
    byId.set(each._id, { ...one, ...each })
    if (isMoved(one, each)) idsOf(each.sut_id).add(each._id)
  }
  const bySut = new Map(rows)
  for (const [sutId, ids] of moved)
    bySut.set(sutId, [...ids].flatMap((id) => bookedOf(byId.get(id) as Reservation)).sort(byStart))
  return { byId, bySut, known }
}

/** What somebody shows, of some machines. */
interface Held extends Stretch {
  readonly sutIds: readonly string[]
}

/** What is reserved in a span, in the time of a row that is known, in what is held, or for somebody. */
const within = (
  { bySut, known, byId }: Reserved,
  span: Stretch,
  held: ReadonlySet<Held>,
  ownId: string | undefined,
): Reserved => {
  const left = new Map<string, readonly Booked[]>()
  for (const [id, booked] of bySut) {
    const spans = [span, known.get(id) ?? span, ...[...held].filter(({ sutIds }) => sutIds.includes(id))]
    const kept = booked.filter((each) => each.userId === ownId || spans.some((one) => overlaps(each, one)))
    // A row of which nothing is forgotten is not drawn again.
    if (kept.length > 0) left.set(id, kept.length === booked.length ? booked : kept)
  }
  const ids = new Set([...left.values()].flat().map(({ _id }) => _id))
  return { bySut: left, byId: new Map([...byId].filter(([id]) => ids.has(id))), known }
}

export interface Reservations {
  readonly all: ReadonlySignal<Reserved>
  readonly own: ReadonlySignal<readonly Reservation[]>
  readonly readOwn: Query<true>
  /** Reads what is reserved in a span, in the whole lab or of some machines. */
  readonly readSpan: (
    source: Source,
    span: Stretch,
    sutIds?: readonly string[],
    parameters?: Readonly<Record<string, string>>,
  ) => Promise<void>
  /** Reads the rows of some machines in a span, which is known of them then. */
  readonly readRows: (source: Source, span: Stretch, sutIds: readonly string[]) => Promise<void>
  /** Keeps what is reserved of some machines in a span from being forgotten. The returned function ends this. */
  readonly hold: (held: Held) => () => void
  /** Forgets which time of other machines is known: what nobody sees is not read again. */
  readonly keepRows: (sutIds: ReadonlySet<string>) => void
  /** Forgets what is reserved neither in a span, nor in a row that is known, nor held: a page may be open for weeks. */
  readonly forgetOthers: (span: Stretch) => void
  /** Puts what the answer to a command has said in place of what was known before: at a position, if it says all. */
  readonly put: (reservation: Reservation, position?: string) => void
  readonly remove: (reservationId: string) => void
  /** Whether a change says more than the answer to a command has. */
  readonly isNews: (change: Change) => boolean
  /** Forgets everything, as for another user. */
  readonly clear: () => void
}

export const openReservations = (user: ReadonlySignal<string | undefined>): Reservations => {
  const all = signal(EMPTY)
  /** The positions of the answers to commands. */
  const settled = new Map<string, string>()
  const held = new Set<Held>()
  const replace = (source: Source, cover: Cover, read: readonly Reservation[]): Reserved =>
    replaced(all.peek(), cover, read, (id) => isAfter(settled.get(id) ?? '0', source.reached()))
  const isNews: Reservations['isNews'] = ({ _id, sequence }) => isAfter(sequence, settled.get(_id) ?? '0')
  const own = computed(() =>
    [...all.value.byId.values()]
      .filter(({ user_id }) => user_id === user.value)
      .sort((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time)),
  )
  const readSpan: Reservations['readSpan'] = async (source, span, sutIds, parameters) => {
    const read = await readReservations(source, { ...spanOf(span), ...parameters }, sutIds)
    all.value = replace(source, { sutIds, has: (each) => overlaps(each, span) }, read)
  }
  return {
    ...{ all, own, readSpan },
    readOwn: {
      ...{ key: 'own reservations', isKept: true },
      read: async (source) => {
        const now = currentTime()
        const parameters = { user_id: user.peek() ?? '', from: toIso(now), include: 'names,state,series' }
        const read = await readReservations(source, parameters)
        all.value = replace(source, { has: (each) => each.userId === user.peek() && each.ends > now }, read)
        return true
      },
      // Whose a reservation is, a change does not say.
      of: (change) => {
        const { kind, _id } = change
        const isNamed = all.peek().byId.get(_id)?.sut_name !== undefined
        if (kind === 'sut_reservation') return isNamed && !isNews(change) ? undefined : _id
        return own.peek().some(({ sut_id }) => sut_id === _id) ? _id : undefined
      },
    },
    readRows: async (source, span, sutIds) => {
      await readSpan(source, span, sutIds)
      const { known } = all.peek()
      all.value = { ...all.peek(), known: new Map([...known, ...sutIds.map((id) => [id, span] as const)]) }
    },
    hold: (more) => {
      held.add(more)
      return () => held.delete(more)
    },
    keepRows: (sutIds) => {
      const { known } = all.peek()
      const left = [...known].filter(([id]) => sutIds.has(id))
      if (left.length < known.size) all.value = { ...all.peek(), known: new Map(left) }
    },
    forgetOthers: (span) => {
      const left = within(all.peek(), span, held, user.peek())
      if (left.byId.size < all.peek().byId.size) all.value = left
    },
    put: (reservation, position) => {
      if (position !== undefined) settled.set(reservation._id, position)
      all.value = replaced(all.peek(), { sutIds: [], has: () => false }, [reservation])
    },
    remove: (reservationId) => {
      const { sut_id } = all.peek().byId.get(reservationId) ?? {}
      if (sut_id !== undefined)
        all.value = replaced(all.peek(), { sutIds: [sut_id], has: ({ _id }) => _id === reservationId }, [])
    },
    isNews,
    clear: () => {
      settled.clear()
      all.value = EMPTY
    },
  }
}
