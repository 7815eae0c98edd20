import test from 'ava'
import fc from 'fast-check'
import { overlaps, type Window } from '../../../src/domain/calendar/window.ts'
import { epochSecondsOf } from '../../../src/domain/values/instant.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import type { Lists } from '../../../src/read-models/lists/lists.ts'
import type { PageQuery } from '../../../src/read-models/lists/page.ts'
import type { ReservationListQuery } from '../../../src/read-models/lists/reservations.ts'
import type { SutListQuery } from '../../../src/read-models/lists/suts.ts'
import { sutCreated } from '../../domain/builders.ts'
import { rounds } from '../../thorough.ts'
import { filled } from '../fill.ts'
import {
  aHistory,
  aName,
  aQuarter,
  aTag,
  aType,
  documentsAfter,
  eventsOf,
  type Known,
  moment,
  recordedAs,
  sutIds,
  userIds,
} from './list-histories.ts'

/** The lists that result from a history, written in slices of the given size. */
const listsOf = (events: ReturnType<typeof eventsOf>, slice: number): Lists =>
  filled(events.map(recordedAs), {
    isStaged: (n) => n % slice === 0,
    isCommitted: (n) => n % (3 * slice) === 0,
  }).lists

/** The part of all entries that a list must show. */
const partOf = (
  all: readonly Known[],
  { limit, offset, createdBefore = toPublicPosition(Number.POSITIVE_INFINITY) }: PageQuery,
) => ({
  count: all.length,
  documents: all
    .filter(({ created }) => created < createdBefore)
    .slice(offset, offset + limit)
    .map(({ document }) => JSON.stringify(document)),
})

const hasTags = (suts: readonly Known[], id: unknown, tags: Readonly<Record<string, string>>): boolean => {
  const sut = suts.find(({ document }) => document._id === id)
  return Object.entries(tags).every(([name, value]) => Object(sut?.document.tags)[name] === value)
}

const reservationsIn = (all: readonly Known[], query: ReservationListQuery, suts: readonly Known[]) => {
  const { sut_ids, user_id, endsAfter = -1, startsBefore = Number.POSITIVE_INFINITY, isHeld, visibility } = query
  const found = all.filter(
    ({ document, ended }) =>
      (ended !== 'cancelled' || (query.withCancelled === true && !isHeld)) &&
      (visibility === undefined ||
        document.user_id === visibility.user_id ||
        hasTags(suts, document.sut_id, visibility.scope)) &&
      (sut_ids === undefined || sut_ids.includes(String(document.sut_id))) &&
      (user_id === undefined || document.user_id === user_id) &&
      epochSecondsOf(String(document.end_time)) > endsAfter &&
      epochSecondsOf(String(document.start_time)) < startsBefore &&
      !(isHeld && ended === 'released'),
  )
  return partOf(found, query)
}

