import test from 'ava'
import fc from 'fast-check'
import { alignToGrid, overlaps, QUARTER, type Window } from '../../../src/domain/calendar/window.ts'
import { clock } from '../builders.ts'
import { instantOf as at } from '../nanoseconds.ts'

const between = (start: string, end: string): Window => ({ start: clock(start) / 1000, end: clock(end) / 1000 })

const arbitraryMoment = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -4_000_000_000n, max: 8_000_000_000n }).map((second) => second * 1_000_000_000n),
    fc.bigInt({ min: -4_000_000_000_000_000_000n, max: 8_000_000_000_000_000_000n }),
    fc
      .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -1, max: 1 }))
      .map(([quarter, past]) => BigInt(quarter) * 900_000_000_000n + BigInt(past)),
  )
const arbitrarySpan = () =>
  fc
    .tuple(arbitraryMoment(), arbitraryMoment())
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => (one < other ? { start: one, end: other } : { start: other, end: one }))
const nanoseconds = (seconds: number): bigint => BigInt(seconds) * 1_000_000_000n

test('property: alignment covers the requested span, adds less than a quarter at each end, and is on the grid', (t) => {
  const property = fc.property(arbitrarySpan(), ({ start, end }) => {
    const window = alignToGrid(at(start), at(end))
    t.true(nanoseconds(window.start) <= start && end <= nanoseconds(window.end))
    t.true(nanoseconds(window.end - window.start) - (end - start) < nanoseconds(2 * QUARTER))
    t.true(start - nanoseconds(window.start) < nanoseconds(QUARTER))
    t.true(nanoseconds(window.end) - end < nanoseconds(QUARTER))
    t.is(Math.abs(window.start % QUARTER), 0)
    t.is(Math.abs(window.end % QUARTER), 0)
  })
  fc.assert(property)
})

test('windows that share an edge do not overlap', (t) => {
  t.false(overlaps(between('06:00', '06:15'), between('06:15', '06:30')))
  t.false(overlaps(between('06:15', '06:30'), between('06:00', '06:15')))
  t.true(overlaps(between('06:00', '06:30'), between('06:15', '06:45')))
  t.true(overlaps(between('06:00', '07:00'), between('06:15', '06:30')))
  t.true(overlaps(between('06:00', '06:15'), between('06:00', '06:15')))
})
