import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { FORMATS, formatOf } from '../../archive/export-formats.ts'
import {
  type Bound,
  type Exported,
  type ExportFilter,
  exportLog,
  isEventType,
  spanOf,
} from '../../archive/export-log.ts'
import { writeTables } from '../../archive/tables/write-tables.ts'
import { type CommandArguments, type OptionValue, textOf, textsOf } from '../../client/command.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { ceilMillisecond, parseOffsetTime } from '../../domain/values/instant.ts'
import { toPublicPosition, toStorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type StoredRecord } from '../../event-store/event-store.ts'
import { replaceFile, resolveLinks } from '../../files/replace-file.ts'
import { type Command, CommandFailure, DONE, Misused, REFUSED, type Terminal } from '../terminal/command.ts'
import { makeLogProgress, makeProgress } from '../terminal/progress.ts'
import { answer, type CallRoute, findId, line, makeCall, readPages } from '../terminal/service.ts'
import { askForCheckpoint } from './audit.ts'

/** The format of the leaves of the Merkle tree: the events as they are stored, which no other format shows. */
const LEAVES = 'leaves'
/** The format of tables, which are made of what the events say together. */
const PARQUET = 'parquet'

/** Parses a position (with or without leading zeros) or a date-time. */
const readBound = (flag: string, value: OptionValue): Bound | undefined => {
  const text = textOf(value)
  if (text === undefined) return undefined
  if (/^\d{1,20}$/.test(text)) {
    const position = toPublicPosition(Number(text))
    if (Number.isSafeInteger(position)) return { position }
    throw new Misused(`--${flag} is too large for a position`)
  }
  const read = parseOffsetTime(text)
  if (E.isLeft(read)) throw new Misused(`--${flag} ${read.left}, or a position`)
  return { time: ceilMillisecond(read.right.instant) }
}

/** @throws Misused */
const readRequest = ({ format, excel, from, to, type, sut, output, names, log }: CommandArguments['options']) => {
  const formats = [...FORMATS, LEAVES, PARQUET] as const
  const name = formats.find((each) => each === format)
  if (name === undefined) throw new Misused(`--format must be one of ${formats.join(', ')}`)
  if (excel === true && name !== 'csv') throw new Misused('--excel requires --format csv')
  const types = new Set(textsOf(type))
  if ([...types].some((each) => !isEventType(each)))
    throw new Misused('--type must be an event type, such as ReservationCreated')
  const wanted: ExportFilter = { from: readBound('from', from), to: readBound('to', to), types, sutId: textOf(sut) }
  // A root is computed from all leaves up to a position.
  if (name === LEAVES && (types.size > 0 || sut !== undefined))
    throw new Misused('--format leaves takes no --type and no --sut')
  if (name === LEAVES && [wanted.from, wanted.to].some((bound) => bound && 'time' in bound))
    throw new Misused('--format leaves takes positions as --from and --to')
  if (name === PARQUET && (from !== undefined || types.size > 0 || sut !== undefined))
    throw new Misused('--format parquet takes no --from, no --type and no --sut')
  if (name === PARQUET && output === undefined) throw new Misused('--format parquet requires --output, a new directory')
  if (names === true && name !== PARQUET) throw new Misused('--names requires --format parquet')
  if (names === true && log !== undefined) throw new Misused('--names asks the service, and takes no --log')
  return { name, wanted, format: name === LEAVES || name === PARQUET ? undefined : formatOf(name, excel === true) }
}

/** The names of people by id, removed ones too. The id stands for a name that was erased. */
const readNames = async (call: CallRoute): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>()
  const list = {
    name: 'users',
    item: answer({ _id: line, name: line }, {}),
    query: new URLSearchParams('removed=true'),
  }
  for await (const page of readPages(call, '/api/user', list)) for (const { _id, name } of page) names.set(_id, name)
  return names
}

/** Leaves of a request. */
const PAGE_SIZE = 1_000

/** The events of the service as they are stored, page by page. Over HTTP they go by their public positions only. */
async function* leavesOfService(call: CallRoute, first: number, end: number): AsyncGenerator<readonly StoredRecord[]> {
  for (let next = first; next < end; ) {
    const path = `/api/audit/leaves?from=${next}&limit=${Math.min(PAGE_SIZE, end - next)}`
    const body = await call({ path, accept: 'application/x-ndjson', answer: t.string })
    const leaves = body.split('\n')
    if (leaves.pop() !== '' || leaves.length === 0) throw new CommandFailure('the answer of the service was cut off')
    yield leaves.map((text, n) => ({ text, storePosition: toStorePosition(next + n) }))
    next += leaves.length
  }
}

