import test from 'ava'
import { find } from '../../../src/domain/calendar/calendar.ts'
import { keepaliveDue } from '../../../src/domain/calendar/held.ts'
import type { Event } from '../../../src/domain/event.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  asked,
  bob,
  idOf,
  LIMITS,
  type Reserving,
  reservationBound,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationKept,
  reservationReleased,
  sutCreated,
  sutUpdated,
  tester,
  wall,
} from '../builders.ts'
import { at, type Decision, decided, records, refusal, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
/** 06:00 to 07:00 UTC. */
const made = at('05:00', reservationCreated(idOf(1), '2030-05-02T08:00:00+02:00', '2030-05-02T03:30:00-03:30'))
const cancel = (more: Partial<Reserving<'CancelReservation'>> = {}): Reserving<'CancelReservation'> => ({
  type: 'CancelReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  ...more,
})
const releasedAt = (time: string) => records(reservationReleased(idOf(1), `2030-05-02T${time}-03:30`))

test('a reservation is cancelled up to the last millisecond before its start', (t) => {
  t.deepEqual(given(created, made).when(cancel(), '05:01'), records(reservationCancelled(idOf(1))))
  t.deepEqual(given(created, made).when(cancel(), '05:59:59.999'), records(reservationCancelled(idOf(1))))
})

test('a running reservation is released at the next whole second, in the offset of its end', (t) => {
  const story = given(created, made)
  t.deepEqual(story.when(cancel(), '06:00'), releasedAt('02:30:01'))
  t.deepEqual(story.when(cancel(), '06:10'), releasedAt('02:40:00'))
  t.deepEqual(story.when(cancel(), '06:10:00.001'), releasedAt('02:40:01'))
  t.deepEqual(story.when(cancel(), '06:10:00.999'), releasedAt('02:40:01'))
  t.deepEqual(story.when(cancel(), '06:59:59.001'), releasedAt('03:30:00'))
})

const extend = (
  end: Reserving<'ExtendReservation'>['end'],
  more: Partial<Reserving<'ExtendReservation'>> = {},
): Reserving<'ExtendReservation'> => ({
  type: 'ExtendReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  end,
  limits: LIMITS,
  ...more,
})
const hours = (count: number) => ({ duration: count * 3600 })

test('an extended reservation is limited to the maximum window, measured from its start as requested', (t) => {
  const week = 7 * 86_400
  t.deepEqual(
    given(created, made).when(extend({ duration: week }), '05:01'),
    records(reservationExtended(idOf(1), '2030-05-09T02:30:00-03:30')),
  )
  const longer = given(created, made).when(extend({ duration: week + 1 }), '05:01')
  t.deepEqual(whyRefused(longer), ['window_too_long', 'window_too_long duration'])
  const past = given(created, made).when(extend(asked('2030-05-09T06:00:00Z', 0, 1n)), '05:01')
  t.deepEqual(whyRefused(past), ['window_too_long', 'window_too_long end_time'])
})

test('extending to the current end is accepted even beyond the maximum window', (t) => {
  // Alignment adds up to two quarters, and the limit may have been longer earlier.
  const limits = { ...LIMITS, windowMax: 30 * 60_000 }
  t.deepEqual(given(created, made).when(extend(hours(1), { limits }), '05:01'), records())
  const earlier = given(created, made).when(extend({ duration: 2700 }, { limits }), '05:01')
  t.deepEqual(whyRefused(earlier), ['invalid', 'end_not_later duration', 'window_too_long duration'])
})

const [HERE, THERE] = [`k1:${'a'.repeat(22)}`, `k1:${'b'.repeat(22)}`]
const ofAlice = { actor: alice, role: 'tester' as const, client: HERE }
const bind = (more: Partial<Reserving<'BindReservation'>> = {}): Reserving<'BindReservation'> => ({
  type: 'BindReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  client: THERE,
  ...more,
})
const bound = records(reservationBound(idOf(1)))

test('a reservation made by somebody else, or by a version that knew no clients, is bound to nothing', (t) => {
  for (const more of [{ ...ofAlice, actor: bob }, { actor: alice }]) {
    const other = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), more)
    const story = given(created, other)
    t.is(find(story.state.windows, idOf(1))?.client, null)
    t.deepEqual(story.when(bind({ client: HERE }), '05:01'), bound)
  }
})

