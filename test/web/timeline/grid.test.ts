import test from 'ava'
import fc from 'fast-check'
import { cellsOf, loadStep, stopsOf } from '../../../src/web/features/schedule/cells.ts'
import { moveOf, moveSpot, stopAt } from '../../../src/web/features/schedule/moves.ts'
import {
  grouped,
  heightOf,
  hold,
  layOut,
  rowAt,
  scrollFor,
  visibleRows,
} from '../../../src/web/features/schedule/rows.ts'
import {
  dayOf,
  daysOf,
  hourWidthOf,
  minutesOf,
  snap,
  spanLater,
  spanOf,
  timeAt,
} from '../../../src/web/features/schedule/span.ts'
import { booked, MINUTE, time } from './times.ts'

const DAY = spanOf('day', time('10:00'))
const row = { booked: [booked('a', '10:00', '12:00', 'me'), booked('b', '14:00', '15:00')], isActive: true }

test('a day begins on the evening before, a week with its day, and both are followed by the next', (t) => {
  t.is(DAY.from, time('00:00') - 120 * MINUTE)
  t.is(minutesOf(DAY), 38 * 60)
  t.deepEqual([dayOf(DAY), dayOf(spanLater(DAY, 1))], [time('00:00'), time('24:00')])
  const week = spanOf('week', time('10:00'))
  t.deepEqual([week.from, spanLater(week, -1).to], [time('00:00'), time('00:00')])
  t.is(daysOf(week).length, 7)
  t.is(daysOf(spanOf('month', time('10:00'))).length, 31)
  t.is(spanLater(spanOf('month', time('10:00')), 9).from, new Date(2031, 1, 1).getTime())
})

test('a week and a month fit into the width, a day has its own', (t) => {
  t.is(hourWidthOf(DAY, 1_176, false), 96)
  t.is(hourWidthOf(DAY, 390, true), 64)
  t.is(hourWidthOf(spanOf('week', time('10:00')), 1_176, false), 7)
  t.is(hourWidthOf(spanOf('month', time('10:00')), 1_116, false) * 24, 36)
})

test('a place on the line is a time, moved back to its step', (t) => {
  t.is(timeAt(DAY, 96, 96 * 11 + 50), time('09:30'))
  t.is(timeAt(spanOf('week', time('10:00')), 7, 7 * 10 + 6), spanOf('week', time('10:00')).from + 10 * 60 * MINUTE)
})

test('an edge that is dragged comes to lie on the nearest step', (t) => {
  t.is(snap(DAY, time('09:37')), time('09:30'))
  t.is(snap(DAY, time('09:38')), time('09:45'))
  t.is(snap(spanOf('week', time('10:00')), time('09:38')), time('10:00'))
})

test('a row shows who has it and what is free from the current quarter on', (t) => {
  const cells = cellsOf({ ...row, offlineSince: undefined }, DAY, time('11:07'), 'me')
  t.deepEqual(
    cells.map(({ kind, from }) => [kind, from]),
    [
      ['gap', time('12:00')],
      ['gap', time('15:00')],
      ['block', time('10:00')],
      ['block', time('14:00')],
    ],
  )
  t.like(cells[2], { isOwn: true, phase: 'running' })
  t.like(cells[3], { isOwn: false, phase: 'ahead' })
})

test('a row shows turnarounds from the real ends on, and what is too short for one', (t) => {
  const released = { ...booked('a', '10:00', '10:37'), ends: time('10:37') + 40_000 }
  const held = [released, booked('b', '12:00', '13:00'), booked('c', '13:15', '14:00')]
  const turnaround = 30 * MINUTE
  const options = { booked: held, turnaround, isActive: true, offlineSince: undefined }
  const found = (now: string) =>
    stopsOf(cellsOf(options, DAY, time(now), 'me')).map(({ kind, from, to }) => [kind, from, to])
  t.deepEqual(found('10:40'), [
    ['block', time('10:00'), time('10:37')],
    ['turn', time('10:37'), time('11:15')],
    ['gap', time('11:15'), time('11:30')],
    ['idle', time('11:30'), time('12:00')],
    ['block', time('12:00'), time('13:00')],
    // It was raised when both were reserved.
    ['turn', time('13:00'), time('13:15')],
    ['block', time('13:15'), time('14:00')],
    ['turn', time('14:00'), time('14:30')],
    ['gap', time('14:30'), DAY.to],
  ])
  t.false(
    found('12:00').some(([kind]) => kind === 'idle'),
    'nobody can reserve the past',
  )
})

test('a machine that is off or inactive shows it over its whole row', (t) => {
  const offline = cellsOf({ ...row, offlineSince: time('08:20') }, DAY, time('11:07'), 'me')
  t.deepEqual(
    offline.filter(({ kind }) => kind === 'offline').map(({ from, to }) => [from, to]),
    [
      [time('08:20'), time('11:07')],
      [time('11:07'), DAY.to],
    ],
  )
  const inactive = cellsOf({ ...row, isActive: false, offlineSince: undefined }, DAY, time('11:07'), 'me')
  t.deepEqual(
    inactive.map(({ kind }) => kind),
    ['inactive', 'block', 'block'],
  )
})

