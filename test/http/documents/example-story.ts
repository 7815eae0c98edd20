/**
 * The story whose answers are the examples of the documents: for each what a client would want to see before it sends
 * its first request, and the refusals that it should be ready for. Its clock and randomness are fixed.
 */

import { createHash } from 'node:crypto'
import type { Example } from '../../../src/http/documents/openapi/openapi.ts'
import type { Code } from '../../../src/http/protocol/problem.ts'
import { CSV } from '../../../src/http/response/csv-lists.ts'
import { type Headers, passwordOf } from '../client.ts'
import { idOf, type Running, start, type Tidying } from '../harness.ts'

/** Deterministic bytes, derived from their number and the count of earlier calls. */
const makeRandomness = () => {
  const calls = new Map<string, number>()
  /** So that no event has the id of one that the start recorded. */
  let isStart = true
  const next = (what: string): Buffer => {
    const times = (calls.get(what) ?? 0) + 1
    calls.set(what, times)
    return createHash('sha256')
      .update(`${isStart ? 'start ' : ''}${what} ${times}`)
      .digest()
  }
  return {
    randomHex: (bytes: number): string => next(String(bytes)).toString('hex', 0, bytes),
    randomBytes: (size: number): Uint8Array => next(`bytes ${size}`).subarray(0, size),
    begin: (): void => {
      isStart = false
      calls.clear()
    },
  }
}

interface RequestOptions {
  readonly who?: string
  /** The value of the path parameter. */
  readonly at?: string
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Headers
}

type Ask = (operation: string, name: string, options?: RequestOptions) => Promise<Readonly<Record<string, unknown>>>

/** Records each answer as an example. */
const makeAsk = (service: Running, examples: Example[]): Ask => {
  return async (operation, name, { who = 'admin', at = '', query = '', body, headers = {} } = {}) => {
    const [method = '', path = ''] = operation.split(' ')
    const address = path.replace(/:\w+/, at) + query
    const client = who === '' ? service.anyone : service.as(who)
    const answer =
      body === undefined ? await client.request(method, address, headers) : await client.post(address, body, headers)
    const mediaType = String(answer.headers['content-type'])
    if (mediaType === CSV) {
      examples.push({ operation, name, mediaType, body: answer.text })
      return {}
    }
    const code = answer.status < 400 ? {} : { code: answer.json.code as Code }
    const request = body === undefined ? {} : { request: body }
    examples.push({ operation, name, ...request, mediaType, body: answer.json, ...code })
    return answer.json
  }
}

const machine = {
  ...{ name: 'bench 3', description: 'Second rack from the door', address: '192.168.9.5', port: 5900, sut_type: 'vnc' },
  ...{ manufacturer: 'acer', model: 'aspire', os: 'linux', version: '6.12' },
}

const suts = async (ask: Ask): Promise<string> => {
  const id = String((await ask('POST /api/sut/create', 'A SUT', { body: machine }))._id)
  const update = 'POST /api/sut/:id/update'
  await ask(update, 'Some fields', { at: id, body: { os: 'windows', version: '11' } })
  await ask(update, 'Too late', { at: id, body: { os: 'bsd' }, headers: { 'If-Match': '"0"' } })
  await ask(update, 'Wrong fields', { at: id, body: { port: 99_999, colour: 'red' } })
  await ask('POST /api/sut/:id/tags', 'Set one and remove one', {
    at: id,
    body: { rack: '4', gpu: null },
    headers: { 'Berth-Reason': 'moved%20to%20rack%204' },
  })
  await ask('POST /api/sut/:id/monitoring', 'Every half minute', { at: id, body: { enabled: true, interval: 30 } })
  const row = { address: 'node-1.lab', port: 22, sut_type: 'tcp' }
  const rows = [{ ...row, name: 'node 1', tags: { rack: '5' } }]
  await ask('POST /api/sut/import', 'A rack', { body: { suts: [...rows, { ...row, name: 'node 2' }] } })
  await ask('GET /api/sut/:id', 'With its settings', { at: id, query: '?include=settings' })
  await ask('GET /api/sut/:id', 'Nothing has this id', { at: '58c38f5d444553252cce0000' })
  await ask('GET /api/sut', 'By a tag', { query: '?tag.rack=4&limit=10' })
  return id
}

