import { fileURLToPath } from 'node:url'
import type { Tidying } from '../../../http/harness.ts'
import { until } from '../../../http/until.ts'
import { launch } from '../../../process/harness.ts'
import { anEvent, aStream } from '../../new-events.ts'
import { startProtocolServer } from '../protocol/protocol-server.ts'
import { addressOf, openAdapter } from './instances.ts'

/** Maximum growth of a stalled consumer in KiB, for any log length: 4,096 events and transport buffers. */
export const GROWN_MAX = 24 * 1024

export interface MemoryReport {
  /** Events in the log, and events received in the end. */
  readonly events: number
  readonly seen: number
  /** Growth of the consumer's heap while stalled, in KiB. */
  readonly grown: number
  /** Events that the server had sent by then. */
  readonly sent: number
}

/** Waits until a number is unchanged for this many polls, 20 ms apart. */
const settled = async (look: () => number, looks = 30): Promise<void> => {
  let [last, same] = [-1, 0]
  const isSettled = async (): Promise<boolean> => {
    const now = look()
    same = now === last ? same + 1 : 0
    last = now
    return same >= looks
  }
  await until('settled', isSettled, 60_000)
}

const script = fileURLToPath(new URL('stalled-consumer.ts', import.meta.url))

/** Measures a separate process that takes one batch and stalls. */
export const weighConsumer = async (scope: Tidying, events: number): Promise<MemoryReport> => {
  const server = await startProtocolServer()
  scope.teardown(server.close)
  // Opening the adapter creates the log.
  await openAdapter(scope, server)
  const stream = aStream()
  for (let i = 0; i < events; i += 1_000) {
    const proposed = Array.from({ length: Math.min(1_000, events - i) }, (_, n) => {
      const { id, type, data, metadata } = anEvent(stream, `note ${i + n} `.padEnd(300, '.'))
      const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
      return { id, type, data: bytes(data), metadata: bytes(metadata) }
    })
    server.log.append(stream, i === 0 ? 'no_stream' : i - 1, proposed)
  }
  const args = [addressOf(server, 0), String(events)]
  const child = launch(scope, { data: '.', node: ['--expose-gc'], script, args })
  await child.line('"stalled"')
  await settled(() => server.counters.eventsSent)
  child.signal('SIGUSR2')
  const { grown } = JSON.parse(await child.line('"grown"')) as { grown: number }
  const sent = server.counters.eventsSent
  const { seen } = JSON.parse(await child.line('"seen"')) as { seen: number }
  const { code } = await child.exited
  if (code !== 0) throw new Error(`the consumer ended with ${code}: ${child.errors()}`)
  return { events, seen, grown, sent }
}
