/** The chapter's ways to keep a table of events up to date, without a gap and without a repetition. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { openDuckDb } from '../archive/duckdb.ts'
import { type } from '../command-line/terminal.ts'
import { startInstances } from '../event-store/eventstoredb/service/instances.ts'
import { basic, passwordOf } from '../http/client.ts'
import { type Running, start, type Tidying, temporaryData } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { ROOT } from '../process/harness.ts'
import { areInstalled } from '../tools.ts'
import { chapter } from './documents.ts'

const blockOf = (name: string, info: string, begins: string): string => {
  const block = chapter(name).blocks.find((each) => each.info === info && each.code.includes(begins))
  if (block === undefined) throw new Error(`${name} has no block with "${begins}"`)
  return block.code
}

type Events = readonly {
  readonly id: string
  readonly sequence: string
  readonly type: string
  readonly data: object
}[]
const eventsOf = async (service: Running): Promise<Events> =>
  (await service.as('admin').get('/api/events?limit=1000')).json.events as Events

test('a table in DuckDB is brought up to date by exports from the next position on', async (t) => {
  const service = await start(t, { now: NOW })
  const file = join(await temporaryData(t), 'events.ndjson')
  const ask = await openDuckDb(t)
  const insert = blockOf('analysts.md', 'sql', '-- the events').replace("'events.ndjson'", `'${file}'`)
  const exportFrom = (next: unknown) => {
    const line = ['export', '--format', 'ndjson', '--from', String(next), '--output', file]
    return type(line, { BERTH_DATA: service.data })
  }
  let next: unknown = 0
  for (const port of [1, 2, 3]) {
    t.is((await exportFrom(next)).code, 0)
    await ask(insert)
    ;[{ next } = { next: 0 }] = (await ask(blockOf('analysts.md', 'sql', '-- the next position'))) as {
      next: unknown
    }[]
    await t.throwsAsync(ask(insert), { message: /primary key|duplicate/i }, 'the same once more')
    await createSut(service.as('admin'), { port })
  }
  const events = await eventsOf(service)
  t.deepEqual(
    await ask('SELECT position, type, data FROM events ORDER BY position'),
    events.slice(0, Number(next)).map(({ sequence, type, data }) => ({
      ...{ position: String(Number(sequence)), type: type.replace('berth.', '') },
      data: JSON.stringify(data),
    })),
  )
})

/** Milliseconds. */
const WITHIN = 20_000

/** Runs a command of the shell beside `keep.py`, kills both again and again while more is recorded, and ends with all. */
const keepUp = async (t: Tidying, command: string, record: () => Promise<unknown>, all: () => Promise<number>) => {
  const folder = await temporaryData(t)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'keep.py'), blockOf('analysts.md', 'python', '# keep.py'))
  await writeFile(join(folder, 'subscribe.mjs'), blockOf('eventstoredb.md', 'js', 'subscribeToAll'))
  const database = join(folder, 'events.db')
  const count = (): number => {
    try {
      using db = new DatabaseSync(database, { readOnly: true })
      return Number(db.prepare('SELECT count(*) AS n FROM events').get()?.n)
    } catch {
      return 0
    }
  }
  for (let round = 0; round < 4; round++) {
    const script = `LAST=$(python3 keep.py last); ${command} | python3 keep.py`
    const child = spawn('bash', ['-c', script], { cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
    const kill = (): void => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL')
    }
    t.teardown(kill)
    const before = count()
    const recording = record()
    // In the midst of it, but for the last time.
    await until('some events are kept', async () => count() > before, WITHIN)
    await recording
    const end = await all()
    if (round === 3) await until('all events are kept', async () => count() >= end, WITHIN)
    kill()
    await once(child, 'close')
  }
  using db = new DatabaseSync(database, { readOnly: true })
  return db.prepare('SELECT position, type, data FROM events ORDER BY position').all()
}

const recordInto = (service: Running, sut: string) => async () => {
  for (let n = 0; n < 20; n++)
    await service.as('admin').post(`/api/sut/${sut}/update`, { description: `${Math.random()}` })
}

/** Checks that a table is kept of all events, each once, and returns its rows. */
const keepsAll = async (t: ExecutionContext, service: Running, command: string) => {
  const sut = await createSut(service.as('admin'))
  const rows = await keepUp(t, command, recordInto(service, sut), async () => (await eventsOf(service)).length)
  t.deepEqual(
    rows.map((row) => ({ type: `berth.${row.type}`, data: JSON.parse(String(row.data)) })),
    (await eventsOf(service)).map(({ type, data }) => ({ type, data })),
  )
  return rows
}

test('thorough: keep.py has every event of the feed once, however often it is killed', async (t) => {
  if (!areInstalled(t, 'python3', 'curl')) return
  const service = await start(t)
  const ask = `curl -fsSN -H 'Authorization: ${basic('admin', passwordOf('admin'))}' -H 'Accept: application/x-ndjson'`
  const rows = await keepsAll(t, service, `${ask} "${service.url}/api/events?\${LAST:+after=$LAST}&follow=true"`)
  t.deepEqual(
    rows.map(({ position }) => position),
    rows.map((_, n) => n),
  )
})

test('thorough: keep.py has every event of an EventStoreDB once, however often it is killed', async (t) => {
  if (!areInstalled(t, 'python3')) return
  const { server, services } = await startInstances(t, { count: 1 })
  await keepsAll(t, services[0] as Running, `node subscribe.mjs '${server.address}' $LAST`)
})
