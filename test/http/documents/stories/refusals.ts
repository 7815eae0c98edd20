import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { AppendFailure, EventStore } from '../../../../src/event-store/event-store.ts'
import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { basic } from '../../client.ts'
import { type Tidying, temporaryData } from '../../harness.ts'
import { aReservation, aSut, createSut } from '../../requests.ts'
import { exchange, openRaw } from '../../server/raw-http.ts'
import { changedStore, makeGate } from '../../store/stores.ts'
import { tellAccess } from './access.ts'
import { tellRequests } from './requests.ts'
import { keepRefusal, makeAsk, startStory } from './story.ts'
import { tellTooManyTokens } from './tokens.ts'

/** Errors that the example story does not provoke, each from a real service. */

type Story = (t: Tidying) => Promise<readonly Example[]>

const CREATE_SUT = 'POST /api/sut/create'
const RESERVE = 'POST /api/sut_reservation/create'
const KEY = { 'Idempotency-Key': 'pipeline-17' }
const JSON_BODY = { 'Content-Type': 'application/json' }
const UNKNOWN_EVENT = '01a2087a-3ac5-7253-a7d0-ad4a72aed619'

/** Invalid requests. */
const invalid: Story = async (t) => {
  const examples: Example[] = []
  const service = await startStory(t, { csv: { rows: 1 } })
  const ask = makeAsk(service, examples)
  await ask(CREATE_SUT, 'Broken JSON', { text: '{"name":', headers: JSON_BODY })
  await ask(CREATE_SUT, 'Another media type', { text: '{}', headers: { 'Content-Type': 'text/plain' } })
  await ask(CREATE_SUT, 'Too large', { text: `{"name":"${'a'.repeat(300_000)}"}`, headers: JSON_BODY })
  await ask(CREATE_SUT, 'A page of another site', { body: aSut(), headers: { Origin: 'https://elsewhere.example' } })
  await ask('GET /problems/:code', 'An unknown code', { at: 'none', headers: { Accept: '*/*' } })
  await ask('GET /api/sut', 'A picture is wanted', { headers: { Accept: 'image/png' } })
  await ask('GET /api/audit/inclusion', 'An unknown event', { query: `?event=${UNKNOWN_EVENT}` })
  const admin = service.as('admin')
  const inactive = await createSut(admin, { is_active: false })
  const sut_id = await createSut(admin)
  await ask('GET /api/sut', 'Too many for CSV', { headers: { Accept: 'text/csv' } })
  await ask(RESERVE, 'Not active', { body: aReservation(inactive) })
  const window = { start_time: '2030-05-02T08:00:00Z', end_time: '2030-05-02T08:00:00Z' }
  await ask(RESERVE, 'An empty window', { body: aReservation(sut_id, window) })
  const far = { start_time: '2032-05-02T08:00:00Z', end_time: '2032-05-02T09:00:00Z' }
  await ask(RESERVE, 'A window that is too far ahead', { body: aReservation(sut_id, far) })
  const past = { start_time: '2030-05-02T05:00:00Z', end_time: '2030-05-02T07:00:00Z' }
  await ask(RESERVE, 'A window that begins in the past', { body: aReservation(sut_id, past) })
  const body = aReservation(sut_id)
  const made = await admin.post('/api/sut_reservation/create', body, KEY)
  const longer = { ...body, end_time: '2030-05-02T07:00:00Z' }
  await ask(RESERVE, 'Another request with the same key', { body: longer, headers: KEY })
  service.clock.set('2030-05-02T09:00:00Z')
  const extend = 'POST /api/sut_reservation/:id/extend'
  await ask(extend, 'It is over', { at: String(made.json._id), body: { duration: 18_000 } })
  return examples
}