/** Compares letters case-insensitively, in another way than the code under test. */
const isPartOf = (part: string, whole: string): boolean =>
  new RegExp(part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu').test(whole) ||
  whole.toUpperCase().includes(part.toUpperCase())

const sutsIn = (all: readonly Known[], query: SutListQuery) => {
  const { sut_type, is_active, name, tags = {} } = query
  const found = all.filter(({ document, ended }) => {
    const has = document.tags as Readonly<Record<string, string>>
    return (
      ended !== 'retired' &&
      (sut_type === undefined || document.sut_type === sut_type) &&
      (is_active === undefined || document.is_active === is_active) &&
      (name === undefined || isPartOf(name, String(document.name))) &&
      Object.entries(tags).every(([tag, value]) => Object.hasOwn(has, tag) && has[tag] === value)
    )
  })
  return partOf(found, query)
}

const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

const part = {
  limit: fc.integer({ min: 1, max: 8 }),
  offset: fc.nat(5),
  createdBefore: maybe(fc.nat(60).map((n) => toPublicPosition(n))),
}

const aReservationQuery: fc.Arbitrary<ReservationListQuery> = fc.record({
  ...part,
  sut_ids: maybe(fc.array(fc.constantFrom(...sutIds, 'none'), { minLength: 1, maxLength: 3 })),
  user_id: maybe(fc.constantFrom(...userIds, 'nobody')),
  endsAfter: maybe(aQuarter.map(moment)),
  startsBefore: maybe(aQuarter.map(moment)),
  isHeld: fc.boolean(),
  withCancelled: fc.boolean(),
  visibility: maybe(
    fc.record({
      scope: fc.array(aTag, { minLength: 1, maxLength: 2 }).map((tags) => Object.fromEntries(tags)),
      user_id: fc.constantFrom(...userIds, 'nobody'),
    }),
  ),
})

const aSutQuery: fc.Arbitrary<SutListQuery> = fc.record({
  ...part,
  sut_type: maybe(aType),
  is_active: maybe(fc.boolean()),
  name: maybe(
    fc.oneof(
      aName,
      aName.map((name) => name.slice(1, 4) || name),
      aName.map((name) => name.toUpperCase()),
      fc.constantFrom('_', '%', 'ss', 'k'),
    ),
  ),
  tags: fc.oneof(fc.constant([]), fc.array(aTag, { maxLength: 2 })).map((tags) => Object.fromEntries(tags)),
})

const aSlice = fc.integer({ min: 1, max: 20 })

test('property: lists of reservations match the log for every combination of filters', (t) => {
  const queries = fc.array(aReservationQuery, { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(aHistory, aSlice, queries, (steps, slice, given) => {
      const events = eventsOf(steps)
      const lists = listsOf(events, slice)
      const all = documentsAfter('reservation', events)
      const suts = documentsAfter('sut', events)
      for (const query of given) {
        t.deepEqual(lists.reservations(query), reservationsIn(all, query, suts))
        const { scope } = query.visibility ?? { scope: { none: '' } }
        const inScope = all.filter((one) => one.ended !== 'cancelled' && hasTags(suts, one.document.sut_id, scope))
        const holders = new Set(inScope.map(({ document }) => String(document.user_id)))
        t.deepEqual([...lists.holders(scope)].sort(), [...holders].sort())
      }
    }),
    { numRuns: rounds(15, 150) },
  )
})

test('property: lists of SUTs match the log for every combination of filters', (t) => {
  const queries = fc.array(aSutQuery, { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(aHistory, aSlice, queries, (steps, slice, given) => {
      const events = eventsOf(steps)
      const lists = listsOf(events, slice)
      const all = documentsAfter('sut', events)
      for (const query of given) t.deepEqual(lists.suts(query), sutsIn(all, query))
    }),
    { numRuns: rounds(10, 100) },
  )
})

const byStart = (a: Window, b: Window): number => a.start - b.start || a.end - b.end

test('property: a SUT is held in the final windows of its uncancelled reservations', (t) => {
  const spans = fc.array(fc.record({ sut: fc.constantFrom(...sutIds, 'none'), from: aQuarter, to: aQuarter }), {
    minLength: 10,
  })
  fc.assert(
    fc.property(aHistory, aSlice, spans, (steps, slice, given) => {
      const events = eventsOf(steps)
      const lists = listsOf(events, slice)
      const all = documentsAfter('reservation', events)
      for (const { sut, from, to } of given) {
        const span = { start: moment(from), end: moment(to) }
        const windows = all
          .filter(({ document, ended }) => document.sut_id === sut && ended !== 'cancelled')
          .map(({ document: { start_time, end_time } }) => ({
            start: epochSecondsOf(String(start_time)),
            end: epochSecondsOf(String(end_time)),
          }))
          .filter((window) => span.start < span.end && overlaps(window, span))
        t.deepEqual(
          lists
            .heldBy([sut], span)
            .map(({ sut_id: _, ...window }) => window)
            .toSorted(byStart),
          windows.toSorted(byStart),
        )
      }
    }),
    { numRuns: rounds(10, 100) },
  )
})

/** The ids of the entries of a list, read page by page. */
const walk = (
  lists: Lists,
  query: Partial<ReservationListQuery>,
  limit: number,
  next: (seen: readonly string[]) => Partial<PageQuery>,
): readonly string[] => {
  const seen: string[] = []
  for (;;) {
    const { documents, count } = lists.reservations({ ...query, limit, offset: 0, ...next(seen) })
    seen.push(...documents.map((document) => (JSON.parse(document) as { _id: string })._id))
    if (documents.length < limit) return seen.length === count ? seen : [...seen, `count was ${count}`]
  }
}

test('property: paging by offset, or from the last entry, returns each entry once', (t) => {
  const queries = fc.array(aReservationQuery, { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(aHistory, queries, fc.integer({ min: 1, max: 7 }), (steps, given, limit) => {
      const events = eventsOf(steps)
      const lists = listsOf(events, 10)
      const known = documentsAfter('reservation', events)
      const suts = documentsAfter('sut', events)
      const createdOf = (id: string | undefined) => known.find(({ document }) => document._id === id)?.created
      for (const { createdBefore: _, ...query } of given) {
        const whole = reservationsIn(known, { ...query, limit: 1000, offset: 0 }, suts).documents
        const ids = whole.map((document) => (JSON.parse(document) as { _id: string })._id)
        t.deepEqual(
          walk(lists, query, limit, (seen) => ({ offset: seen.length })),
          ids,
        )
        t.deepEqual(
          walk(lists, query, limit, (seen) => ({ createdBefore: createdOf(seen.at(-1)) })),
          ids,
        )
      }
    }),
    { numRuns: rounds(10, 60) },
  )
})

/** Names, parts of them, and texts that are not parts. */
const PARTS: readonly (readonly [name: string, parts: readonly string[], others: readonly string[]])[] = [
  ['Straße', ['SS', 'ß', 'STRASSE', 'ẞ', 'traſs'], ['sse 1', 's s']],
  ['ΟΔΟΣΑ', ['ΟΔΟΣ', 'οδος', 'οδοσ'], ['oδος']],
  ['οδος', ['ΟΔΟΣ', 'οδοσ'], ['ΟΔΟΣΑ']],
  ['\u212aelvin', ['kelvin', 'K', '\u212a'], ['c']],
  ['100%_[a-z]', ['%', '_', '[A-Z]'], ['100_', '1%%', '.']],
]

test('a part of a name is found in any case', (t) => {
  for (const [name, parts, others] of PARTS) {
    const { suts } = listsOf([sutCreated({ _id: sutIds[0] as string, name })], 1)
    const countOf = (part: string): number => suts({ limit: 1, offset: 0, name: part }).count
    for (const part of parts) t.is(countOf(part), 1, `${part} in ${name}`)
    for (const other of others) t.is(countOf(other), 0, `${other} in ${name}`)
  }
})
