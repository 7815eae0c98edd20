import test from 'ava'
import { historyLine } from '../../src/command-line/history/history-view.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { reservationCreated, userAdded, userChanged, userCredentials, userRemoved } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'

const CREATED = reservationCreated('0f5b3c2a91d84e7766aa0001', '06:00', '07:00')

const shown = (event: Parameters<typeof at>[1]): string | undefined =>
  historyLine({ event: recordedAt(0, at('06:00', event)), position: toPublicPosition(0), changes: [] }).split('\t')[3]

test('the line of an event tells what it decided, though no member changed', (t) => {
  t.is(shown({ ...CREATED, data: { ...CREATED.data, beyond_quota: true } }), 'beyond_quota: true')
  t.is(shown(userRemoved()), 'reservations: "keep"')
  t.is(shown(userChanged({ credentials: userCredentials(9, 'epoch') })), 'sessions ended')
})

test('the line of an event that decided nothing else tells nothing else', (t) => {
  t.is(shown(CREATED), '')
  t.is(shown(userChanged({ role: 'auditor' })), '')
  t.is(shown(userAdded({ credentials: userCredentials(1, 'name', 'epoch') })), '', 'a new user has no session')
})

test('a line names the actor, or has the id of one without a known name', (t) => {
  const entry = { event: recordedAt(0, at('06:00', CREATED)), position: toPublicPosition(0), changes: [] }
  const who = (name?: string): string | undefined => historyLine(entry, name).split('\t')[1]
  const { actor, role } = entry.event.metadata
  t.deepEqual([who('Zoë'), who()], [`Zoë (${role})`, `${actor} (${role})`])
})
