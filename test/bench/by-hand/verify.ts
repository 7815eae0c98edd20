import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { growTree } from '../../../src/audit/merkle-tree.ts'
import { verifyLog } from '../../../src/audit/verify/verify.ts'
import { startJudgeThread } from '../../../src/command-line/log/verify-thread.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { leafHash } from '../../../src/event-store/stored-event.ts'
import { exportEvents, scanLog } from '../../../src/export/export-log.ts'
import { FORMATS, type FormatName, formatOf } from '../../../src/export/formats.ts'
import { manyLawfulEvents } from '../../audit/verify/many-events.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { spread } from '../measure/processes.ts'

/**
 * `verify` compared with a loop that only reads and hashes the same events, and `export` with one that only reads and
 * writes them: in this process, alternating, in events per second. The bound of each is half the rate of its loop.
 */

const { values } = parseArgs({
  options: {
    reservations: { type: 'string', default: '200000' },
    suts: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '7' },
  },
})
const scale = { reservations: Number(values.reservations), suts: Number(values.suts) }
const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const onFatal = (error: Error): never => {
  throw error
}

/** Writes the log; returns its number of events. */
const fill = async (store: EventStore): Promise<number> => {
  let events = 0
  for (const { stream, expected, append } of manyLawfulEvents(scale)) {
    const ended = await store.append(stream, expected, append)
    if (ended._tag === 'Left') throw new Error(ended.left)
    events += append.length
  }
  return events
}

type Way = () => Promise<void>

const readAndHash =
  (store: EventStore, isTree: boolean): Way =>
  async () => {
    const tree = growTree()
    for await (const page of store.records(BEGINNING)) {
      for (const { text } of page) {
        const leaf = leafHash(text)
        if (isTree) tree.add(leaf)
      }
    }
    tree.root()
  }

const verify =
  (store: EventStore, path: string): Way =>
  async () => {
    const judge = startJudgeThread(path)
    const { found, findings } = await verifyLog({
      records: store.records(BEGINNING),
      reread: () => store.records(BEGINNING),
      isDense: true,
      judge,
    })
    if (found > 0) throw new Error(findings[0]?.what)
  }

async function* texts(store: EventStore): AsyncGenerator<string> {
  for await (const page of store.records(BEGINNING)) {
    let chunk = ''
    for (const { text } of page) chunk += `${text}\n`
    yield chunk
  }
}

const readAndWrite =
  (store: EventStore, to: string): Way =>
  () =>
    pipeline(texts(store), createWriteStream(to))

const exportAs =
  (store: EventStore, to: string, name: FormatName): Way =>
  () => {
    const format = formatOf(name, false)
    const exported = { events: 0, first: null, last: null }
    const scanned = scanLog({ records: store.records(BEGINNING), first: 0, origin: 'berth' }, {})
    const pieces = exportEvents(scanned, { wanted: {}, format }, exported)
    return pipeline(pieces, createWriteStream(to))
  }

/** Prints the ratio of the measured rate to the loop's, run alternately. */
const compare = async (name: string, loop: Way, measured: Way, events: number): Promise<void> => {
  const rates: { loop: number; measured: number }[] = []
  const rateOf = async (way: Way): Promise<number> => {
    const began = performance.now()
    await way()
    return (events * 1_000) / (performance.now() - began)
  }
  await loop()
  await measured()
  for (let round = 0; round < Number(values.rounds); round++) {
    const first = round % 2 === 0 ? await rateOf(loop) : undefined
    const own = await rateOf(measured)
    rates.push({ loop: first ?? (await rateOf(loop)), measured: own })
  }
  const ratio = spread(rates.map((one) => one.measured / one.loop))
  const both = `${spread(
    rates.map((one) => one.measured / 1_000),
    0,
  )} of ${spread(
    rates.map((one) => one.loop / 1_000),
    0,
  )} thousand a second`
  say(`${name.padEnd(44)}${ratio.padEnd(22)}${both}`)
}

const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
try {
  const [path, to] = [join(directory, 'events.db'), join(directory, 'exported')]
  const writer = openSqliteStore({ path, randomHex, onFatal })
  const events = await fill(writer)
  await writer.close()
  const store = openSqliteStore({ path, readOnly: true, randomHex, onFatal })
  say(`${events} events of ${scale.suts} SUTs, ${values.rounds} rounds`)
  await compare('verify to reading and hashing (the tree)', readAndHash(store, true), verify(store, path), events)
  await compare('verify to reading and hashing (leaves alone)', readAndHash(store, false), verify(store, path), events)
  for (const name of FORMATS) {
    await compare(`export ${name} to reading and writing`, readAndWrite(store, to), exportAs(store, to, name), events)
  }
  say(`${Math.round(process.resourceUsage().maxRSS / 1_024)} MB held at most`)
  await store.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
