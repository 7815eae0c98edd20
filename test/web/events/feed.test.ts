/** The feed of the lab, in sentences with names. */

import test from 'ava'
import { EVENT_TYPES } from '../../../src/domain/event.ts'
import { checkpointOf, shortRoot } from '../../../src/web/features/events/checkpoint.ts'
import { entryOf, type FeedEvent, joined, NO_FILTER, queryOf, sutIdOf } from '../../../src/web/features/events/feed.ts'
import { runsOf, sentenceOf, textOf } from '../../../src/web/features/events/sentence.ts'
import { KINDS, type Kind, typesOf } from '../../../src/web/features/events/templates.ts'
import { fromParameters } from '../../../src/web/page/location.ts'

const event = (type: string, data: object, part: Partial<FeedEvent> = {}): FeedEvent => ({
  ...{ sequence: '00000000000000000007', type: `berth.${type}`, time: '2026-11-25T09:00:00Z' },
  ...{ stream: 'users', revision: 0, actor: 'amina', data: { ...data }, ...part },
})
const NAMES: Readonly<Record<string, string>> = { amina: 'Amina', priya: 'Priya' }
const reader = {
  ownId: 'me',
  nameOf: (id: string) => NAMES[id],
  machineOf: (id: string) => ({ machine: id === 'w1' ? 'win11-01' : 'a machine', id }),
}
const tell = (of: FeedEvent): string => textOf(sentenceOf(entryOf(of), reader))

test('requests are told with who waits for what, and how they end', (t) => {
  const asked = { user_id: 'amina', duration: 1800, match: { os: 'windows' } }
  t.is(tell(event('ReservationRequested', asked)), 'Amina requested any matching machine, 30 m')
  const forOne = { user_id: 'me', duration: 7200, sut_id: 'w1' }
  t.is(tell(event('ReservationRequested', forOne)), 'Amina requested win11-01 for you, 2 h')
  const offered = { user_id: 'priya', sut_id: 'w1' }
  t.is(tell(event('RequestOffered', offered)), 'Priya was offered win11-01')
  t.is(tell(event('RequestOfferClosed', offered)), 'Priya did not get win11-01')
  t.is(tell(event('RequestGranted', offered)), 'Priya got win11-01')
  t.is(tell(event('RequestExpired', { user_id: 'priya' })), 'Priya did not get a machine in time')
  const forCause = (cause: string): string => tell(event('RequestExpired', { user_id: 'priya', cause }))
  t.is(forCause('keepalive'), 'Priya stopped waiting for a machine')
  t.is(forCause('retired'), 'Priya did not get a machine, because it was retired')
  const withdrawn = (user_id: string): string => tell(event('RequestWithdrawn', { user_id }))
  t.is(withdrawn('amina'), 'Amina withdrew their request for a machine')
  t.is(withdrawn('me'), 'Amina withdrew your request for a machine')
  t.is(withdrawn('priya'), "Amina withdrew Priya's request for a machine")
})

test('what happened to machines is told with their names', (t) => {
  t.is(tell(event('SutCreated', { _id: 'w1', name: 'win11-01' })), 'Amina added win11-01')
  t.is(tell(event('SutWentOffline', { _id: 'w1', cause: 'refused' })), 'win11-01 went offline: refused the connection')
  t.is(tell(event('ListenPortAssigned', { _id: 'w1', listen_port: 27004 })), 'Assigned port 27004 to win11-01')
  const changed = { _id: 'w1', version: '24H2', tags: { rack: '2' }, credentials: { id: 'x', changed: ['password'] } }
  t.is(tell(event('SutUpdated', changed)), 'Amina changed win11-01: version to 24H2, the tag rack to 2, the password')
  t.is(
    tell(event('ReservationReleased', { sut_id: 'w1', user_id: 'priya' })),
    "Amina released Priya's reservation for win11-01",
  )
  t.is(tell(event('ReservationStarted', { sut_id: 'w1', user_id: 'me' })), 'Your reservation for win11-01 started')
  t.is(tell(event('SessionOpened', { sut_id: 'w1', user_id: 'priya' })), 'Priya connected to win11-01')
})

test('many alike within a short while are told as one, whatever others did meanwhile', (t) => {
  // The newest first, a second apart.
  const told = (types: readonly string[], isCut = false): readonly string[] => {
    const entries = types.map((text, n) => {
      const [type = '', actor = 'amina'] = text.split(' ')
      const part = { sequence: String(types.length - n), time: new Date(-n * 1_000).toISOString(), actor }
      return entryOf(event(type, { _id: `m${n}`, role: 'tester' }, part))
    })
    return runsOf(entries, reader, isCut).map((run) => `${run.entries.length}: ${textOf(run.sentence)}`)
  }
  const imported = Array.from({ length: 599 }, (_, n) => (n % 2 === 0 ? 'SutCreated' : 'ListenPortAssigned schedule'))
  const [made, ports, ...others] = told(['UserAdded priya', ...imported, 'SutCreated priya']).toSorted(
    (a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10),
  )
  t.regex(`${made}`, /^300: Amina added 300 machines, from \d\d:\d\d:01 on$/)
  t.regex(`${ports}`, /^299: Assigned ports to 299 machines, from \d\d:\d\d:02 on$/)
  t.deepEqual(others, ['1: Priya added someone as tester', '1: Priya added a machine'])
  t.deepEqual(told(['SutCreated', 'SutRetired priya', 'SutCreated', 'SutCreated']).length, 4)
  const long = told(
    Array.from({ length: 1_000 }, () => 'SutCreated'),
    true,
  )
  t.is(long.length, 2, 'no run is longer than ten minutes')
  t.regex(`${long[1]}`, /^600: Amina added at least 600 machines, /)
  t.regex(`${long[0]}`, /^400: Amina added 400 machines, /)
})