const reservations = async (ask: Ask, service: Running, sut_id: string): Promise<string> => {
  const create = 'POST /api/sut_reservation/create'
  const alice = { user_id: idOf('alice'), sut_id }
  const window = { start_time: '2030-05-02T08:00:00+02:00', end_time: '2030-05-02T08:14:59+02:00' }
  const first = await ask(create, 'From when to when', { who: 'alice', body: { ...alice, ...window } })
  await ask(create, 'In so many seconds', {
    who: 'alice',
    body: { ...alice, start_in: 7_200, duration: 3_600, keepalive: 120 },
  })
  await ask(create, 'Taken', { who: 'bob', body: { ...alice, user_id: idOf('bob'), ...window } })
  await ask(create, 'For another', { who: 'bob', body: { ...alice, start_in: 90_000, duration: 900 } })
  const any = { match: { os: 'windows', tags: { rack: ['3', '4'] } } }
  const afternoon = { start_time: '2030-05-02T14:00:00Z', end_time: '2030-05-02T15:00:00Z' }
  await ask(create, 'Any that fits', { who: 'alice', body: { ...any, ...afternoon } })
  const id = String(first._id)
  const extend = 'POST /api/sut_reservation/:id/extend'
  await ask(extend, 'By its length', { at: id, who: 'alice', body: { duration: 1_800 } })
  await ask(extend, 'By more than it has', { at: id, who: 'alice', body: { by: 900 } })
  await ask('POST /api/sut_reservation/:id/shorten', 'To an earlier end', {
    at: id,
    who: 'alice',
    body: { end_time: '2030-05-02T08:30:00+02:00' },
  })
  await ask('GET /api/sut_reservation', 'With names and states', {
    query: '?include=names,state,series,cancelled&limit=1',
  })
  await ask('GET /api/sut_reservation', 'As CSV', { query: '?include=names', headers: { Accept: 'text/csv' } })
  const morning = 'from=2030-05-02T06:00:00Z&to=2030-05-02T12:00:00Z'
  await ask('GET /api/sut/:id/availability', 'Of a morning', { at: sut_id, query: `?${morning}` })
  await ask('GET /api/availability', 'Of what fits', {
    query: `?${morning}&duration=7200&match=${encodeURIComponent('{"os":"windows"}')}`,
  })
  service.clock.set('2030-05-02T06:05:00Z')
  await ask('POST /api/sut_reservation/:id/cancel', 'It runs and is released', { at: id, who: 'alice' })
  return id
}

const series = async (ask: Ask, sut_id: string): Promise<void> => {
  const window = { start_time: '2030-05-07T10:00:00+02:00', end_time: '2030-05-07T12:00:00+02:00' }
  const rule = { rrule: 'FREQ=WEEKLY;COUNT=2', time_zone: 'Europe/Berlin' }
  const create = 'POST /api/sut_reservation_series/create'
  const made = await ask(create, 'Two Tuesdays', { who: 'alice', body: { sut_id, ...window, ...rule } })
  await ask('GET /api/sut_reservation_series/:id', 'With its reservations', { at: String(made.series_id) })
}

const requests = async (ask: Ask): Promise<void> => {
  const create = 'POST /api/sut_request/create'
  const any = { match: { tags: { rack: '5' } }, duration: 1_800 }
  await ask(create, 'One is free', { who: 'alice', body: { ...any, keepalive: 120 } })
  const waits = await ask(create, 'It waits', { who: 'bob', body: { ...any, wait: 3_600 } })
  await ask('GET /api/sut_request/:id', 'It waits', { who: 'bob', at: String(waits._id) })
  await ask(create, 'Now or never', { who: 'bob', body: { ...any, wait: 0 } })
}

