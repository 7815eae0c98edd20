import test from 'ava'
import fc from 'fast-check'
import {
  alignToGrid,
  ceilToQuarter,
  floorToQuarter,
  overlaps,
  QUARTER,
  type RequestedWindow,
  resolveWindow,
  type Window,
} from '../../../src/domain/calendar/window.ts'
import { asked, clock, explicit } from '../builders.ts'
import { instantOf as at, nanosecondsOf } from '../nanoseconds.ts'
import { arbitraryWindow, shareAQuarter } from './arbitrary-windows.ts'

const windowOf = (window: RequestedWindow, now = '05:00'): Window => {
  return resolveWindow(window, clock(now)).gridded
}
const relative = (startIn: number, duration: number): RequestedWindow => ({ form: 'relative', startIn, duration })
const between = (start: string, end: string): Window => ({ start: clock(start) / 1000, end: clock(end) / 1000 })

const table: readonly (readonly [string, RequestedWindow, string, Window])[] = [
  ['06:00:00 to 06:14:59', explicit('06:00', '06:14:59'), '05:58:11.400', between('06:00', '06:15')],
  ['06:00:00 to 06:15:00', explicit('06:00', '06:15'), '05:00', between('06:00', '06:15')],
  ['06:00:00 to 06:15:01', explicit('06:00', '06:15:01'), '05:00', between('06:00', '06:30')],
  ['06:07:30 to 06:20:00', explicit('06:07:30', '06:20'), '05:00', between('06:00', '06:30')],
  ['start_in 0, duration 600 at 06:02:51.400', relative(0, 600), '06:02:51.400', between('06:00', '06:15')],
  ['start_in 0, duration 462 at 05:52:17.861', relative(0, 462), '05:52:17.861', between('05:45', '06:00')],
  ['start_in 0, duration 600 at 05:52:17.861', relative(0, 600), '05:52:17.861', between('05:45', '06:15')],
  ['start_in 3600, duration 900 at 05:58:00', relative(3600, 900), '05:58', between('06:45', '07:15')],
]
for (const [what, window, now, expected] of table) {
  test(`${what} is aligned to quarter-hours`, (t) => {
    t.deepEqual(windowOf(window, now), expected)
  })
}

test('an end on a quarter is unchanged, and one a nanosecond later moves to the next', (t) => {
  const quarter = nanosecondsOf(asked('06:15').instant)
  t.is(ceilToQuarter(at(quarter)), clock('06:15') / 1000)
  t.is(ceilToQuarter(at(quarter + 1n)), clock('06:30') / 1000)
  t.is(floorToQuarter(at(quarter)), clock('06:15') / 1000)
  t.is(floorToQuarter(at(quarter - 1n)), clock('06:00') / 1000)
})

test('before 1970, too, starts move back and ends move forward', (t) => {
  t.is(floorToQuarter(at(-1n)), -QUARTER)
  t.is(ceilToQuarter(at(-1n)), 0)
  t.is(floorToQuarter(at(-900_000_000_000n)), -QUARTER)
  t.is(ceilToQuarter(at(-900_000_000_000n)), -QUARTER)
  t.is(ceilToQuarter(at(-900_000_000_001n)), -QUARTER)
  t.is(floorToQuarter(at(-900_000_000_001n)), -2 * QUARTER)
  t.deepEqual([floorToQuarter(at(0n)), ceilToQuarter(at(0n))], [0, 0])
})

test('the grid is in UTC, whatever the requested offset', (t) => {
  const inKathmandu: RequestedWindow = { form: 'explicit', start: asked('06:07:30', 345), end: asked('06:20', -210) }
  t.deepEqual(windowOf(inKathmandu), between('06:00', '06:30'))
})

test('an explicit window keeps the offset of each end; a relative one is in UTC', (t) => {
  const { start, end } = resolveWindow(explicit('06:00', '07:00', 120, 60), clock('05:00'))
  t.deepEqual([start.offset, end.offset], [120, 60])
  const counted = resolveWindow(relative(60, 60), clock('05:00'))
  t.deepEqual([counted.start.offset, counted.end.offset], [0, 0])
  t.deepEqual(counted.end.instant, asked('05:02').instant)
})

const arbitraryMoment = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -4_000_000_000n, max: 8_000_000_000n }).map((second) => second * 1_000_000_000n),
    fc.bigInt({ min: -4_000_000_000_000_000_000n, max: 8_000_000_000_000_000_000n }),
    fc
      .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -1, max: 1 }))
      .map(([quarter, past]) => BigInt(quarter) * 900_000_000_000n + BigInt(past)),
  )
const arbitrarySpan = () =>
  fc.tuple(arbitraryMoment(), fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n })).map(([start, length]) => {
    return { start, end: start + length }
  })
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

test('property: a window on the grid is unchanged by alignment', (t) => {
  const property = fc.property(arbitrarySpan(), ({ start, end }) => {
    const window = alignToGrid(at(start), at(end))
    t.deepEqual(alignToGrid(at(nanoseconds(window.start)), at(nanoseconds(window.end))), window)
  })
  fc.assert(property)
})

test('property: windows overlap if they share time, in either order', (t) => {
  const property = fc.property(arbitraryWindow(), arbitraryWindow(), (a, b) => {
    t.is(overlaps(a, b), shareAQuarter(a, b))
    t.is(overlaps(a, b), overlaps(b, a))
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
