import test from 'ava'
import fc from 'fast-check'
import type { Event } from '../../src/domain/event.ts'
import { sutIdOf } from '../../src/domain/event.ts'
import { formatMilliseconds } from '../../src/domain/values/instant.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import type { Lists } from '../../src/read-models/lists/lists.ts'
import { filled } from '../read-models/fill.ts'
import {
  aHistory,
  aName,
  aQuarter,
  aTag,
  aType,
  eventsOf,
  moment,
  recordedAs,
  sutIds,
  userIds,
} from '../read-models/lists/list-histories.ts'
import { rounds } from '../thorough.ts'

const BEGAN = Date.parse('2029-12-31T00:00:00.000Z')

interface Timed {
  readonly event: Event
  readonly position: number
  readonly time: number
}

/** Each SUT has its own clock, off by up to nine minutes. */
const timed = (events: readonly Event[], skews: readonly number[]): readonly Timed[] =>
  events.map((event, n) => {
    const sut = String(sutIdOf(event))
    return { event, position: n, time: BEGAN + n * 60_000 + (skews[sutIds.indexOf(sut)] ?? 0) * 60_000 }
  })

/** The lists that result from these events. */
const listsOf = (events: readonly Timed[]): Lists =>
  filled(
    events.map(({ event, position, time }) => {
      const recorded = recordedAs(event, position)
      return { ...recorded, metadata: { ...recorded.metadata, time: formatMilliseconds(time) } }
    }),
  ).lists

const aPart = fc.oneof(
  fc.record({ limit: fc.integer({ min: 1, max: 6 }), offset: fc.nat(6) }),
  fc.record({ limit: fc.constant(1000), offset: fc.constant(0) }),
  fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    offset: fc.constant(0),
    createdBefore: fc.nat(60).map((n) => toPublicPosition(n)),
  }),
)
const aReservationQuery = fc
  .tuple(
    aPart,
    fc.record(
      {
        sut_ids: fc.constantFrom(...sutIds, 'none').map((id) => [id]),
        user_id: fc.constantFrom(...userIds),
        endsAfter: aQuarter.map(moment),
        startsBefore: aQuarter.map(moment),
        isHeld: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([part, filters]) => ({ ...part, ...filters }))
const aSutQuery = fc
  .tuple(
    aPart,
    fc.record(
      { sut_type: aType, is_active: fc.boolean(), name: aName, tags: aTag.map((tag) => Object.fromEntries([tag])) },
      { requiredKeys: [] },
    ),
  )
  .map(([part, filters]) => ({ ...part, ...filters }))
/** Long enough for an offset to leave something out. */
const aLongHistory = fc.array(aHistory, { minLength: 6, maxLength: 6 }).map((parts) => parts.flat())
const aSkew = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: sutIds.length, maxLength: sutIds.length })

const someQueries = fc.record({
  reservations: fc.array(aReservationQuery, { minLength: 3, maxLength: 3 }),
  suts: fc.array(aSutQuery, { minLength: 2, maxLength: 2 }),
})

test('thorough: lists as of every position equal the lists when the log ended there', (t) => {
  fc.assert(
    fc.property(aLongHistory, aSkew, someQueries, (steps, skews, { reservations, suts }) => {
      const events = timed(eventsOf(steps), skews)
      const now = listsOf(events)
      for (const [n, { position }] of events.entries()) {
        const then = listsOf(events.slice(0, n + 1))
        const at = toPublicPosition(position)
        for (const query of reservations)
          t.deepEqual(now.reservations({ ...query, asOf: at }), then.reservations(query))
        for (const query of suts) t.deepEqual(now.suts({ ...query, asOf: at }), then.suts(query))
      }
    }),
    { numRuns: 7, endOnFailure: true },
  )
})

test('a time means the last event recorded by then, or one within the difference of the clocks', (t) => {
  fc.assert(
    fc.property(aLongHistory, aSkew, (steps, skews) => {
      for (const [offsets, difference] of [
        [[], 0],
        [skews, 18 * 60_000],
      ] as const) {
        const events = timed(eventsOf(steps), offsets)
        const { positionAt } = listsOf(events)
        for (const time of events.flatMap((event) => [event.time, event.time - 1])) {
          const lastAt = (moment: number) => events.findLast((event) => event.time <= moment)?.position ?? -1
          const found = positionAt(time)
          t.true(found >= lastAt(time - difference) && found <= lastAt(time + difference), `${found} at ${time}`)
          if (difference === 0) t.is(found, toPublicPosition(lastAt(time)))
        }
      }
    }),
    { numRuns: rounds(1, 5), endOnFailure: true },
  )
})