/** Writes to standard output or a file, which appears only when complete. Resolves to the error code. */
const writeTo = async (
  output: string | undefined,
  pieces: AsyncIterable<string>,
  { send }: Terminal,
): Promise<string | undefined> => {
  if (output === undefined) {
    for await (const piece of pieces) {
      const failed = await send(piece)
      if (failed !== undefined) return failed
    }
    return undefined
  }
  const stats = await stat(output).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) throw new CommandFailure(`${output} is not a file`)
  await replaceFile(await resolveLinks(output), (file) => file.writeFile(pieces))
  return undefined
}

export const exportCommand: Command = {
  name: 'export',
  options: {
    format: { type: 'string', isRequired: true },
    from: { type: 'string' },
    to: { type: 'string' },
    type: { type: 'string', multiple: true },
    sut: { type: 'string' },
    excel: { type: 'boolean' },
    names: { type: 'boolean' },
    output: { type: 'string' },
    log: { type: 'string' },
    json: { type: 'boolean' },
  },
  summary: 'writes events to a file for DuckDB, pandas or a spreadsheet',
  example: 'export --format csv --from 2030-05-01T00:00:00Z --output events.csv',
  help: `
Writes the events of the log, one per line. --format is ndjson or csv, with the columns that the guide explains, or
cloudevents, as in the feed, or leaves: each event as it is stored, which is what the root of a checkpoint is computed
from; then --from and --to are positions, and nothing else selects. With --excel, CSV begins with a byte order mark, and
an apostrophe precedes every value that a spreadsheet would read as a formula.

--format parquet writes tables into the new directory --output: reservations, sessions, requests, machines, outages and
refusals, as of --to or now. With --names they have the names of people, which the service is asked for.

It asks the service on BERTH_DATA, or the one at BERTH_URL as an auditor or administrator. With --log it reads a file
such as data/events.db, with or without a running service.

--from, which is included, and --to, which is not, are positions or date-times. --type and --sut, the id or name of a
SUT, select events; with --log it must be the id. With --output the file has mode 0600 and appears when it is complete.

With --json one line at the end, on standard error where the events are on standard output, has
{"format","events","first","last","output"}; "first" and "last" are positions.`,
  run: async ({ options }, config, terminal) => {
    const { name, format, ...request } = readRequest(options)
    const [output, log] = [textOf(options.output), textOf(options.log)]
    if (name === PARQUET && existsSync(String(output)))
      throw new CommandFailure(`${output} exists; tables need a new directory`)
    if (output !== undefined && !existsSync(dirname(resolve(output))))
      throw new CommandFailure(`the directory ${dirname(output)} does not exist`)
    let names: ReadonlyMap<string, string> | undefined
    // Events and progress on one terminal would overwrite each other.
    const isWatched = terminal.isWatched && (output !== undefined || terminal.columns === undefined)
    const showing = { ...terminal, isWatched }
    const exported: Exported = { events: 0, first: null, last: null }
    const { first, end } = spanOf(request.wanted)
    const write = (
      records: AsyncIterable<readonly StoredRecord[]>,
      origin: string,
      wanted: ExportFilter,
      onProgress: (done: number) => void,
    ): Promise<string | undefined> =>
      name === PARQUET
        ? writeTables(records, { origin, to: wanted.to, output: String(output), names, onProgress }, exported).then(
            () => undefined,
          )
        : writeTo(output, exportLog(records, { origin, wanted, format, onProgress }, exported), terminal)

    const exportFile = async (path: string) => {
      const { wanted } = request
      if (wanted.sutId !== undefined && !isAssignedId(wanted.sutId)) throw new Misused('--sut must be an id with --log')
      const of = { ...config, eventStore: { kind: 'sqlite', path: resolve(path) } } as const
      await using store = await openStoreForCommand(of)
      const progress = await makeLogProgress(store, of, showing)
      const records = store.records(toStorePosition(BEGINNING + first))
      return await write(records, config.origin, wanted, progress.show).finally(progress.end)
    }
    const exportFromService = async () => {
      const call = makeCall(config, terminal)
      if (options.names === true) names = await readNames(call)
      const typed = request.wanted.sutId
      const wanted = { ...request.wanted, sutId: typed && (await findId(call, 'sut', typed)) }
      const { origin, size } = await askForCheckpoint(call)
      const progress = makeProgress(showing)
      const records = leavesOfService(call, first, Math.min(end, size))
      return write(records, origin, wanted, (done) => progress.show(done, size)).finally(progress.end)
    }
    const failed = await (log === undefined ? exportFromService() : exportFile(log))
    // A reader may close the pipe early. Any other failure has been reported.
    if (failed !== undefined) return failed === 'EPIPE' ? DONE : REFUSED
    const report = output === undefined ? terminal.stderr : terminal.stdout
    const summary = { format: name, ...exported, ...(output !== undefined && { output }) }
    report(options.json ? `${JSON.stringify(summary)}\n` : `${exported.events} events${output ? `: ${output}` : ''}\n`)
    return DONE
  },
}
