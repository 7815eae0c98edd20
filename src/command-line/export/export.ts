import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/open-store.ts'
import { FORMATS, type FormatName, formatOf } from '../../archive/export-formats.ts'
import {
  type Bound,
  type Exported,
  exportEvents,
  isEventType,
  type ScannedEvents,
  scanLog,
  type Wanted,
} from '../../archive/export-log.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { ceilMillisecond, formatMilliseconds, parseOffsetTime } from '../../domain/values/instant.ts'
import { formatPosition, previousPosition, toPublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { replaceFile, resolveLinks } from '../../files/replace-file.ts'
import { positionOf, readLine, recordedOf } from '../log/answered-events.ts'
import { openLogReader } from '../log/log-reader.ts'
import { makeCalls } from '../service/call.ts'
import { findId } from '../service/find.ts'
import {
  type Command,
  type CommandArguments,
  CommandFailure,
  DONE,
  Misused,
  type OptionValue,
  REFUSED,
  type Terminal,
  textsOf,
} from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { exportLeaves, LEAVES, leafSpan } from './leaves.ts'

interface Request {
  readonly name: FormatName | typeof LEAVES
  readonly wanted: Wanted
  readonly excel: boolean
  readonly output: string | undefined
}

const textOf = (value: OptionValue): string | undefined => (typeof value === 'string' ? value : undefined)

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
const readRequest = (options: CommandArguments['options']): Request => {
  const names = [...FORMATS, LEAVES] as const
  const name = names.find((format) => format === options.format)
  if (name === undefined) throw new Misused(`--format must be one of ${names.join(', ')}`)
  const excel = options.excel === true
  if (excel && name !== 'csv') throw new Misused('--excel requires --format csv')
  const [from, to] = [readBound('from', options.from), readBound('to', options.to)]
  const types = new Set(textsOf(options.type))
  const unknown = [...types].find((type) => !isEventType(type))
  if (unknown !== undefined) throw new Misused('--type must be an event type, such as ReservationCreated')
  const wanted = { from, to, types, sutId: textOf(options.sut) }
  if (name === LEAVES) leafSpan(wanted)
  return { name, wanted, excel, output: textOf(options.output) }
}

/** Writes to standard output or a file, which appears only when complete. Resolves to the error code. */
const writeTo = async (
  output: string | undefined,
  pieces: AsyncIterable<string>,
  { send }: Terminal,
): Promise<string | undefined> => {
  if (output !== undefined) {
    await replaceFile(await resolveLinks(output), async (file) => {
      for await (const piece of pieces) await file.writeFile(piece)
    })
    return undefined
  }
  for await (const piece of pieces) {
    const failed = await send(piece)
    if (failed !== undefined) return failed
  }
  return undefined
}

const isNotAFile = async (output: string): Promise<boolean> => {
  const found = await stat(output).catch(() => undefined)
  return found !== undefined && !found.isFile()
}

/** The feed's parameters for what is wanted. An upper bound by position ends the reading. */
const pathOf = ({ from, to, types, sutId }: Wanted): string => {
  const timeOf = (bound: Wanted['from']) => (bound && 'time' in bound ? formatMilliseconds(bound.time) : undefined)
  const after =
    from && 'position' in from && from.position > 0 ? formatPosition(previousPosition(from.position)) : undefined
  const query = new URLSearchParams()
  const filter = { after, from: timeOf(from), to: timeOf(to), sut_id: sutId }
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value)
  for (const type of types ?? []) query.append('type', type)
  return `/api/events?${query}`
}

