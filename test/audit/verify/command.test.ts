import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { copyLog } from '../../../src/archive/copy-log.ts'
import { leafHash } from '../../../src/event-store/stored-event.ts'
import { type } from '../../command-line/terminal.ts'
import { aServer } from '../../event-store/eventstoredb/server-and-client.ts'
import { aLogOn, openAt } from '../../event-store/eventstoredb/subject.ts'
import { append, aStream, someEvents } from '../../event-store/new-events.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { withoutTriggers } from '../../event-store/sqlite/without-triggers.ts'
import { storeKeys } from '../../event-store/stored-keys.ts'
import { runProcess } from '../../process/harness.ts'
import { rightOf } from '../../users/builders.ts'
import { BEGINS, writeStory } from './lawful-log.ts'

const LATER = BEGINS + 30 * 86_400_000

/** A data directory with a log and an audit key, and functions that run commands on it. */
const aLog = async (t: ExecutionContext) => {
  const data = await aDirectory(t)
  const path = join(data, 'events.db')
  const store = openStore(t, path)
  const key = randomBytes(32).toString('base64')
  writeFileSync(join(data, 'audit.key'), `${key}\n`, { mode: 0o600 })
  await storeKeys(store, key)
  await writeStory(store, 3, 60)
  const runOver = (environment: Readonly<Record<string, string>>, ...line: readonly string[]) =>
    type(line, { BERTH_DATA: data, ...environment })
  const run = (...line: readonly string[]) => runOver({}, ...line)
  const checkpoint = async (name: string): Promise<string> => {
    const file = join(data, name)
    writeFileSync(file, (await run('checkpoint')).out)
    return file
  }
  const change = (sql: string, ...values: readonly (string | number | Uint8Array)[]): void => {
    const database = new DatabaseSync(path)
    withoutTriggers(database, () => database.prepare(sql).run(...values))
    database.close()
  }
  const textAt = (position: number): string => {
    const database = new DatabaseSync(path, { readOnly: true })
    const found = database.prepare('SELECT recorded FROM event WHERE position = ?').get(position)
    database.close()
    return String(found?.recorded)
  }
  return { data, store, run, runOver, checkpoint, change, textAt }
}

test('"verify" reports a sound log that extends earlier checkpoints', async (t) => {
  const { store, run, checkpoint } = await aLog(t)
  const [early, events] = [await checkpoint('early'), (await store.head()) + 1]
  t.deepEqual(await run('verify'), { code: 0, out: (await run('verify')).out, error: '' })
  await writeStory(store, 4, 30, LATER)
  const late = await checkpoint('late')
  const { code, out, error } = await run('verify', '--against', late, '--against', early)
  t.deepEqual([code, error], [0, ''])
  t.true(out.startsWith(`${early}: the first ${events} events are unchanged\n${late}: the first `), out)
  t.regex(out, /\nsound: \d+ events; root \S{44}\n$/)
  const json = JSON.parse((await run('verify', '--json', '--against', late)).out)
  t.like(json, { sound: true, log_id: store.logId, events: (await store.head()) + 1, found: 0, findings: [] })
  t.true(out.includes(json.root))
})

