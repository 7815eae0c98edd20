/** Where those who wait for a machine are drawn: arithmetic without a browser. */

import test from 'ava'
import { placeQueued, takenBy } from '../../../src/web/features/schedule/calendar.ts'
import { cellsOf, stopsOf } from '../../../src/web/features/schedule/cells.ts'
import { spanOf } from '../../../src/web/features/schedule/span.ts'
import { booked, MINUTE, time } from './times.ts'

const HELD = [booked('a', '10:00', '12:00'), booked('b', '14:00', '15:00')]
const queued = (_id: string, minutes: number) => ({ _id, userId: _id, name: _id, length: minutes * MINUTE })
const NOW = time('10:42')

test('who waits is drawn where it is free for long enough, after those before', (t) => {
  const placed = placeQueued(takenBy(HELD, 0), [queued('x', 60), queued('y', 120), queued('z', 60)], NOW)
  t.deepEqual(
    placed.map(({ from, to, queued: { _id } }) => [_id, from, to]),
    [
      ['x', time('12:00'), time('13:00')],
      ['y', time('15:00'), time('17:00')],
      ['z', time('13:00'), time('14:00')],
    ],
  )
})

test('a turnaround is left before it', (t) => {
  const [placed] = placeQueued(takenBy(HELD, 30 * MINUTE), [queued('x', 60)], NOW)
  t.is(placed?.from, time('12:30'))
})

test('the row of a machine has a cell for each that waits for it, with the gaps around it, but not by days', (t) => {
  const row = { booked: HELD, isActive: true, offlineSince: undefined, queued: [queued('me', 60)] }
  const stops = stopsOf(cellsOf(row, spanOf('day', NOW), NOW, 'me')).slice(1, 4)
  t.like(stops, [
    { kind: 'queued', from: time('12:00'), to: time('13:00') },
    { kind: 'gap', from: time('13:00'), to: time('14:00') },
    { kind: 'block', from: time('14:00') },
  ])
  const shown = cellsOf(row, spanOf('day', NOW), NOW, 'me').filter(({ kind }) => kind === 'queued')
  t.like(shown, [{ from: time('12:00'), to: time('13:00'), isOwn: true }])
  t.deepEqual(
    cellsOf(row, spanOf('month', NOW), NOW, 'me').filter(({ kind }) => kind === 'queued'),
    [],
  )
})