/** @throws CommandFailure if the lines are cut off */
async function* scanLines(lines: AsyncIterable<string>): AsyncGenerator<ScannedEvents> {
  try {
    for await (const line of lines) {
      const read = readLine(line)
      if (read === 'complete') return
      const position = positionOf(read)
      yield { events: [{ event: recordedOf(read), position, origin: read.source }], done: position + 1 }
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(`the service was cut off: ${(error as Error).message}`)
  }
  throw new CommandFailure('the answer of the service was cut off')
}

/** What to export: of a log, or else of the service. */
const scan = async (wanted: Wanted, config: Config, store: EventStore | undefined, terminal: Terminal) => {
  if (store === undefined) {
    const progress = makeProgress(terminal)
    const onProgress = (done: number): void => progress.show(done, undefined)
    return {
      scanned: scanLines(await makeCalls(config, terminal).lines(pathOf(wanted))),
      onProgress,
      endProgress: progress.end,
    }
  }
  const { from } = wanted
  const first = from !== undefined && 'position' in from ? from.position : 0
  const { records, ...progress } = await openLogReader(store, config, terminal, first)
  return { scanned: scanLog({ records: records(), first, origin: config.origin }, wanted), ...progress }
}

/** The id of the SUT that an option means: a log is searched for an id only. */
const findSutId = async (
  typed: string,
  config: Config,
  store: EventStore | undefined,
  terminal: Terminal,
): Promise<string> => {
  if (store === undefined) return findId(makeCalls(config, terminal), 'sut', typed)
  if (isAssignedId(typed)) return typed
  throw new Misused('--sut must be an id with --log')
}

/** Writes what is wanted, counts it, and resolves to the code of a failure to write. */
const run = async (
  { name, excel, output, ...request }: Request,
  exported: Exported,
  config: Config,
  store: EventStore | undefined,
  terminal: Terminal,
): Promise<string | undefined> => {
  // Events and progress on one terminal would overwrite each other.
  const isWatched = terminal.isWatched && (output !== undefined || terminal.columns === undefined)
  if (name === LEAVES) {
    const showing = { ...terminal, isWatched }
    const { pieces, endProgress } = await exportLeaves(leafSpan(request.wanted), exported, config, store, showing)
    return writeTo(output, pieces, terminal).finally(endProgress)
  }
  const { sutId } = request.wanted
  const wanted = { ...request.wanted, sutId: sutId && (await findSutId(sutId, config, store, terminal)) }
  const { scanned, onProgress, endProgress } = await scan(wanted, config, store, { ...terminal, isWatched })
  const pieces = exportEvents(scanned, { wanted, format: formatOf(name, excel), onProgress }, exported)
  return writeTo(output, pieces, terminal).finally(endProgress)
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
    output: { type: 'string' },
    log: { type: 'string' },
    json: { type: 'boolean' },
  },
  summary: 'writes events to a file for DuckDB, pandas or a spreadsheet',
  example: 'export --format csv --from 2030-05-01T00:00:00Z --output events.csv',
  help: `
Writes the events of the log, one per line. --format is ndjson or csv, with the columns that the guide explains, or
cloudevents, as in the feed, or leaves: each event as it is stored, which is what the root of a checkpoint is computed
from; then --from and --to are positions, and nothing else selects. CSV follows RFC 4180, in UTF-8. With --excel it
begins with a byte order mark, and an apostrophe precedes every value that a spreadsheet would read as a formula.

It asks the service on BERTH_DATA, or the one at BERTH_URL as an auditor or administrator. With --log it reads a file
such as data/events.db, with or without a running service.

--from and --to are positions or date-times: --from is included, --to is not. --type, which can be repeated, and --sut,
the id or name of a SUT, select events; with --log it must be the id.

With --output the file has mode 0600 and appears only when it is complete. Without it the events go to standard output.
One line at the end reports the export, on standard error where the events went to standard output. With --json it is
{"format","events","first","last","output"}, where "first" and "last" are the positions of the first and last event.`,
  run: async ({ options }, config, terminal) => {
    const request = readRequest(options)
    const { name, output } = request
    if (output !== undefined && (await isNotAFile(output))) throw new CommandFailure(`${output} is not a file`)
    const log = textOf(options.log)
    const of = log === undefined ? config : { ...config, eventStore: { kind: 'sqlite', path: resolve(log) } as const }
    await using store = log === undefined ? undefined : await openStoreForCommand(of)
    const exported: Exported = { events: 0, first: null, last: null }
    const failed = await run(request, exported, of, store, terminal)
    // A reader may close the pipe early. Any other failure has been reported.
    if (failed !== undefined) return failed === 'EPIPE' ? DONE : REFUSED
    const report = output === undefined ? terminal.stderr : terminal.stdout
    const summary = { format: name, ...exported, ...(output !== undefined && { output }) }
    report(options.json ? `${JSON.stringify(summary)}\n` : `${exported.events} events${output ? `: ${output}` : ''}\n`)
    return DONE
  },
}
