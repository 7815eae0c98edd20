import test from 'ava'
import { find } from '../../../src/domain/calendar/calendar.ts'
import { keepaliveDue } from '../../../src/domain/calendar/held.ts'
import type { Event } from '../../../src/domain/event.ts'
import type { KeepReservation } from '../../../src/domain/reservation/change.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  createReservation,
  explicit,
  idOf,
  reservationCreated,
  reservationKept,
  reservationReleased,
  sutCreated,
  sutUpdated,
  tester,
  wall,
} from '../builders.ts'
import { at, decided, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())

/** From 06:00 to 07:00, to be kept alive every ten minutes. */
const window = reservationCreated(idOf(1), '06:00', '07:00').data
const reservation: Event = { type: 'ReservationCreated', data: { ...window, keepalive: 600 } }
const made = at('05:00', reservation)
const keep = (more: Partial<KeepReservation> = {}): KeepReservation => ({
  type: 'KeepReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  documentStatus: 'made',
  ...more,
})
const gateway = { _id: 'gateway', role: 'system' } as const
const ofGateway = { actor: gateway._id, role: gateway.role }
const release = { type: 'ReleaseUnattended', _id: idOf(1), cause: 'keepalive' } as const
const kept = records(reservationKept(idOf(1)))
const releasedAt = (end_time: string) => {
  const { type, data } = reservationReleased(idOf(1), end_time)
  return records({ type, data: { ...data, cause: 'keepalive' } })
}
const dueOf = (story: ReturnType<typeof given>): string => {
  const held = find(story.state.windows, idOf(1))
  return new Date((held && keepaliveDue(held)) ?? 0).toISOString().slice(11, -1)
}

test('a reservation is made with the time after which it is released', (t) => {
  const command = createReservation(explicit('06:00', '07:00'), { keepalive: 600 })
  t.like(decided(given(created).when(command, '05:00')).data, { keepalive: 600, end_time: wall('07:00') })
  const without = decided(given(created).when(createReservation(explicit('06:00', '07:00')), '05:00'))
  t.false('keepalive' in without.data)
})

test('the deadline is that time after the start, the creation or the last ReservationKept', (t) => {
  t.is(dueOf(given(created, made)), '06:10:00.000')
  t.is(dueOf(given(created, at('06:02:30.500', reservation))), '06:12:30.500')
  t.is(dueOf(given(created, made, at('06:07', reservationKept(idOf(1))))), '06:17:00.000')
  const twice = [at('06:07', reservationKept(idOf(1))), at('06:14', reservationKept(idOf(1)))]
  t.is(dueOf(given(created, made, ...twice)), '06:24:00.000')
})

test('keeping is recorded at once, then only when less than half of the time is left, and nothing before the start', (t) => {
  const story = given(created, made)
  for (const time of ['05:30', '05:59:59.999']) t.deepEqual(story.when(keep(), time), records(), time)
  t.deepEqual(story.when(keep(), '06:00'), kept)
  t.deepEqual(story.when(keep(), '06:30'), kept, 'past the deadline, as long as nobody has released it')
  const again = given(created, made, at('06:06', reservationKept(idOf(1))))
  t.deepEqual(again.when(keep(), '06:11'), records())
  t.deepEqual(again.when(keep(), '06:11:00.001'), kept)
})

test('a connection keeps a reservation alive at half of the time, but none that its holder has ever kept alive', (t) => {
  const byGateway = keep({ actor: gateway })
  const story = given(created, made)
  t.deepEqual(story.when(byGateway, '06:05'), records())
  t.deepEqual(story.when(byGateway, '06:05:00.001'), kept)
  const connected = given(created, made, at('06:06', reservationKept(idOf(1)), ofGateway))
  t.deepEqual(connected.when(byGateway, '06:11:00.001'), kept)
  t.deepEqual(connected.when(keep(), '06:06:01'), kept, 'the first heartbeat')
  const both = [at('06:06', reservationKept(idOf(1))), at('06:07', reservationKept(idOf(1)), ofGateway)]
  t.deepEqual(given(created, made, ...both).when(byGateway, '06:16'), records())
  t.deepEqual(given(created, made, ...both).when(keep(), '06:16'), kept)
})

test('once it has run for two hours, a keepalive of less than a minute counts as a minute', (t) => {
  const long = { ...reservationCreated(idOf(1), '06:00', '12:00').data, keepalive: 30 }
  const story = (...times: readonly string[]) =>
    given(
      created,
      at('05:00', { type: 'ReservationCreated', data: long }),
      ...times.map((time) => at(time, reservationKept(idOf(1)))),
    )
  t.is(dueOf(story('07:59:59.999')), '08:00:29.999')
  t.deepEqual(story('07:59:59.999').when(keep(), '08:00:15'), kept)
  const later = story('07:59:59.999', '08:00:15')
  t.is(dueOf(later), '08:01:15.000')
  t.deepEqual(later.when(keep(), '08:00:45'), records())
  t.deepEqual(later.when(keep(), '08:00:45.001'), kept)
  t.deepEqual(later.when(release, '08:01:14.999'), records())
})

test('a reservation is released from its deadline on, to the second, and nobody else is', (t) => {
  const story = given(created, made)
  t.deepEqual(story.when(release, '06:09:59.999'), records())
  t.deepEqual(story.when(release, '06:10'), releasedAt(wall('06:10')))
  t.deepEqual(story.when(release, '06:10:00.001'), releasedAt('2030-05-02T06:10:01+00:00'))
  t.deepEqual(story.when(release, '07:00'), records(), 'it is over')
  const again = given(created, made, at('06:09', reservationKept(idOf(1))))
  t.deepEqual(again.when(release, '06:18:59.999'), records())
  t.deepEqual(again.when(release, '06:19'), releasedAt(wall('06:19')))
  const released = given(created, made, at('06:10', reservationReleased(idOf(1), wall('06:10'))))
  t.deepEqual(released.when(release, '06:20'), records(), 'only once')
  t.deepEqual(given(created).when(release, '06:20'), records(), 'there is none')
  t.is(refusal(given().when(release, '06:20')).code, 'sut_not_found')
})

test('an unused reservation is released once that is due, as the SUT has it then', (t) => {
  const unused = { ...release, cause: 'unused' } as const
  const story = given(at('05:00', sutCreated({ release_unused_after: 300 })), made)
  t.deepEqual(story.when(unused, '06:04:59.999'), records())
  const { type, data } = reservationReleased(idOf(1), wall('06:05'))
  t.deepEqual(story.when(unused, '06:05'), records({ type, data: { ...data, cause: 'unused' } }))
  const never = [at('05:00', sutCreated()), made]
  t.deepEqual(given(...never).when(unused, '06:30'), records())
  const later = given(...never, at('06:01', sutUpdated({ release_unused_after: 1_800 })))
  t.deepEqual(later.when(unused, '06:29:59'), records())
  t.is(decided(later.when(unused, '06:30')).type, 'ReservationReleased')
})
