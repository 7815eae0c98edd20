import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { COLUMNS, formatOf, rowOf } from '../../src/archive/export-formats.ts'
import { type NewEvent, type Recorded, sutIdOf } from '../../src/domain/event.ts'
import { canonicalJson } from '../../src/domain/values/canonical-json.ts'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { cloudEvent } from '../../src/feed/events/cloud-event.ts'
import { writeStory } from '../audit/verify/lawful-log.ts'
import { type } from '../command-line/terminal.ts'
import { readLog } from '../event-store/new-events.ts'
import { aDirectory, openStore } from '../event-store/sqlite/subject.ts'
import { rounds } from '../thorough.ts'
import { anyRuns } from './histories.ts'

/** Reads a file of RFC 4180. Outside of quotes nothing but CRLF is an end of a line, and the last line has one. */
const csvRows = (text: string): readonly (readonly string[])[] => {
  assert.match(text, /\r\n$/)
  assert.doesNotMatch(text.replaceAll(/"(?:[^"]|"")*"/g, '').replaceAll('\r\n', ''), /[\r\n]/)
  return parse(text, { record_delimiter: '\r\n' }) as string[][]
}

/** A log, its events, and a function that runs `export` on it. */
const aLog = async (t: Pick<ExecutionContext, 'teardown' | 'fail'>) => {
  const data = await aDirectory(t as ExecutionContext)
  const store = openStore(t as ExecutionContext, join(data, 'events.db'))
  await writeStory(store, 11, 200)
  const events = await readLog(store, -1)
  const run = (...line: readonly string[]) => type(['export', '--log', join(data, 'events.db'), ...line])
  return { data, store, events, run }
}

const ends: (() => unknown)[] = []
/** A log shared by tests that only read it. */
const shared = aLog({
  teardown: (end: () => unknown) => ends.push(end),
  fail: (why?: string) => Promise.reject(new Error(why)),
} as unknown as ExecutionContext)
test.after.always(async () => {
  for (const end of ends.reverse()) await end()
})

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)
const positionsIn = (text: string): readonly number[] => linesOf(text).map((line) => JSON.parse(line).position)
const positionsOf = (events: readonly Recorded[], wanted: (event: Recorded) => boolean): readonly number[] =>
  events.filter(wanted).map(({ storePosition }) => storePosition)

test('ndjson, csv and cloudevents have every event of the log, one per line, with the same values', async (t) => {
  const { events, run } = await shared
  const { code, out, error } = await run('--format', 'ndjson')
  t.deepEqual([code, error], [0, `${events.length} events\n`])
  t.true(events.length > 50, `${events.length} events`)
  const rows = linesOf(out).map((line) => JSON.parse(line))
  for (const [n, { stream, revision, id, type, data, metadata, storePosition: position }] of events.entries()) {
    t.deepEqual(Object.keys(rows[n]), [...COLUMNS])
    const { time, actor, role } = metadata
    t.like(rows[n], { ...{ position, stream, revision, id, type, data, time, actor, role } })
  }
  const [head, ...fields] = csvRows((await run('--format', 'csv')).out)
  t.deepEqual(head, [...COLUMNS])
  const textOf = (row: Record<string, unknown>, column: string): string =>
    column === 'data' ? canonicalJson(row.data) : String(row[column] ?? '')
  t.deepEqual(
    fields,
    rows.map((row) => COLUMNS.map((column) => textOf(row, column))),
  )
  t.deepEqual(
    linesOf((await run('--format', 'cloudevents')).out),
    events.map((event, n) => JSON.stringify(cloudEvent(event, toPublicPosition(n), 'berth'))),
  )
})

test('--from, --to, --type and --sut select exactly the matching events', async (t) => {
  const { events, run } = await shared
  const only = async (...line: readonly string[]) => positionsIn((await run('--format', 'ndjson', ...line)).out)
  t.deepEqual(await only('--from', '7', '--to', '00000000000000000012'), [7, 8, 9, 10, 11])
  t.deepEqual(await only('--from', '999999'), [])
  const middle = events[40]?.metadata.time as string
  const later = new Date(Date.parse(middle) + 3_600_000).toISOString()
  const isBetween = ({ metadata: { time } }: Recorded) => time >= middle && time < later
  const between = positionsOf(events, isBetween)
  t.true(between.length > 1 && between.length < events.length)
  t.deepEqual(await only('--from', middle, '--to', later.replace('Z', '+00:00')), between)
  t.deepEqual(
    await only('--from', middle.replace('Z', '000001Z'), '--to', later),
    between.filter((n) => events[n]?.metadata.time !== middle),
  )
  const types = ['ReservationCancelled', 'SutUpdated']
  t.deepEqual(
    await only('--type', 'SutUpdated', '--type', 'ReservationCancelled'),
    positionsOf(events, (event) => types.includes(event.type)),
  )
  const sutId = events.find((event) => event.type === 'SutCreated')?.data._id as string
  const ofSut = positionsOf(events, (event) => sutIdOf(event) === sutId)
  t.true(ofSut.length > 2)
  t.deepEqual(await only('--sut', sutId), ofSut)
  t.deepEqual(await only('--sut', sutId, '--from', String(ofSut[1]), '--to', String(ofSut[2])), [ofSut[1]])
})

