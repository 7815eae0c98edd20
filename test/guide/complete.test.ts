import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readConfig } from '../../src/app/config/config.ts'
import { gaugesOf, lagOfWebhooks } from '../../src/app/core/gauges.ts'
import { schemaOf } from '../../src/domain/codec/json-schema.ts'
import { EVENT_TYPES, eventDeclarations } from '../../src/domain/event.ts'
import { answerSchemas } from '../../src/http/documents/openapi/answers.ts'
import { codes } from '../../src/http/protocol/problem.ts'
import { makeMetrics } from '../../src/http/routes/metrics/metrics.ts'
import { makeProcessMetrics } from '../../src/telemetry/process-metrics.ts'
import { type } from '../command-line/terminal.ts'
import { ROOT } from '../process/harness.ts'
import { chapter, documents, rows, section } from './documents.ts'
import { withEventsTable } from './events-table.ts'
import { withOperations } from './operations-tables.ts'

const everything = documents.map(({ text }) => text).join('\n')
const mentions = (pattern: RegExp): readonly string[] => [
  ...new Set([...everything.matchAll(pattern)].map((found) => found[1] ?? found[0])),
]
const quoted = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
const sorted = (words: Iterable<string>): readonly string[] => [...words].sort()

/** The variables that the configuration reads. */
const variables = (): readonly string[] => {
  const seen = new Set<string>()
  readConfig(new Proxy({}, { get: (_, name) => void seen.add(String(name)) }), '/')
  return sorted(seen)
}

test('the chapter on configuration has every variable, and documents name no other', (t) => {
  const listed = rows(section(chapter('configuration.md'), '# Configuration')).flatMap(([cell = '']) =>
    quoted(cell).filter((word) => word.startsWith('BERTH_')),
  )
  t.deepEqual(sorted(listed), variables())
  // A misspelling, to show the error message.
  const known = [...variables(), 'BERTH_DATE']
  t.deepEqual(
    mentions(/\bBERTH_[A-Z][A-Z_]*(?:6_[A-Z_]+)?/g).filter((name) => !known.includes(name)),
    [],
  )
})

test('the chapter on errors has every code with its status', (t) => {
  const listed = rows(section(chapter('errors.md'), '## Codes')).map(
    ([code = '', status]) => `${quoted(code)[0]} ${status}`,
  )
  t.deepEqual(sorted(listed), sorted(Object.entries(codes).map(([code, { status }]) => `${code} ${status}`)))
})

test('documents name every code with its own status', (t) => {
  const named = [...everything.matchAll(/\b([45]\d\d) `([a-z_]+)`/g)].map(([, status, code = '']) => ({ status, code }))
  t.true(named.length > 30)
  const wrong = named.filter(({ status, code }) => codes[code as keyof typeof codes]?.status !== Number(status))
  t.deepEqual(wrong, [])
})

test('the chapter on the feed has every event, and documents name no other', (t) => {
  // Answers are named in the chapter on HTTP.
  const known: readonly string[] = [...EVENT_TYPES, ...Object.keys(answerSchemas)]
  t.is(chapter('feed.md').text, withEventsTable(chapter('feed.md').text), 'run test/http/documents/write-examples.ts')
  const named = mentions(
    /\b((?:Sut|Reservation|Session|Schedule|ListenPort|Store|Clock|AuditKey|VaultKey)(?:[A-Z][a-z]+)+)\b/g,
  )
  t.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  )
})

/** Ids, which every event of its kind has. */
const IDS = ['_id', 'sut_id', 'user_id', 'reservation_id']

test('the chapter on the feed names the members of the data of each event, and no others', (t) => {
  for (const [type = '', when = '', holds = ''] of rows(section(chapter('feed.md'), '## An event'))) {
    const declaration = EVENT_TYPES.find((name) => quoted(type)[0] === name)
    if (declaration === undefined) continue
    const { data, by } = eventDeclarations[declaration]
    const schema = schemaOf(data)
    const named = [...quoted(`${when} ${holds}`), ...IDS]
    const unnamed = Object.keys(schema.properties as object).filter((member) => !named.includes(member))
    // What some rows sum up they need not name one by one.
    if (!/its fields|only what changed/.test(holds)) t.deepEqual(unnamed, [], type)
    const described = JSON.stringify([schema, by])
    t.true(
      quoted(holds).every((name) => described.includes(`"${name}"`)),
      type,
    )
  }
})