/** Bytes that are refused before they form a request. */
const unread: Story = async (t) => {
  const examples: Example[] = []
  const { port } = await startStory(t)
  const head = (path: string, more = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('alice')}\r\n${more}\r\n`
  const LIST = 'GET /api/sut'
  keepRefusal(examples, LIST, 'A fragment', await exchange(port, head('/api/sut#a')))
  keepRefusal(examples, LIST, 'A long address', await exchange(port, head(`/api/sut?name=${'a'.repeat(9_000)}`)))
  keepRefusal(examples, LIST, 'A large header', await exchange(port, head('/api/sut', `A: ${'a'.repeat(40_000)}\r\n`)))
  const coded = head('/api/sut', 'Transfer-Encoding: gzip, chunked\r\n')
  keepRefusal(examples, LIST, 'An unknown coding', await exchange(port, coded))
  return examples
}

const late: Story = async (t) => {
  const { port } = await startStory(t, { timeouts: { headers: 100, request: 200, checkInterval: 50 } })
  const connection = await openRaw(port)
  t.teardown(connection.close)
  connection.send('GET /api/sut HTTP/1.1\r\n')
  const answer = await connection.answer()
  // Shows the default timeouts instead of the shorter ones of this test.
  const text = answer?.text.replace('0.2 s', '30 s').replace('0.1 s', '10 s') ?? ''
  const examples: Example[] = []
  keepRefusal(examples, 'GET /api/sut', 'Half a request', answer && { ...answer, text, json: JSON.parse(text) })
  return examples
}

const often: Story = async (t) => {
  const examples: Example[] = []
  const service = await startStory(t, { feed: { perUser: 1 } })
  const headers = { Accept: 'text/event-stream' }
  const connection = await openRaw(service.port)
  t.teardown(connection.close)
  const lines = `Authorization: ${basic('audrey')}\r\nAccept: text/event-stream\r\n`
  connection.send(`GET /api/events HTTP/1.1\r\nHost: x\r\n${lines}\r\n`)
  await connection.answer()
  await makeAsk(service, examples)('GET /api/events', 'Another stream', { who: 'audrey', headers })
  for (let n = 0; n < 10; n++) await service.anyone.get('/api/user/me', { Authorization: basic('alice', `wrong ${n}`) })
  await makeAsk(service, examples)('GET /api/user/me', 'After ten wrong passwords', { who: 'alice' })
  return examples
}

/** A store that fails in each possible way. */
const failing: Story = async (t) => {
  const examples: Example[] = []
  const data = await temporaryData(t)
  let how: AppendFailure | 'broken' | undefined
  const change = (store: EventStore): Partial<EventStore> => ({
    append: async (...given) => {
      if (how === 'broken') throw new TypeError('a fault')
      return how === undefined ? store.append(...given) : E.left(how)
    },
  })
  const service = await startStory(t, { data, openStore: changedStore(join(data, 'events.db'), change) })
  const ask = makeAsk(service, examples)
  for (const [failure, name] of [
    ['unavailable', 'The store does not answer'],
    ['full', 'The disk is full'],
    ['unknown', 'The answer of the store was lost'],
    ['broken', 'A fault of the service'],
  ] as const) {
    how = failure
    await ask(CREATE_SUT, name, { body: aSut() })
  }
  return examples
}

const noPort: Story = async (t) => {
  const examples: Example[] = []
  const service = await startStory(t, { environment: { BERTH_LISTEN_PORTS: '4000-4000' } })
  await createSut(service.as('admin'))
  await makeAsk(service, examples)(CREATE_SUT, 'All ports are taken', { body: aSut() })
  return examples
}

const wrongClock: Story = async (t) => {
  const examples: Example[] = []
  const service = await startStory(t, { sinceBoot: () => 0 })
  const ask = makeAsk(service, examples)
  const at = await createSut(service.as('admin'))
  const update = { at, body: { os: 'linux' } }
  service.clock.set('2030-05-02T05:50:00Z')
  await ask('POST /api/sut/:id/update', 'The clock was set back', update)
  service.clock.set('2030-05-02T09:00:00Z')
  await ask('POST /api/sut/:id/update', 'The clock was set forward', update)
  return examples
}

const waiting: Story = async (t) => {
  const examples: Example[] = []
  const data = await temporaryData(t)
  const gate = makeGate((stream) => stream.startsWith('sut-'))
  const service = await startStory(t, { data, openStore: changedStore(join(data, 'events.db'), gate.change) })
  const ask = makeAsk(service, examples)
  const first = service.as('admin').post('/api/sut/create', aSut(), KEY)
  await gate.reached
  await ask(CREATE_SUT, 'The first is under way', { body: aSut(), headers: KEY })
  gate.open()
  await first
  return examples
}

const lagging: Story = async (t) => {
  const examples: Example[] = []
  const headers = { 'Berth-After': '00000000000000000007' }
  await makeAsk(await startStory(t), examples)('GET /api/sut', 'Asked of an instance that lags', { headers })
  return examples
}

const STORIES = [
  tellAccess,
  invalid,
  unread,
  late,
  often,
  failing,
  noPort,
  wrongClock,
  waiting,
  lagging,
  tellTooManyTokens,
  tellRequests,
]

/** In parallel, because two of them wait for five seconds. */
export const tellRefusals: Story = async (t) => (await Promise.all(STORIES.map((story) => story(t)))).flat()
