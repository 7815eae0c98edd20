import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { reservationCreated, reservationKept, reservationReleased, wall } from '../../domain/builders.ts'
import { BEGINNING, type Entry, FIRST, findingsIn, finds, of, onPort, updated, versionSet } from '../verify/morning.ts'
import { forCause } from './unlawful.ts'

/** A reservation from 06:00 to 07:00 that is to be kept alive every ten minutes. */
const window = reservationCreated(FIRST, '06:00', '07:00').data
const reservation: Event = { type: 'ReservationCreated', data: { ...window, keepalive: 600 } }
const LOG: readonly Entry[] = [...BEGINNING, ['05:20', onPort(reservation)]]

const byGateway = { role: 'system', actor: 'gateway' } as const
/** In it connections also keep what its holder keeps alive. */
const OLD_LOG: Entry = ['04:00', versionSet]

const kept = (time: string): Entry => [time, of(reservationKept(FIRST))]
const released = (time: string, end = wall(time)): Entry => [
  time,
  of(forCause(reservationReleased(FIRST, end), 'keepalive')),
  { role: 'system', actor: 'schedule' },
]

test('a reservation that is kept alive and then released has no findings', async (t) => {
  t.deepEqual(await findingsIn([...LOG, kept('06:06'), kept('06:12'), released('06:22')]), [])
  t.deepEqual(await findingsIn([...LOG, released('06:10')]), [])
  t.deepEqual(await findingsIn([...LOG, ['06:06', of(reservationKept(FIRST)), byGateway]]), [])
})

test('a release before the deadline is found', async (t) => {
  await finds(t, /without an effect/, [...LOG, released('06:09')])
  await finds(t, /without an effect/, [...LOG, kept('06:06'), released('06:15')])
})

test('the first heartbeat may come at once, and after one no connection keeps a reservation alive', async (t) => {
  const connected: Entry = ['06:12', of(reservationKept(FIRST)), byGateway]
  t.deepEqual(await findingsIn([...LOG, ['06:06', of(reservationKept(FIRST)), byGateway], kept('06:07')]), [])
  t.deepEqual(await findingsIn([OLD_LOG, ...LOG, kept('06:00:01'), connected]), [], 'a log of before')
  await finds(t, /without an effect/, [...LOG, kept('06:00:01'), connected])
})

test('keeping alive too early, before the start, after the end or by another process is found', async (t) => {
  await finds(t, /without an effect/, [...LOG, ['06:05', of(reservationKept(FIRST)), byGateway]])
  await finds(t, /without an effect/, [...LOG, kept('06:06'), kept('06:11')])
  await finds(t, /without an effect/, [...LOG, kept('05:30')])
  await finds(t, /reservation_over/, [...LOG, kept('07:00')])
  const bySchedule = { role: 'system', actor: 'schedule' } as const
  await finds(t, /under the name schedule/, [...LOG, ['06:06', of(reservationKept(FIRST)), bySchedule]])
})

test('a release of what nobody uses is found unless its SUT asks for it, and it is due', async (t) => {
  const unused = (time: string): Entry => [
    time,
    of(forCause(reservationReleased(FIRST, wall(time)), 'unused')),
    { role: 'system', actor: 'schedule' },
  ]
  const asked: readonly Entry[] = [...LOG, ['05:30', updated({ release_unused_after: 1_200 })]]
  t.deepEqual(await findingsIn([...asked, kept('06:06'), unused('06:20')]), [])
  await finds(t, /without an effect/, [...asked, unused('06:19')])
  await finds(t, /without an effect/, [...LOG, unused('06:20')])
})

test('a release for a reservation that need not be kept alive is found', async (t) => {
  const other: readonly Entry[] = [...BEGINNING, ['05:20', onPort(reservationCreated(FIRST, '06:00', '07:00'))]]
  await finds(t, /without an effect/, [...other, released('06:20')])
})