test('the chapter on HTTP has the tables of operations as the routes declare them', (t) => {
  const { text } = chapter('http.md')
  t.is(text, withOperations(text), 'run test/http/documents/write-examples.ts')
})

test('the chapter on operating has every metric, and documents name no other', async (t) => {
  const metrics = makeMetrics(makeProcessMetrics(() => 0))
  // Of no service, so that each is NaN.
  metrics.registerGauges([...gaugesOf({} as never), lagOfWebhooks(() => ({}))])
  const exposed = [...(await metrics.text()).matchAll(/^# HELP (berth_\w+)/gm)].map(([, name = '']) => name)
  const listed = rows(section(chapter('operating.md'), '## Metrics'))
    .map(([cell = '']) => quoted(cell)[0] ?? '')
    .filter((name) => name.startsWith('berth_'))
  t.deepEqual(sorted(listed), sorted(exposed))
  // A network and a volume of Docker Compose.
  const known = [...exposed, 'berth_store', 'berth_cluster']
  const named = mentions(/\bberth_[a-z_]+/g).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
  t.deepEqual(
    named.filter((name) => !known.includes(name) && name !== 'berth_'),
    [],
  )
})

test('the table of Docker Compose has every variable of the compose file, and no other', (t) => {
  const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')
  // With a default, or passed through as it is.
  const used = [...compose.matchAll(/(?<!\$)\$\{([A-Z][A-Z_0-9]+)|([A-Z][A-Z_0-9]+): null/g)].map(
    ([, named, passedThrough]) => named ?? passedThrough ?? '',
  )
  const tables = rows(section(chapter('deploying.md'), '## Docker Compose'))
  const listed = tables.flatMap(([cell = '']) => quoted(cell)).filter((word) => /^[A-Z][A-Z_0-9]+$/.test(word))
  t.deepEqual(sorted(listed), sorted(new Set(used)))
})

/** Every command with its options, as `help` shows them: made by hand, or also derived from routes. */
const commands = async (start: RegExp): Promise<ReadonlyMap<string, readonly string[]>> => {
  const overview = (await type(['help'])).out
  const names = [...overview.matchAll(start)].map(([, name = '']) => name)
  const found = new Map<string, readonly string[]>([['help', []]])
  for (const name of names) {
    const { out } = await type(['help', ...name.split(' ')])
    const [head = ''] = out.split('\n\n')
    found.set(name, sorted([...head.matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option)))
  }
  return found
}

const BY_HAND = /^ {2}([a-z]+(?: [a-z]+)?) {2,}/gm
const ALL = /^ {2,4}([a-z]+(?: [a-z]+)?) {2,}\S/gm

const optionsIn = (text: string): readonly string[] =>
  sorted([...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, option = '']) => option))

const nameOf = (typed: string, known: ReadonlyMap<string, unknown>): string | undefined =>
  [typed.split(' ').slice(0, 2).join(' '), typed.split(' ')[0] as string].find((name) => known.has(name))

test('the chapter on the command line has every command and option, and no other', async (t) => {
  const known = await commands(BY_HAND)
  t.true(known.size >= 20)
  const table = rows(section(chapter('command-line.md'), '## Commands'))
  const listed = table.map(([cell = '']) => quoted(cell)[0] as string).filter((usage) => !usage.startsWith('-'))
  const documented = new Map(listed.map((usage) => [nameOf(usage, known), optionsIn(usage)]))
  t.deepEqual(new Map([...documented].sort()), new Map([...known].sort()))
  const explained = table.flatMap(([cell = '']) => quoted(cell)).filter((word) => word.startsWith('--'))
  const options = [...known.values()].flat().map((option) => `--${option}`)
  t.deepEqual(sorted(new Set(explained)), sorted(new Set([...options, '--help', '--version'])))
})

test('every command shown in a document exists, with its options', async (t) => {
  const known = await commands(ALL)
  const typed = mentions(/npm run -s berth -- ((?:[^;|`\n]|\\\n)+)/g)
  t.true(typed.length > 20)
  const wrong = typed.filter((line) => {
    const options = known.get(nameOf(line, known) ?? '')
    return !optionsIn(line).every((option) => option === 'help' || options?.includes(option))
  })
  // A misspelling, to show the error message.
  t.deepEqual(
    wrong.filter((line) => nameOf(line, known) !== undefined),
    [],
  )
  t.deepEqual(
    typed.map((line) => nameOf(line, known) ?? line.trim()).filter((name) => !known.has(name)),
    ['histroy'],
  )
})