test('"verify --against" finds an event changed with its hash, and names the checkpoints around it', async (t) => {
  const { store, run, checkpoint, change, textAt } = await aLog(t)
  const early = await checkpoint('early')
  const events = (await store.head()) + 1
  await writeStory(store, 4, 60, LATER)
  const late = await checkpoint('late')
  const forged = textAt(events + 1).replace(/"request_id":"./, '"request_id":"X')
  change('UPDATE event SET recorded = ?, leaf = ? WHERE position = ?', forged, leafHash(forged), events + 1)
  t.is((await run('verify')).code, 0, 'the log alone does not reveal it')
  const { code, out } = await run('verify', '--against', early, '--against', late)
  t.is(code, 3)
  const size = (await store.head()) + 1
  t.true(out.includes(`${late}: the first ${size} events are not those that were signed\n`), out)
  t.true(out.includes(`unchanged up to position ${events - 1}, differs before position ${size}\n`), out)
  t.regex(out, /\nNOT sound: /)
})

test('"verify" names a changed event, a missing one and a missing tail', async (t) => {
  const { store, run, checkpoint, change, textAt } = await aLog(t)
  const head = await store.head()
  const file = await checkpoint('head')
  change('UPDATE event SET recorded = ? WHERE position = 5', textAt(5).replace('"request_id":"', '"request_id":"X'))
  const changed = await run('verify', '--against', file)
  t.is(changed.code, 3)
  t.regex(changed.out, /^position 5: the event does not match its hash\n/)
  change('DELETE FROM event WHERE position = 7')
  t.true((await run('verify')).out.includes('\nposition 8: the event at 7 is missing\n'))
  change('DELETE FROM event WHERE position > ?', head - 2)
  const cut = await run('verify', '--against', file)
  t.is(cut.code, 3)
  t.true(cut.out.includes(`${head + 1} events were signed, the log has ${head - 2}\n`), cut.out)
  t.true(cut.out.includes(`the log ends at ${head - 2}, but the last append was at ${head}\n`), cut.out)
})

test('"verify" finds wrong links and stream heads, which the hashes do not cover', async (t) => {
  const { store, run, change } = await aLog(t)
  await store.close()
  change('UPDATE event SET previous = NULL WHERE position = (SELECT max(position) FROM event WHERE previous > 0)')
  const { code, out } = await run('verify')
  t.is(code, 3)
  t.regex(out, /^position \d+: the event is linked to nothing as its predecessor, but follows the one at \d+\n/)
  change("UPDATE head SET revision = revision + 1 WHERE stream = 'listenPorts'")
  t.regex((await run('verify')).out, /\nthe stream listenPorts ends at \d+ with the revision \d+, but its head is at/)
  change("DELETE FROM head WHERE stream = 'listenPorts'")
  t.regex((await run('verify')).out, /\nthe stream listenPorts has no head\n/)
})

test('"verify" accepts only signatures of the audit key or of --key', async (t) => {
  const { run, checkpoint, data } = await aLog(t)
  const file = await checkpoint('head')
  const key = (await run('audit', 'key')).out.trim()
  const note = (await run('checkpoint')).out
  writeFileSync(join(data, 'audit.key'), `${randomBytes(32).toString('base64')}\n`)
  const other = await run('verify', '--against', file)
  t.deepEqual([other.code, other.out], [1, ''])
  t.regex(other.error, /^berth: \S+: the checkpoint is not signed by berth with this key\n$/)
  t.is((await run('verify', '--against', file, '--key', key)).code, 0)
  writeFileSync(
    file,
    note.replace(/\n\d+\n/, (size) => `\n${Number(size) - 1}\n`),
  )
  const altered = await run('verify', '--against', file, '--key', key)
  t.is(altered.code, 1)
  t.regex(altered.error, /has been altered/)
  t.is((await run('verify', '--against', `${file}.none`)).error, `berth: ${file}.none cannot be read: ENOENT\n`)
})

test('"verify" accepts a checkpoint with extra line breaks at its end, or none', async (t) => {
  const { run, checkpoint } = await aLog(t)
  const file = await checkpoint('head')
  const note = (await run('checkpoint')).out
  for (const edited of [`${note}\n`, `${note}\n\n`, note.slice(0, -1)]) {
    writeFileSync(file, edited)
    t.is((await run('verify', '--against', file)).code, 0, JSON.stringify(edited.slice(-4)))
  }
  writeFileSync(file, note.replace(/\n/, '\n\n'))
  t.is((await run('verify', '--against', file)).code, 1)
})

test('thorough: "verify" and "export" give the same output for an embedded log and its copy in an EventStoreDB', async (t) => {
  const { run, runOver, store, checkpoint } = await aLog(t)
  const server = await aServer(t)
  const to = aLogOn(server.address)
  const target = await openAt(t, to, { copyOf: store.logId })
  await copyLog({ source: store, target, onProgress: () => undefined })
  await target.endCopy()
  const file = await checkpoint('head')
  const there = (...line: readonly string[]) => runOver({ BERTH_EVENT_STORE: to }, ...line)
  t.deepEqual(await there('verify', '--against', file), await run('verify', '--against', file))
})

test('"verify" exits with 2 on wrong options', async (t) => {
  const { run, data } = await aLog(t)
  t.like(await run('verify', '--key', 'x'), { code: 2, out: '' })
  t.like(await run('verify', '--against'), { code: 2, out: '' })
  const wrong = await run('verify', '--against', join(data, 'events.db'), '--key', 'CaNaRy')
  t.is(wrong.code, 2)
  t.false(wrong.error.includes('CaNaRy'))
})

test('thorough: "verify" of a large damaged log exits with 1 and one message, without waiting for its thread', async (t) => {
  const { data, store } = await aLog(t)
  for (let n = 0; n < 84; n++) {
    const stream = aStream()
    rightOf(await append(store, stream, -1, someEvents(stream, 256)))
  }
  await store.close()
  const file = await open(join(data, 'events.db'), 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(40_960, 0xff), 0, 40_960, Math.floor((size * 0.6) / 4_096) * 4_096)
  await file.close()
  const { code, output, errors } = await runProcess(t, { data, args: ['verify'] })
  t.deepEqual([code, output, errors], [1, '', 'berth: the log cannot be read: database disk image is malformed\n'])
})

test('"verify" finds missing triggers, a changed view, and a changed note of the last writer', async (t) => {
  const { store, run, change, data } = await aLog(t)
  await store.close()
  const alter = (sql: string): void => {
    const database = new DatabaseSync(join(data, 'events.db'))
    database.exec(sql)
    database.close()
  }
  t.is((await run('verify')).code, 0)
  alter('DROP TRIGGER head_is_not_deleted; DROP VIEW events; CREATE VIEW events AS SELECT position FROM event')
  change("UPDATE meta SET value = replace(value, 'process ', 'procesS ') WHERE name = 'writer'")
  const { code, out } = await run('verify')
  t.is(code, 3)
  t.deepEqual(out.split('\n').slice(0, 3), [
    'the file of the log: the trigger head_is_not_deleted is missing or has been changed',
    'the file of the log: the view events is missing or has been changed',
    'the file of the log: the note of the last writer in meta has been changed',
  ])
})
