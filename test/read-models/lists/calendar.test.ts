import test from 'ava'
import { clock, idOf, reservationCreated, sutCreated } from '../../domain/builders.ts'
import { filled } from '../fill.ts'
import { recordedAs } from './list-histories.ts'

test('of more reservations than a calendar may have, it has those nearest to the present, by start', (t) => {
  const starts = ['23:00', '07:00', '12:00', '09:00', '10:00', '16:00']
  const made = starts.map((start, n) => reservationCreated(idOf(n), start, start.replace(':00', ':15')))
  const { lists } = filled([sutCreated(), ...made].map(recordedAs))
  const shown = (now: string, limit: number): readonly string[] =>
    lists
      .calendar({ since: 0, now: Math.floor(clock(now) / 1000), limit })
      .map(({ document }) => String(JSON.parse(document).start_time).slice(11, 16))
  t.deepEqual(shown('10:00', 3), ['09:00', '10:00', '12:00'])
  t.deepEqual(shown('20:00', 2), ['16:00', '23:00'])
  t.deepEqual(shown('20:00', 100), starts.toSorted())
})