test('--output replaces the file with a complete one, readable only by its owner', async (t) => {
  const { data, events, run } = await shared
  const output = join(data, 'exported.csv')
  writeFileSync(output, 'old', { mode: 0o644 })
  const { code, out, error } = await run('--format', 'csv', '--output', output, '--json', '--from', '3')
  t.deepEqual([code, error], [0, ''])
  t.deepEqual(JSON.parse(out), { format: 'csv', events: events.length - 3, first: 3, last: events.length - 1, output })
  t.is(readFileSync(output, 'utf8'), (await run('--format', 'csv', '--from', '3')).out)
  t.is(statSync(output).mode & 0o777, 0o600)
  t.is((await run('--format', 'csv', '--output', '/dev/null')).code, 1)
  t.is((await run('--format', 'csv', '--output', data)).code, 1)
})

test('a failed export leaves the previous file and no other', async (t) => {
  const { data, store, run } = await aLog(t)
  const output = join(data, 'out.ndjson')
  writeFileSync(output, 'old')
  const broken = {
    stream: 'listenPorts',
    events: [{ type: 'Unheard', data: {}, id: 'x', metadata: {} } as unknown as NewEvent],
  }
  const head = await readLog(store, -1)
  const revision = head.filter(({ stream }) => stream === 'listenPorts').length - 1
  await store.append(broken.stream, revision, broken.events)
  t.regex(
    (await run('--format', 'ndjson', '--output', output)).error,
    new RegExp(`^berth: listenPorts@${revision + 1}: .*; /type: must be one of `),
  )
  t.is(readFileSync(output, 'utf8'), 'old')
  t.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('out')),
    ['out.ndjson'],
  )
})

test('closing the pipe ends the export silently', async (t) => {
  const { data } = await shared
  let pieces = 0
  const send = async () => (++pieces > 0 ? 'EPIPE' : undefined)
  const line = ['export', '--log', join(data, 'events.db'), '--format', 'csv']
  const ended = await type(line, {}, { send })
  t.deepEqual([ended, pieces], [{ code: 0, out: '', error: '' }, 1])
  const full = await type(line, {}, { send: async () => 'ENOSPC' })
  t.is(full.code, 1)
})

test('wrong options exit with 2 and one message', async (t) => {
  const { run } = await shared
  for (const line of [
    [],
    ['--format', 'xml'],
    ['--format', 'ndjson', '--excel'],
    ['--format', 'csv', '--from', '2030-05-02'],
    ['--format', 'csv', '--to', '99999999999999999999'],
    ['--format', 'csv', '--type', 'ReservationMade'],
    ['--format', 'csv', '--sut', 'lab-1'],
  ]) {
    const { code, out, error } = await run(...line)
    t.deepEqual([code, out], [2, ''], line.join(' '))
    t.regex(error, /^berth: --\w+ .*\n$/)
  }
})

const FORMULAS = ['=1+1', '+1', '-1', '@A1', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1']

test('--excel adds a byte order mark, and an apostrophe before formulas', (t) => {
  const event = {
    type: 'SutUpdated',
    data: { _id: 'a'.repeat(24) },
    id: 'x',
    stream: 's',
    revision: 0,
    storePosition: 0,
  }
  const metadata = { actor: 'a', role: 'administrator', request_id: 'r', time: '2030-05-02T05:58:11.400Z', schema: 1 }
  const lineOf = (excel: boolean, actor: string): readonly string[] => {
    const { head, line } = formatOf('csv', excel)
    const recorded = { ...event, metadata: { ...metadata, actor } } as unknown as Recorded
    const written = line({ event: recorded, position: toPublicPosition(0), origin: 'berth' })
    return csvRows(head.replace('\ufeff', '') + written)[1] as readonly string[]
  }
  const place = COLUMNS.indexOf('actor')
  t.true(formatOf('csv', true).head.startsWith('\ufeffposition,'))
  t.true(formatOf('csv', false).head.startsWith('position,'))
  for (const actor of FORMULAS) {
    t.is(lineOf(true, actor)[place], `'${actor}`)
    t.is(lineOf(false, actor)[place], actor)
  }
  t.is(lineOf(true, 'Zoë, "the" 1=1')[place], 'Zoë, "the" 1=1')
})

test('property: any events round-trip through csv and ndjson', (t) => {
  const written = (name: 'csv' | 'ndjson') => formatOf(name, false).line
  const same = fc.property(anyRuns, (runs) => {
    for (const { stream, events } of runs) {
      for (const [n, event] of events.entries()) {
        const recorded = { ...event, stream, revision: n, storePosition: n } as Recorded
        const positioned = { event: recorded, position: toPublicPosition(n), origin: 'berth' }
        const row = rowOf(positioned)
        assert.equal(canonicalJson(JSON.parse(written('ndjson')(positioned))), canonicalJson(row))
        const fields = COLUMNS.map((column) =>
          column === 'data' ? canonicalJson(row.data) : String(row[column] ?? ''),
        )
        const [read = []] = csvRows(written('csv')(positioned))
        // Line separators are escaped in the file.
        const values = COLUMNS.map((column, i) =>
          column === 'data' ? canonicalJson(JSON.parse(read[i] as string)) : read[i],
        )
        assert.deepEqual(values, fields)
      }
    }
  })
  t.notThrows(() => fc.assert(same, { numRuns: rounds(6, 25) }))
})
