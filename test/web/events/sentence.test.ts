/** What was recorded, in sentences. */

import test from 'ava'
import { type Entry, lastChange } from '../../../src/web/features/events/entries.ts'
import { sentenceOf, textOf } from '../../../src/web/features/events/sentence.ts'
import { time } from '../timeline/times.ts'

const entry = (type: string, part: Partial<Entry> = {}): Entry => ({
  ...{
    sequence: '1',
    type: `berth.${type}`,
    time: new Date(time('10:00')).toISOString(),
    stream: 'sut-a',
    revision: 0,
  },
  ...{ actor: 'amina', actorname: 'Amina', data: {}, changes: [] },
  ...part,
})
const reader = { ownId: 'me', nameOf: (id: string) => (id === 'priya' ? 'Priya' : undefined) }
const tell = (of: Entry): string => textOf(sentenceOf(of, reader))
const window = (from: string, to: string) => ({
  start_time: new Date(time(from)).toISOString(),
  end_time: new Date(time(to)).toISOString(),
})

test('reservations are told with who made them and for whom', (t) => {
  t.is(
    tell(entry('ReservationCreated', { data: { user_id: 'amina', ...window('14:00', '16:00') } })),
    'Amina reserved it, 14:00 – 16:00',
  )
  const forPriya = { data: { user_id: 'priya', ...window('14:00', '16:00') }, actor: 'me' }
  t.is(tell(entry('ReservationCreated', forPriya)), 'You reserved it for Priya, 14:00 – 16:00')
  t.is(tell(entry('ReservationCancelled', { data: { user_id: 'me' } })), 'Amina cancelled your reservation')
  t.is(tell(entry('MatchOffered', { data: { user_id: 'priya' } })), 'Priya was offered it')
  t.is(tell(entry('ReservationOfferRefused', { data: { user_id: 'me' } })), 'You did not get it')
  t.is(tell(entry('ReservationStarted', { data: { user_id: 'priya' } })), "Priya's reservation started")
  t.is(tell(entry('ReservationEnded', { data: { user_id: 'gone' } })), "Someone's reservation ended")
})

test('what the service released is told with why', (t) => {
  const kept = { data: { user_id: 'me', cause: 'keepalive' }, actor: 'schedule' }
  t.is(tell(entry('ReservationReleased', kept)), 'Berth released your reservation because nobody kept it alive')
  t.is(tell(entry('ReservationKept', { data: { user_id: 'amina' } })), 'Amina kept their reservation alive')
})

test('changes are told with what was and what is, but no secret', (t) => {
  const changes = [
    { path: '/version', from: '550.90', to: '555.42' },
    { path: '/tags/rack', from: null, to: '2' },
    { path: '/password', changed: true as const },
  ]
  t.is(
    tell(entry('SutUpdated', { changes })),
    'Amina changed version from 550.90 to 555.42, the tag rack to 2, the password',
  )
})

test('connections are told with how long they lasted', (t) => {
  const data = { user_id: 'priya', opened_at: '2030-01-01T10:00:00Z', closed_at: '2030-01-01T10:36:20Z' }
  t.is(tell(entry('SessionClosed', { data })), 'Priya disconnected, after 36 m')
})

test('an event of a later version is told by its name', (t) => {
  t.is(tell(entry('SutPainted')), 'SutPainted')
})

test('who changed a machine after a revision is found among its events', (t) => {
  const entries = [
    entry('ReservationCreated', { revision: 7, data: { sut_id: 'w1' } }),
    entry('SutUpdated', { revision: 6 }),
    entry('SutUpdated', { revision: 3 }),
  ]
  t.is(lastChange(entries, 3)?.revision, 6)
  t.is(lastChange(entries, 6), undefined)
})