const unbind = { type: 'UnbindReservation', _id: idOf(1) } as const

test('there is no binding to end of an unknown reservation', (t) => {
  t.deepEqual(given(created).when(unbind, '05:02'), records())
  t.is(refusal(given().when(unbind, '05:02')).code, 'sut_not_found')
})

/** From 06:00 to 07:00, to be kept alive every ten minutes. */
const window = reservationCreated(idOf(1), '06:00', '07:00').data
const reservation: Event = { type: 'ReservationCreated', data: { ...window, keepalive: 600 } }
const alive = at('05:00', reservation)
const keep = (more: Partial<Reserving<'KeepReservation'>> = {}): Reserving<'KeepReservation'> => ({
  type: 'KeepReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  ...more,
})
const gateway = { _id: 'gateway', role: 'system' } as const
const ofGateway = { actor: gateway._id, role: gateway.role }
const release = { type: 'ReleaseUnattended', _id: idOf(1), cause: 'keepalive' } as const
const kept = records(reservationKept(idOf(1)))
const unkeptAt = (end_time: string) => {
  const { type, data } = reservationReleased(idOf(1), end_time)
  return records({ type, data: { ...data, cause: 'keepalive' } })
}
const dueOf = (story: ReturnType<typeof given>): string => {
  const held = find(story.state.windows, idOf(1))
  return new Date((held && keepaliveDue(held)) ?? 0).toISOString().slice(11, -1)
}

test('the deadline is that time after the start, the creation or the last ReservationKept', (t) => {
  t.is(dueOf(given(created, alive)), '06:10:00.000')
  t.is(dueOf(given(created, at('06:02:30.500', reservation))), '06:12:30.500')
  t.is(dueOf(given(created, alive, at('06:07', reservationKept(idOf(1))))), '06:17:00.000')
  const twice = [at('06:07', reservationKept(idOf(1))), at('06:14', reservationKept(idOf(1)))]
  t.is(dueOf(given(created, alive, ...twice)), '06:24:00.000')
})

test('keeping is recorded at once, then only when less than half of the time is left, and nothing before the start', (t) => {
  const story = given(created, alive)
  for (const time of ['05:30', '05:59:59.999']) t.deepEqual(story.when(keep(), time), records(), time)
  t.deepEqual(story.when(keep(), '06:00'), kept)
  t.deepEqual(story.when(keep(), '06:30'), kept, 'past the deadline, as long as nobody has released it')
  const again = given(created, alive, at('06:06', reservationKept(idOf(1))))
  t.deepEqual(again.when(keep(), '06:11'), records())
  t.deepEqual(again.when(keep(), '06:11:00.001'), kept)
})

