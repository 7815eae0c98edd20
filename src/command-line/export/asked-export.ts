import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { formatPosition, previousPosition } from '../../domain/values/position.ts'
import { type Exported, exportEvents, type PositionedEvent, type Wanted } from '../../export/export-log.ts'
import { type ExportFormat, type FormatName, formatOf } from '../../export/formats.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { positionOf, readLine, recordedOf } from '../log/answered-events.ts'
import { callForLines } from '../service/call.ts'

/** Events of the service at BERTH_URL. */

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

/** Why a transfer is not complete, or is none. */
export class TransferFailed extends ExpectedError {
  override name = 'TransferFailed'
  override readonly exitCode = 1
}

interface PositionedThere extends PositionedEvent {
  /** The name of the log. */
  readonly origin: string
}

/** @throws TransferFailed */
async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<PositionedThere> {
  try {
    for await (const line of lines) {
      const read = readLine(line)
      if (E.isLeft(read)) throw new TransferFailed(read.left)
      if (read.right === 'complete') return
      const event = recordedOf(read.right)
      if (E.isLeft(event)) throw new TransferFailed(event.left)
      yield { event: event.right, position: positionOf(read.right), origin: read.right.source }
    }
  } catch (error) {
    if (error instanceof TransferFailed) throw error
    throw new TransferFailed(`the service was cut off: ${(error as Error).message}`)
  }
  throw new TransferFailed('the answer of the service was cut off')
}

export interface AskExportOptions {
  readonly name: FormatName
  readonly excel: boolean
  readonly wanted: Wanted
  readonly onProgress: (done: number) => void
}

/** Exports what the service sends, in pieces. Reading them may throw TransferFailed. */
export const askExport = async (
  config: Config,
  { name, excel, wanted, onProgress }: AskExportOptions,
  exported: Exported,
): Promise<E.Either<string, AsyncIterable<string>>> => {
  const lines = await callForLines(config, pathOf(wanted))
  if (E.isLeft(lines)) return lines
  const formats = new Map<string, ExportFormat>()
  const formatFor = (origin: string): ExportFormat => {
    const format = formats.get(origin) ?? formatOf(name, { excel, origin })
    formats.set(origin, format)
    return format
  }
  const lineOf = ({ event, position, origin }: PositionedThere): string => formatFor(origin).line(event, position)
  const { head } = formatOf(name, { excel, origin: '' })
  return E.right(exportEvents({ events: eventsOf(lines.right), wanted, head, lineOf, onProgress }, exported))
}
