import { fileURLToPath } from 'node:url'
import type { Tidying } from '../../../http/harness.ts'
import { until } from '../../../http/until.ts'
import { launch } from '../../../process/harness.ts'
import { anEvent, aStream } from '../../new-events.ts'
import { startProtocolServer } from '../protocol/protocol-server.ts'
import { addressOf, openAdapter } from './instances.ts'

/** KiB by which a consumer that stalls may grow, however long the log is: 4,096 events and what is on the wire. */
export const GROWN_MAX = 24 * 1024

export interface MemoryReport {
  /** Events in the log, and those that came in the end. */
  readonly events: number
  readonly seen: number
  /** KiB by which the consumer's heap had grown while it stalled. */
  readonly grown: number
  /** Events that the server had handed to the connection by then. */
  readonly sent: number
}

/** Waits until a number has stayed the same for so many looks, 20 ms apart. */
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

const script = fileURLToPath(new URL('../protocol/stalled-consumer.ts', import.meta.url))

/** Lets a process of its own take one batch of a log and stall, or keep them all, and weighs it. */
export const weighConsumer = async (
  scope: Tidying,
  how: 'stalled' | 'keeping',
  events: number,
): Promise<MemoryReport> => {
  const server = await startProtocolServer()
  scope.teardown(server.close)
  // A log begins before its first event.
  await openAdapter(scope, server)
  const stream = aStream()
  for (let i = 0; i < events; i += 1_000) {
    const proposed = Array.from({ length: Math.min(1_000, events - i) }, (_, n) => {
      const { id, type, data, metadata } = anEvent(stream, `note ${i + n} `.padEnd(300, '.'))
      const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
      return { id, type, contentType: 'application/json', data: bytes(data), metadata: bytes(metadata) }
    })
    server.log.append(stream, i === 0 ? 'no_stream' : i - 1, proposed)
  }
  const args = [addressOf(server, 0), how, String(events)]
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
