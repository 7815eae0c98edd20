import { stat } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { ceilMillisecond, parseOffsetTime } from '../../domain/values/instant.ts'
import { toPublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { type Bound, type Exported, exportLog, isEventType, type Wanted } from '../../export/export-log.ts'
import { FORMATS, type FormatName, formatOf } from '../../export/formats.ts'
import { replaceFileWith, resolveLinks } from '../../files/replace-file.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { makeNamed } from '../history/named.ts'
import { openLogReader } from '../log/log-reader.ts'
import { lookUpSut, type SutAnswer } from '../sut/find.ts'
import {
  type Command,
  type CommandArguments,
  DONE,
  MISUSED,
  type OptionValue,
  printRefusal,
  REFUSED,
  type Terminal,
  textsOf,
} from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { askExport, TransferFailed } from './asked-export.ts'

interface Request {
  readonly name: FormatName
  readonly wanted: Wanted
  readonly excel: boolean
  readonly output: string | undefined
}

const textOf = (value: OptionValue): string | undefined => (typeof value === 'string' ? value : undefined)

/** Parses a position (with or without leading zeros) or a date-time. */
const readBound = (flag: string, value: OptionValue): E.Either<string, Bound | undefined> => {
  const text = textOf(value)
  if (text === undefined) return E.right(undefined)
  if (/^\d{1,20}$/.test(text)) {
    const position = toPublicPosition(Number(text))
    return Number.isSafeInteger(position) ? E.right({ position }) : E.left(`--${flag} is too large for a position`)
  }
  const read = parseOffsetTime(text)
  if (E.isLeft(read)) return E.left(`--${flag} ${read.left}, or a position`)
  return E.right({ time: ceilMillisecond(read.right.instant) })
}

const readRequest = (options: CommandArguments['options']): E.Either<string, Request> => {
  const name = FORMATS.find((format) => format === options.format)
  if (name === undefined) return E.left(`--format must be one of ${FORMATS.join(', ')}`)
  if (options.excel === true && name !== 'csv') return E.left('--excel requires --format csv')
  const [from, to] = [readBound('from', options.from), readBound('to', options.to)]
  if (E.isLeft(from)) return from
  if (E.isLeft(to)) return to
  const types = new Set(textsOf(options.type))
  const unknown = [...types].find((type) => !isEventType(type))
  if (unknown !== undefined) return E.left('--type must be an event type, such as ReservationCreated')
  const wanted = { from: from.right, to: to.right, types, sutId: textOf(options.sut) }
  return E.right({ name, wanted, excel: options.excel === true, output: textOf(options.output) })
}

/** The position to read from: the lower bound in the embedded log, elsewhere the start. */
const firstOf = ({ eventStore }: Config, { from }: Wanted): number =>
  eventStore.kind === 'sqlite' && from !== undefined && 'position' in from ? from.position : 0

/** Writes to standard output or a file, which appears only when complete. Resolves to the error code. */
const writeTo = async (
  output: string | undefined,
  pieces: AsyncIterable<string>,
  { send }: Terminal,
): Promise<string | undefined> => {
  if (output !== undefined) {
    await replaceFileWith(await resolveLinks(output), async (file) => {
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

interface Run {
  readonly exported: Exported
  /** The code of a failure to write. */
  readonly failed: string | undefined
}

/** Events and progress on one terminal would overwrite each other. */
const isWatchedFor = ({ output }: Request, { isWatched, columns }: Terminal): boolean =>
  isWatched && (output !== undefined || columns === undefined)

/** Left: why the service cannot be asked, or was cut off. */
const runAsked = async (request: Request, config: Config, terminal: Terminal): Promise<E.Either<string, Run>> => {
  const exported: Exported = { events: 0, first: null, last: null }
  const progress = makeProgress({ ...terminal, isWatched: isWatchedFor(request, terminal) })
  const onProgress = (done: number): void => progress.show(done, undefined)
  const pieces = await askExport(config, { ...request, onProgress }, exported)
  if (E.isLeft(pieces)) return pieces
  try {
    return E.right({ exported, failed: await writeTo(request.output, pieces.right, terminal) })
  } catch (error) {
    if (error instanceof TransferFailed) return E.left(error.message)
    throw error
  } finally {
    progress.end()
  }
}

const run = async (request: Request, store: EventStore, config: Config, terminal: Terminal): Promise<Run> => {
  const exported: Exported = { events: 0, first: null, last: null }
  const { wanted, output, name, excel } = request
  const format = formatOf(name, { excel, origin: config.origin })
  const isWatched = isWatchedFor(request, terminal)
  const progress = makeProgress({ ...terminal, isWatched })
  const { records, total } = await openLogReader(store, config, { isWatched }, firstOf(config, wanted))
  const onProgress = (done: number): void => progress.show(done, total(done))
  const pieces = exportLog({ records: records(), first: firstOf(config, wanted), wanted, format, onProgress }, exported)
  const failed = await writeTo(output, pieces, terminal).finally(progress.end)
  return { exported, failed }
}

/** The id of the SUT that an option means; undefined without the option. Left: why there is none. */
const findSutId = async (
  typed: string | undefined,
  config: Config,
  store: EventStore | undefined,
): Promise<E.Either<string, string | undefined>> => {
  if (typed === undefined) return E.right(undefined)
  if (store === undefined) return E.map(({ _id }: SutAnswer) => _id)(await lookUpSut(config, typed))
  if (isAssignedId(typed)) return E.right(typed)
  const named = makeNamed()
  const { records } = await openLogReader(store, config, { isWatched: false })
  for await (const page of records()) page.forEach(named.follow)
  const found = named.findSut(typed)
  const isNone = E.isRight(found) && found.right === undefined
  return isNone ? E.left(`the log has no SUT ${JSON.stringify(typed)}`) : found
}

/** Left: why there is nothing to export, or not all of it. */
const runWith = async (
  request: Request,
  config: Config,
  store: EventStore | undefined,
  terminal: Terminal,
): Promise<E.Either<string, Run>> => {
  const sutId = await findSutId(request.wanted.sutId, config, store)
  if (E.isLeft(sutId)) return sutId
  const wanted = { ...request, wanted: { ...request.wanted, sutId: sutId.right } }
  return store === undefined ? runAsked(wanted, config, terminal) : E.right(await run(wanted, store, config, terminal))
}

export const exportCommand: Command = {
  name: 'export',
  operands: [],
  options: {
    format: { type: 'string', isRequired: true },
    from: { type: 'string' },
    to: { type: 'string' },
    type: { type: 'string', multiple: true },
    sut: { type: 'string' },
    excel: { type: 'boolean' },
    output: { type: 'string' },
    local: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  summary: 'writes events to a file for DuckDB, pandas or a spreadsheet',
  example: 'export --format csv --from 2030-05-01T00:00:00Z --output events.csv',
  help: `
Writes the events of the log, one per line. --format is ndjson or csv, with the columns that the guide explains, or
cloudevents, as in the feed. CSV follows RFC 4180, in UTF-8. With --excel it begins with a byte order mark, and an
apostrophe precedes every value that a spreadsheet would read as a formula.

It reads the log itself, with or without a running service. Where BERTH_URL is set it asks the service there, as an
auditor or administrator. --local reads the log in any case.

--from and --to are positions or date-times: --from is included, --to is not. --type, which can be repeated, and --sut,
the id or name of a SUT, select events. For a name the log is read twice.

With --output the file has mode 0600 and appears only when it is complete. Without it the events go to standard output.
One line at the end reports the export, on standard error where the events went to standard output. With --json it is
{"format","events","first","last","output"}, where "first" and "last" are the positions of the first and last event.`,
  run: async ({ options }, config, terminal) => {
    const request = readRequest(options)
    if (E.isLeft(request)) {
      terminal.stderr(`berth: ${request.left}\n`)
      return MISUSED
    }
    const { name, output } = request.right
    if (output !== undefined && (await isNotAFile(output))) return printRefusal(terminal, `${output} is not a file`)
    const isAsked = config.client !== undefined && options.local !== true
    const store = isAsked ? undefined : await openStoreForCommand(config)
    const ran = await runWith(request.right, config, store, terminal).finally(store?.close)
    if (E.isLeft(ran)) return printRefusal(terminal, ran.left)
    const { exported, failed } = ran.right
    // A reader may close the pipe early. Any other failure has been reported.
    if (failed !== undefined) return failed === 'EPIPE' ? DONE : REFUSED
    const report = output === undefined ? terminal.stderr : terminal.stdout
    const summary = { format: name, ...exported, ...(output !== undefined && { output }) }
    report(options.json ? `${JSON.stringify(summary)}\n` : `${exported.events} events${output ? `: ${output}` : ''}\n`)
    return DONE
  },
}
