import type { Example } from '../../../src/http/documents/openapi/examples.ts'
import { idOf, type Running, type Tidying } from '../harness.ts'
import { tellLogins } from './stories/logins.ts'
import { tellPages } from './stories/pages.ts'
import { tellPeople } from './stories/people.ts'
import { tellRefusals } from './stories/refusals.ts'
import { tellSingleSignOn } from './stories/single-sign-on.ts'
import { type Ask, makeAsk, startStory } from './stories/story.ts'
import { tellTokens } from './stories/tokens.ts'

/** The story whose answers are the examples of the documents. Its clock and randomness are fixed. */

/** Signs the example checkpoint. */
const AUDIT_KEY = Buffer.alloc(32, 6).toString('base64')

const machine = {
  name: 'bench 3',
  description: 'Second rack from the door',
  address: '192.168.9.5',
  port: 5900,
  sut_type: 'vnc',
  manufacturer: 'acer',
  model: 'aspire',
  os: 'linux',
  version: '6.12',
}

const suts = async (ask: Ask): Promise<string> => {
  const create = 'POST /api/sut/create'
  const id = String((await ask(create, 'A SUT', { body: machine }))._id)
  const update = 'POST /api/sut/:id/update'
  await ask(update, 'Some fields', { at: id, body: { os: 'windows', version: '11' } })
  await ask(update, 'Too late', { at: id, body: { os: 'bsd' }, headers: { 'If-Match': '"0"' } })
  await ask(update, 'Wrong fields', { at: id, body: { port: 99_999, colour: 'red' } })
  await ask(update, 'An unknown field', { at: id, body: { colour: 'red' } })
  await ask(update, 'A field of the service', { at: id, body: { listen_port: 20_000 } })
  await ask('POST /api/sut/:id/tags', 'Set one and remove one', {
    at: id,
    body: { rack: '4', gpu: null },
    headers: { 'Berth-Reason': 'moved%20to%20rack%204' },
  })
  await ask('POST /api/sut/:id/monitoring', 'Every half minute', { at: id, body: { enabled: true, interval: 30 } })
  await ask('POST /api/sut/:id/monitoring', 'No more', { at: id, body: { enabled: false } })
  await ask(update, 'Another role', { at: id, who: 'alice', body: { os: 'bsd' } })
  await ask('GET /api/sut/:id', 'A SUT', { at: id })
  await ask('GET /api/sut/:id', 'With its settings', { at: id, query: '?include=settings' })
  await ask('GET /api/sut/:id', 'Nothing has this id', { at: '58c38f5d444553252cce0000' })
  await ask('GET /api/sut', 'By a tag', { query: '?tag.rack=4&limit=10' })
  await ask('GET /api/sut', 'With what everybody sees of their settings', { query: '?include=settings&limit=1' })
  await ask('GET /api/sut', 'Free in a span', { query: '?free_from=2030-05-02T10:00:00Z&free_to=2030-05-02T11:00:00Z' })
  return id
}