const people = async (ask: Ask): Promise<void> => {
  await ask('POST /api/user/create', 'Without a password', { body: { name: 'carol', role: 'tester' } })
  await ask('POST /api/user/:id/update', 'A quota and a scope', {
    at: idOf('bob'),
    body: { quota: { hours_per_week: 40, reservations_max: 20 }, scope: 'team=qa1' },
  })
  await ask('GET /api/user', 'Two', { who: 'audrey', query: '?limit=2' })
  await ask('GET /api/user/me', 'A tester', { who: 'alice' })
  await ask('GET /api/user/me', 'Nobody', { who: '' })
}

/** What the examples show in place of a token and a session, whose bytes are always random, and of the id of a token. */
const [TOKEN, ID] = ['berth_nD4g2-bLFpjX5uObY7b7hHHl79dZ9wAkN5-5UbAS6w0', '9c3e20dbe6cb1698d7e6e39b']
const SESSION =
  '8vdaiEmMcwVQh36VYthKvBwp-NH3DIC3vUc4SIY5JomBZ0U0Fpo5cYO5fGmq16WhLHi6D8RJMaPmaQjNqhtvig_HHfFvWS71zCi9-tVsLZIjDxzrYqCaASIDRvZXmywLHbdCXVmXJi-lJ2NMt9-8sP9pIfq-bHCS3hN9yLtB1--g'

const credentials = async (service: Running): Promise<readonly Example[]> => {
  const examples: Example[] = []
  const ask = makeAsk(service, examples)
  const body = { name: 'nightly build', expires_in: 7_776_000 }
  const { token, _id } = await ask('POST /api/user/:id/token', 'For a pipeline', { at: 'me', who: 'alice', body })
  const password = passwordOf('alice')
  const { session } = await ask('POST /api/login', 'A tester', { who: '', body: { name: 'alice', password } })
  const text = JSON.stringify(examples)
    .replaceAll(String(token), TOKEN)
    .replaceAll(String(_id), ID)
    .replaceAll(String(session), SESSION)
    .replaceAll(password, 'correct horse battery staple')
  return JSON.parse(text) as readonly Example[]
}

const log = async (ask: Ask, reservation: string): Promise<void> => {
  await ask('GET /api/sut_reservation/:id/history', 'From its making on', {
    ...{ who: 'alice', at: reservation, query: '?limit=1' },
  })
  const query = '?after=00000000000000000004&limit=1'
  const page = await ask('GET /api/events', 'A page', { who: 'audrey', query })
  const [event] = page.events as readonly { readonly id: string }[]
  await ask('GET /api/audit/inclusion', 'Of an event', { who: 'audrey', query: `?event=${event?.id}&size=8` })
}

/** Pseudonyms of clients in the feed depend on it. */
const VAULT_KEY = `2030-05-02-1f3a:${Buffer.alloc(32, 7).toString('base64')}`

/** All examples, in the order of the requests. */
export const tellExamples = async (t: Tidying): Promise<readonly Example[]> => {
  const { begin, ...randomness } = makeRandomness()
  const environment = { BERTH_VAULT_KEY: VAULT_KEY }
  const running = await start(t, { now: '2030-05-02T05:58:11.400Z', ...randomness, environment })
  // The number of readiness checks must not affect the random values.
  begin()
  const examples: Example[] = []
  const ask = makeAsk(running, examples)
  const sut = await suts(ask)
  const reservation = await reservations(ask, running, sut)
  await series(ask, sut)
  await requests(ask)
  await log(ask, reservation)
  await people(ask)
  return [...examples, ...(await credentials(running))]
}

/** The examples as text, to compare and store. */
export const written = (examples: readonly Example[]): string => `${JSON.stringify(examples, null, 2)}\n`