test('what only follows from something else is told more quietly', (t) => {
  const isQuiet = (type: string): boolean => sentenceOf(entryOf(event(type, {})), reader).isQuiet
  t.deepEqual(['ReservationStarted', 'ListenPortAssigned', 'SutCreated'].map(isQuiet), [true, true, false])
})

test('what was refused is told as a number of requests', (t) => {
  const counted = (counts: readonly number[], others?: number): string =>
    tell(event('RefusalsCounted', { refusals: counts.map((count) => ({ count })), ...(others && { others }) }))
  t.is(counted([1]), 'Berth refused 1 request')
  t.is(counted([2, 1], 3), 'Berth refused 6 requests')
})

test('what happened to people and tokens is told with their names', (t) => {
  t.is(tell(event('UserAdded', { _id: 'priya', role: 'tester' })), 'Amina added Priya as tester')
  const quota = { hours_per_week: 20, reservations_max: null, priority_max: 0 }
  t.is(
    tell(event('UserChanged', { _id: 'priya', quota, role: 'tester' })),
    "Amina changed Priya's role to tester, quota to 20 h a week, unlimited reservations",
  )
  t.is(
    tell(event('UserChanged', { _id: 'amina', credentials: { id: 'x', changed: ['epoch', 'password'] } })),
    'Amina changed their password',
  )
  t.is(
    tell(event('UserChanged', { _id: 'priya', credentials: { id: 'x', changed: ['epoch'] } })),
    'Amina signed Priya out everywhere',
  )
  t.is(
    tell(event('UserRemoved', { _id: 'priya', reservations: 'keep' })),
    'Amina removed Priya and kept their reservations',
  )
  t.is(tell(event('TokenIssued', { user_id: 'priya', role: 'tester' })), 'Amina created a token for Priya as tester')
  const ended = { user_id: 'priya', session_until: '2026-11-26T09:00:00Z' }
  t.is(tell(event('TokenRevoked', ended, { actor: 'priya' })), 'Priya signed out')
  t.is(
    tell(event('UserAdded', { _id: 'priya', role: 'auditor' }, { actor: 'oidc' })),
    'Single sign-on added Priya as auditor',
  )
})

test('every event that the service records has a kind and a sentence of that kind', (t) => {
  const kinds = Object.keys(KINDS) as readonly Kind[]
  t.deepEqual(kinds.flatMap(typesOf).toSorted(), EVENT_TYPES.toSorted())
  const data = {
    role: 'tester',
    start_time: '2026-11-25T09:00:00Z',
    end_time: '2026-11-25T10:00:00Z',
    cause: 'refused',
  }
  for (const kind of kinds) {
    for (const type of typesOf(kind)) {
      const told = sentenceOf(entryOf(event(type, data)), reader)
      t.is(String(told.kind), kind, type)
      t.notDeepEqual(told.parts, [type])
    }
  }
})

test('a filter in the address asks the service for what it means', (t) => {
  const parameters = {
    ...{ kind: 'people,service', by: 'amina', about: 'priya', machine: 'w1', from: '2026-11-24', to: '2026-11-25' },
  }
  const filterOf = (all: object) => fromParameters(NO_FILTER, new Map(Object.entries(all)))
  const query = new URLSearchParams(queryOf(filterOf(parameters)))
  t.regex(String(query.get('type')), /^UserAdded,.*,VaultKeyForgotten$/)
  t.deepEqual([query.get('actor'), query.get('user_id'), query.get('sut_id')], ['amina', 'priya', 'w1'])
  t.is(Date.parse(String(query.get('from'))), new Date(2026, 10, 24).getTime())
  t.is(Date.parse(String(query.get('to'))), new Date(2026, 10, 26).getTime())
  const swapped = filterOf({ ...parameters, from: parameters.to, to: parameters.from })
  t.is(queryOf(swapped), query.toString())
  t.is(queryOf(filterOf({ kind: 'nonsense', from: 'yesterday' })), '')
})

test('events that were read twice are kept once, and those of users are about no machine', (t) => {
  const [a, b] = [event('SutCreated', { _id: 'w1' }, { sequence: '2' }), event('UserAdded', { _id: 'priya' })]
  t.deepEqual(joined([a], [a, b]), [a, b])
  t.is(sutIdOf(a), 'w1')
  t.is(sutIdOf(b), undefined)
})

test('a checkpoint is told with its entries, its root and its key', (t) => {
  const signature = btoa(String.fromCharCode(0xea, 0x0b, 0x3d, 0x24, 1, 2, 3))
  t.deepEqual(checkpointOf(`berth\n85\n1zVBmwEnheHn=\n\n— berth ${signature}\n`), {
    ...{ entries: 85, root: '1zVBmwEnheHn=', key: 'berth+ea0b3d24' },
  })
  t.is(checkpointOf('no checkpoint'), undefined)
  t.is(shortRoot('1zVBmwEnheHndeYQXb7jPluLA5g/dSmhvhFYKKBUXSI='), '1zVBmwEn…KKBUXSI=')
})
