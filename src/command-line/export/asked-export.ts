import type { Config } from '../../config/config.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { formatPosition, previousPosition } from '../../domain/values/position.ts'
import type { ScannedEvents, Wanted } from '../../export/export-log.ts'
import { positionOf, readLine, recordedOf } from '../log/answered-events.ts'
import { callForLines } from '../service/call.ts'
import { CommandFailure } from '../terminal/command.ts'

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

/** Scans what the service sends. @throws CommandFailure if that is refused */
export const scanService = async (config: Config, wanted: Wanted): Promise<AsyncGenerator<ScannedEvents>> =>
  scanLines(await callForLines(config, pathOf(wanted)))