const reservations = async (ask: Ask, service: Running, sut_id: string): Promise<string> => {
  const create = 'POST /api/sut_reservation/create'
  const alice = { user_id: idOf('alice'), sut_id }
  const window = { start_time: '2030-05-02T08:00:00+02:00', end_time: '2030-05-02T08:14:59+02:00' }
  const first = await ask(create, 'From when to when', { who: 'alice', body: { ...alice, ...window } })
  await ask(create, 'In so many seconds', { who: 'alice', body: { ...alice, start_in: 7_200, duration: 3_600 } })
  await ask(create, 'Taken', { who: 'bob', body: { ...alice, user_id: idOf('bob'), ...window } })
  await ask(create, 'For another', { who: 'bob', body: { ...alice, start_in: 90_000, duration: 900 } })
  const any = { match: { os: 'windows', tags: { rack: ['3', '4'] } } }
  const afternoon = { start_time: '2030-05-02T14:00:00Z', end_time: '2030-05-02T15:00:00Z' }
  await ask(create, 'Any that fits', { who: 'alice', body: { ...any, ...afternoon } })
  await ask(create, 'None that fits is free', { who: 'bob', body: { ...any, ...afternoon } })
  await ask(create, 'None fits', { who: 'bob', body: { match: { os: 'beos' }, ...afternoon } })
  await ask(create, 'Neither a SUT nor criteria', { who: 'bob', body: afternoon })
  await ask(create, 'A SUT and criteria', { who: 'bob', body: { sut_id, ...any, ...afternoon } })
  await ask(create, 'No window', { who: 'alice', body: alice })
  await ask(create, 'Two windows', { who: 'alice', body: { ...alice, ...window, start_in: 0, duration: 900 } })
  const past = { start_time: '2030-05-02T04:00:00Z', end_time: '2030-05-02T05:00:00Z' }
  await ask(create, 'A window that is over', { who: 'alice', body: { ...alice, ...past } })
  const long = { start_time: '2030-05-02T06:00:00Z', end_time: '2030-06-02T06:00:00Z' }
  await ask(create, 'A window that is too long', { who: 'alice', body: { ...alice, ...long } })
  await ask('POST /api/user/:id/update', 'A quota of nothing', {
    at: idOf('bob'),
    body: { quota: { hours_per_week: 0 } },
  })
  const later = { start_time: '2030-05-02T20:00:00+00:00', end_time: '2030-05-02T20:30:00+00:00' }
  await ask(create, 'The quota is used up', { who: 'bob', body: { ...alice, user_id: idOf('bob'), ...later } })
  await ask('POST /api/user/:id/update', 'No limit', { at: idOf('bob'), body: { quota: { hours_per_week: null } } })
  await ask(create, 'No such user', { body: { ...alice, user_id: 'nobody', ...window } })
  const id = String(first._id)
  await ask('POST /api/sut_reservation/:id/extend', 'By its length', {
    at: id,
    who: 'alice',
    body: { duration: 1_800 },
  })
  await ask('POST /api/sut_reservation/:id/extend', 'To an earlier end', { at: id, body: { duration: 900 } })
  await ask('POST /api/sut_reservation/:id/extend', 'By more than it has', { at: id, who: 'alice', body: { by: 900 } })
  const shorten = 'POST /api/sut_reservation/:id/shorten'
  await ask(shorten, 'To an earlier end', { at: id, who: 'alice', body: { end_time: '2030-05-02T08:30:00+02:00' } })
  await ask(shorten, 'To a later end', { at: id, body: { end_time: '2030-05-02T09:00:00+02:00' } })
  await ask(shorten, 'To an end that has passed', { at: id, body: { end_time: '2030-05-02T07:30:00+02:00' } })
  await ask('POST /api/sut_reservation/:id/update', 'To the address of the caller', { at: id, who: 'alice' })
  await ask('POST /api/sut_reservation/:id/keepalive', 'It lasts until its end', { at: id, who: 'alice' })
  await ask('GET /api/sut_reservation/:id', 'A reservation', { at: id })
  await ask('GET /api/sut_reservation/:id', 'No such reservation', { at: '58c38f5d444553252cce0000' })
  await ask('GET /api/sut_reservation', 'Of a SUT', { query: `?sut_id=${sut_id}` })
  await ask('GET /api/sut_reservation', 'With names and states', {
    query: '?include=names,state,series,cancelled&limit=1',
  })
  await ask('GET /api/sut_reservation', 'As CSV', { query: '?include=names', headers: { Accept: 'text/csv' } })
  await ask('GET /api/sut/:id/availability', 'Of a morning', {
    at: sut_id,
    query: '?from=2030-05-02T06:00:00Z&to=2030-05-02T12:00:00Z',
  })
  await ask('GET /api/availability', 'Of what fits', {
    query: `?from=2030-05-02T06:00:00Z&to=2030-05-02T12:00:00Z&duration=7200&match=${encodeURIComponent('{"os":"windows"}')}`,
  })
  const forAnother = { query: `?user_id=${idOf('alice')}&limit=1` }
  await ask('GET /api/availability', 'For another', forAnother)
  await ask('GET /api/availability', 'For another, as a tester', { ...forAnother, who: 'bob' })
  await ask('POST /api/sut/:id/retire', 'It is reserved', { at: sut_id })
  service.clock.set('2030-05-02T06:05:00Z')
  await ask('POST /api/sut_reservation/:id/cancel', 'It runs and is released', { at: id, who: 'alice' })
  service.clock.set('2030-05-02T06:10:00Z')
  return id
}

const series = async (ask: Ask, sut_id: string): Promise<void> => {
  const create = 'POST /api/sut_reservation_series/create'
  const window = { start_time: '2030-05-07T10:00:00+02:00', end_time: '2030-05-07T12:00:00+02:00' }
  const rule = { rrule: 'FREQ=WEEKLY;COUNT=2', time_zone: 'Europe/Berlin' }
  const body = { sut_id, ...window, ...rule }
  const made = await ask(create, 'Two Tuesdays', { who: 'alice', body })
  const at = String(made.series_id)
  await ask(create, 'Both are taken', { who: 'bob', body })
  await ask(create, 'It begins on another day', { who: 'bob', body: { ...body, rrule: 'FREQ=WEEKLY;BYDAY=MO' } })
  await ask(create, 'Too many', {
    who: 'bob',
    body: { ...body, rrule: 'FREQ=DAILY;UNTIL=20310508T000000Z;BYHOUR=10,14' },
  })
  await ask(create, 'One alone', { who: 'bob', body: { ...body, rrule: 'FREQ=YEARLY;INTERVAL=2' } })
  await ask(create, 'They overlap', { who: 'bob', body: { ...body, rrule: 'FREQ=DAILY;BYHOUR=10,11;COUNT=4' } })
  await ask('GET /api/sut_reservation_series', 'Of a SUT', { query: `?sut_id=${sut_id}` })
  await ask('GET /api/sut_reservation_series/:id', 'With its reservations', { at })
  await ask('GET /api/sut_reservation_series/:id', 'No such series', { at: '58c38f5d444553252cce0000' })
  await ask('POST /api/sut_reservation_series/:id/cancel', 'Nothing has begun', { at, who: 'alice' })
}