test('a connection keeps a reservation alive at half of the time, but none that its holder has ever kept alive', (t) => {
  const byGateway = keep({ actor: gateway })
  const story = given(created, alive)
  t.deepEqual(story.when(byGateway, '06:05'), records())
  t.deepEqual(story.when(byGateway, '06:05:00.001'), kept)
  const connected = given(created, alive, at('06:06', reservationKept(idOf(1)), ofGateway))
  t.deepEqual(connected.when(byGateway, '06:11:00.001'), kept)
  t.deepEqual(connected.when(keep(), '06:06:01'), kept, 'the first heartbeat')
  const both = [at('06:06', reservationKept(idOf(1))), at('06:07', reservationKept(idOf(1)), ofGateway)]
  t.deepEqual(given(created, alive, ...both).when(byGateway, '06:16'), records())
  t.deepEqual(given(created, alive, ...both).when(keep(), '06:16'), kept)
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
  const story = given(created, alive)
  t.deepEqual(story.when(release, '06:09:59.999'), records())
  t.deepEqual(story.when(release, '06:10'), unkeptAt(wall('06:10')))
  t.deepEqual(story.when(release, '06:10:00.001'), unkeptAt('2030-05-02T06:10:01+00:00'))
  t.deepEqual(story.when(release, '07:00'), records(), 'it is over')
  const again = given(created, alive, at('06:09', reservationKept(idOf(1))))
  t.deepEqual(again.when(release, '06:18:59.999'), records())
  t.deepEqual(again.when(release, '06:19'), unkeptAt(wall('06:19')))
  const released = given(created, alive, at('06:10', reservationReleased(idOf(1), wall('06:10'))))
  t.deepEqual(released.when(release, '06:20'), records(), 'only once')
  t.deepEqual(given(created).when(release, '06:20'), records(), 'there is none')
  t.is(refusal(given().when(release, '06:20')).code, 'sut_not_found')
})

test('an unused reservation is released once that is due, as the SUT has it then', (t) => {
  const unused = { ...release, cause: 'unused' } as const
  const story = given(at('05:00', sutCreated({ release_unused_after: 300 })), alive)
  t.deepEqual(story.when(unused, '06:04:59.999'), records())
  const { type, data } = reservationReleased(idOf(1), wall('06:05'))
  t.deepEqual(story.when(unused, '06:05'), records({ type, data: { ...data, cause: 'unused' } }))
  const never = [at('05:00', sutCreated()), alive]
  t.deepEqual(given(...never).when(unused, '06:30'), records())
  const later = given(...never, at('06:01', sutUpdated({ release_unused_after: 1_800 })))
  t.deepEqual(later.when(unused, '06:29:59'), records())
  t.is(decided(later.when(unused, '06:30')).type, 'ReservationReleased')
})

/** Documents are a cache: no event is recorded on their word alone. */

const story = given(at('05:00', sutCreated()), at('05:00', reservationCreated(idOf(1), '06:00', '07:00')))
const gone = given(
  at('05:00', sutCreated()),
  at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
  at('05:01', reservationCancelled(idOf(1))),
)

/** @param user_id who holds it by its document; it is Alice's */
const commandsOf = (who: string, user_id: string) => {
  const of = { actor: tester(who), _id: idOf(1), user_id }
  return {
    cancel: { type: 'CancelReservation', ...of } as const,
    extend: { type: 'ExtendReservation', ...of, end: { duration: 7200 }, limits: LIMITS } as const,
  }
}

for (const [name, document] of [
  ['Alice', alice],
  ['Bob', bob],
] as const) {
  test(`a future or running reservation is its holder's although its document says ${name}`, (t) => {
    const [hers, his] = [commandsOf(alice, document), commandsOf(bob, document)]
    t.deepEqual(story.when(hers.cancel, '05:30'), records(reservationCancelled(idOf(1))))
    t.deepEqual(story.when(hers.cancel, '06:30'), records(reservationReleased(idOf(1), wall('06:30'))))
    t.deepEqual(story.when(hers.extend, '06:30'), records(reservationExtended(idOf(1), wall('08:00'))))
    for (const time of ['05:30', '06:30']) {
      for (const command of [his.cancel, his.extend]) {
        t.is(refusal(story.when(command, time)).code, 'not_your_reservation')
      }
    }
  })

  test(`a past or cancelled reservation records nothing although its document says ${name}`, (t) => {
    const isNothing = (decision: Decision): boolean => decision._tag === 'Left' || decision.right.length === 0
    for (const who of [alice, bob]) {
      for (const command of Object.values(commandsOf(who, document))) {
        t.true(isNothing(story.when(command, '07:00')))
        t.true(isNothing(gone.when(command, '05:30')))
      }
    }
  })
}