test('outages that are over are in the past of a row, one that lasts is shown once', (t) => {
  const outage = (from: string, to: string, isOpen = false) => ({
    ...{ from: time(from), to: time(to), cause: 'refused', isOpen },
  })
  const outages = [outage('00:00', '06:00'), outage('08:00', '08:20'), outage('09:00', '23:00', true)]
  const cells = cellsOf({ ...row, offlineSince: time('09:00'), outages }, DAY, time('11:07'), 'me')
  t.deepEqual(
    cells.filter(({ kind }) => kind === 'outage').map(({ from, to }) => [from, to]),
    [
      [time('00:00'), time('06:00')],
      [time('08:00'), time('08:20')],
    ],
  )
})

test('a month shows the hours of each day, and who is offline', (t) => {
  const cells = cellsOf({ ...row, offlineSince: undefined }, spanOf('month', time('10:00')), time('11:07'), 'me')
  t.like(cells[1], { kind: 'load', hours: 3, isMine: true })
  t.like(cells[2], { kind: 'load', hours: 0, isMine: false })
  const off = cellsOf({ ...row, offlineSince: time('09:00') }, spanOf('month', time('10:00')), time('11:07'), 'me')
  t.deepEqual(
    off.slice(0, 3).map(({ kind }) => kind),
    ['offline', 'offline', 'load'],
  )
  t.deepEqual([0, 2, 3, 6, 9].map(loadStep), [0, 1, 2, 3, 4])
})

test('rows are found by their height, whatever groups there are', (t) => {
  const machines = Array.from({ length: 30 }, (_, n) => ({ _id: String(n), rack: `rack ${n % 3}` }))
  const rows = grouped(machines, ({ rack }) => rack, new Set(['rack 1']))
  t.is(rows.length, 3 + 20)
  const layout = layOut(rows, { group: 28, machine: 36 })
  t.is(heightOf(layout), 3 * 28 + 20 * 36)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: heightOf(layout) - 1 }), (y) => {
      const index = rowAt(layout, y)
      t.true((layout.tops[index] as number) <= y && y < (layout.tops[index + 1] as number))
    }),
  )
  t.deepEqual(visibleRows(layout, 0, 100), [0, 12])
})

const machine = (_id: string, note = '') => ({ _id, note })
const byId = (...all: ReturnType<typeof machine>[]) => new Map(all.map((each) => [each._id, each]))

test('rows that are held keep their places: what goes stays, what comes waits, what changes shows', (t) => {
  const before = grouped([machine('b'), machine('c')], undefined, new Set())
  const all = byId(machine('a'), machine('b', 'taken'), machine('c', 'new'))
  const now = grouped([machine('a'), machine('c', 'new')], undefined, new Set())
  t.deepEqual(hold(before, now, all), [
    { kind: 'machine', key: 'b', of: machine('b', 'taken'), isLeaving: true },
    { kind: 'machine', key: 'c', of: machine('c', 'new') },
  ])
})

test('when rows come and go, the row at the top stays where it is', (t) => {
  const heights = { group: 28, machine: 36 }
  const lay = (...ids: string[]) =>
    layOut(
      grouped(
        ids.map((id) => machine(id)),
        undefined,
        new Set(),
      ),
      heights,
    )
  const before = lay('a', 'b', 'c', 'd')
  t.is(scrollFor(before, lay('x', 'a', 'b', 'c', 'd'), 40), 76)
  t.is(scrollFor(before, lay('a', 'c', 'd'), 40), 36, 'it has gone, so the next one is at the top')
  t.is(scrollFor(before, lay('x'), 40), 40)
  t.is(scrollFor(before, lay('x', 'a', 'b', 'c', 'd'), 0), 0, 'nobody has scrolled')
})

const stops = stopsOf(cellsOf({ ...row, offlineSince: undefined }, DAY, time('09:00'), 'me'))
const grid = { rows: 4, stops: (index: number) => (index === 2 ? [] : stops) }

const press = (key: string, ctrlKey = false) => moveOf({ key, ctrlKey, metaKey: false })
const move = (from: { row: number; time: number }, key: string, ctrlKey = false) =>
  moveSpot(from, press(key, ctrlKey) ?? {}, grid)

test('arrows go from cell to cell, and to other rows at the same time', (t) => {
  const start = { row: 0, time: time('10:30') }
  t.deepEqual(move(start, 'ArrowRight'), { row: 0, time: time('12:00') })
  t.deepEqual(move(start, 'ArrowLeft'), { row: 0, time: time('09:00') })
  t.deepEqual(move({ ...start, row: 1 }, 'ArrowDown'), { row: 3, time: time('10:30') }, 'over the head of a group')
  t.deepEqual(move(start, 'ArrowUp'), start)
  t.deepEqual(move(start, 'End'), { row: 0, time: time('15:00') })
  t.is(move(start, 'PageDown').row, 3)
  t.deepEqual(move(start, 'End', true), { row: 3, time: time('15:00') })
  t.deepEqual(move({ row: 3, time: 0 }, 'Home', true), { row: 0, time: time('09:00') })
  t.deepEqual([press('x'), press('x', true)], [undefined, undefined])
})

test('the cell at a time is the one that contains it, or else the nearest', (t) => {
  t.is(stopAt(stops, time('11:00'))?.from, time('10:00'))
  t.is(stopAt(stops, time('03:00'))?.from, time('09:00'))
})
