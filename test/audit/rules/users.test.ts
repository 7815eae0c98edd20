import test from 'ava'
import {
  bob,
  reservationCancelled,
  reservationReleased,
  userChanged,
  userRemoved,
  userRestored,
  wall,
} from '../../domain/builders.ts'
import { type Entry, FIRST, findingsIn, finds, idAt, MORNING, made, of } from '../verify/morning.ts'
import { BY_BERTH, cancelled, USERS } from './unlawful-users.ts'

const LOG: readonly Entry[] = [...MORNING, ...USERS]
/** Index of the first event of a user. */
const FIRST_USER = MORNING.length

test('users have no findings, whatever is done to them and their reservations', async (t) => {
  const ends: readonly (readonly Entry[])[] = [
    [],
    [['06:18', cancelled, BY_BERTH]],
    [['06:18', cancelled]],
    [
      ['06:18', userRemoved(undefined, 'cancel')],
      ['06:19', of(reservationReleased(FIRST, wall('06:19'))), BY_BERTH],
      ['06:20', userRestored()],
    ],
    [
      ['06:18', userChanged({ role: 'administrator' })],
      ['06:18', userChanged({ role: 'tester', scope: 'rack=7' })],
    ],
  ]
  for (const end of ends) t.deepEqual(await findingsIn([...LOG, ...end]), [])
})

test('the service may end what was made before a restoration for a minute, and nothing made after it', async (t) => {
  const restored: readonly Entry[] = [...LOG, ['06:18', userRestored(bob)]]
  t.deepEqual(await findingsIn([...restored, ['06:19', cancelled, BY_BERTH]]), [])
  await finds(t, /was not removed with its reservations/, [...restored, ['06:19:00.001', cancelled, BY_BERTH]])
  const fresh = made('06:18', 7, '15:00', '16:00', bob)
  const end = of(reservationCancelled(idAt('06:18', 7), bob))
  t.deepEqual(await findingsIn([...restored, fresh, ['06:18:30', end]]), [])
  await finds(t, /was not removed with its reservations/, [...restored, fresh, ['06:18:30', end, BY_BERTH]])
  const again: readonly Entry[] = [...restored, ['06:30', userRemoved(bob)], ['06:31', cancelled, BY_BERTH]]
  await finds(t, /was not removed with its reservations/, again)
})

test('cancellations by the service are not judged where the stream of users is damaged', async (t) => {
  const found = await findingsIn([...LOG, ['06:18', cancelled, BY_BERTH]], (events) => events.toSpliced(FIRST_USER, 1))
  t.is(found.length, 1, found.join('\n'))
  t.regex(String(found[0]), /is the first event of its stream but has the revision 1/)
})

test('an import of testers alone has no findings, and a log without an administrator may get one', async (t) => {
  const testers = USERS.slice(1, 2)
  t.deepEqual(await findingsIn([...testers, ['06:18', userChanged({ role: 'administrator' })]]), [])
  t.deepEqual(await findingsIn([...testers, ['06:18', userRemoved()]]), [])
})

test('first users of another append are found', async (t) => {
  const [first, second] = USERS as readonly [Entry, Entry]
  await finds(t, /adds first users to a log that has users/, [
    first,
    [second[0], second[1], { ...BY_BERTH, request_id: 'another' }],
  ])
})

test('an event of a user in another stream is found', async (t) => {
  const log: readonly Entry[] = [...MORNING, ...USERS.slice(0, 1)]
  await finds(t, /is a UserAdded, which does not belong in the stream listenPorts/, log, (events) =>
    events.with(-1, { ...events.at(-1), stream: 'listenPorts', revision: 1 }),
  )
})