const endings = async (ask: Ask, sut_id: string): Promise<void> => {
  const create = 'POST /api/sut_reservation/create'
  const body = { user_id: idOf('alice'), sut_id, start_in: 172_800, duration: 900 }
  const later = String((await ask(create, 'In two days', { who: 'alice', body: { ...body, keepalive: 120 } }))._id)
  await ask('POST /api/sut_reservation/:id/keepalive', 'It has not begun', { at: later, who: 'alice' })
  await ask('POST /api/sut_reservation/:id/cancel', 'It has not begun', { at: later, who: 'alice' })
  await ask('GET /api/sut_reservation/:id', 'It was cancelled', { at: later })
  const old = String((await ask('POST /api/sut/create', 'An old SUT', { body: { ...machine, name: 'bench 1' } }))._id)
  await ask('POST /api/sut/:id/retire', 'A SUT without reservations', { at: old })
  await ask('POST /api/sut/:id/update', 'It was retired', { at: old, body: { name: 'bench 1b' } })
  const row = (n: number, more = {}) => ({
    name: `node ${n}`,
    address: `node-${n}.lab`,
    port: 22,
    sut_type: 'tcp',
    ...more,
  })
  const importing = 'POST /api/sut/import'
  await ask(importing, 'A rack', { body: { suts: [row(1, { tags: { rack: '4' } }), row(2)] } })
  await ask(importing, 'Only a check', { body: { suts: [row(3)], dry_run: true } })
  await ask(importing, 'A problem in the second row', { body: { suts: [row(3), row(4, { port: 0 })] } })
}

/** Nobody listens on port 1 of the machine itself. How long that takes differs. */
const checks = async (ask: Ask, examples: Example[]): Promise<void> => {
  const body = { ...machine, name: 'bench 2', address: '127.0.0.1', port: 1 }
  const at = String((await ask('POST /api/sut/create', 'A SUT that is switched off', { body }))._id)
  const found = await ask('POST /api/sut/:id/check', 'It is switched off', { at })
  examples.push({ ...(examples.pop() as Example), body: { ...found, milliseconds: 2 } })
  await ask('POST /api/sut/:id/check', 'At once again', { at })
  const query = 'from=2030-05-02T00:00:00Z&to=2030-05-03T00:00:00Z'
  await ask('GET /api/sut/:id/outages', 'It was not monitored', { at, query: `?${query}` })
  await ask('GET /api/outages', 'Of a SUT', { query: `?sut_id=${at}&${query}` })
}

const proofs = async (ask: Ask, event: string): Promise<void> => {
  await ask('GET /api/audit/leaves', 'The first two', { who: 'audrey', query: '?limit=2' })
  await ask('GET /api/audit/inclusion', 'Of an event', { who: 'audrey', query: `?event=${event}&size=8` })
  await ask('GET /api/audit/consistency', 'Of two sizes', { who: 'audrey', query: '?from=4&to=8' })
}

const reading = async (ask: Ask, sut: string, reservation: string): Promise<void> => {
  await ask('GET /api/sut/:id/history', 'Its first events', { who: 'audrey', at: sut, query: '?limit=4' })
  await ask('GET /api/sut_reservation/:id/history', 'From its making to its end', { who: 'alice', at: reservation })
  await ask('GET /api/sut/:id', 'As it was after an event', {
    who: 'audrey',
    at: sut,
    query: '?as_of=00000000000000000007',
  })
  const read = await ask('GET /api/events', 'A page', { who: 'audrey', query: '?after=00000000000000000005&limit=2' })
  await ask('GET /api/events', 'The newest', { who: 'audrey', query: '?order=desc&limit=1' })
  await proofs(ask, (read.events as readonly { readonly id: string }[])[0]?.id ?? '')
  await ask('GET /api/session', 'None yet', { who: 'alice', query: '?open=true' })
  await ask('GET /api/user', 'All', { who: 'audrey' })
  await ask('GET /api/user/me', 'A tester', { who: 'alice' })
  await ask('GET /api/user/me', 'Nobody', { who: '' })
  await ask('GET /health/live', 'It runs', { who: '' })
  await ask('GET /health/ready', 'It answers', { who: '' })
  await ask('GET /schemas/', 'All', {})
}

/** All examples, in the order of the requests. */
export const tellExamples = async (t: Tidying): Promise<readonly Example[]> => {
  const running = await startStory(t, { environment: { BERTH_AUDIT_KEY: AUDIT_KEY } })
  const examples: Example[] = []
  const ask = makeAsk(running, examples)
  const sut = await suts(ask)
  const reservation = await reservations(ask, running, sut)
  await endings(ask, sut)
  await series(ask, sut)
  await checks(ask, examples)
  await reading(ask, sut, reservation)
  await tellPeople(ask)
  await tellPages(running, examples)
  await tellTokens(running, examples)
  await tellLogins(running, examples)
  return [...examples, ...(await tellSingleSignOn(t)), ...(await tellRefusals(t))]
}

/** The examples as text, to compare and store. */
export const written = (examples: readonly Example[]): string => `${JSON.stringify(examples, null, 2)}\n`
