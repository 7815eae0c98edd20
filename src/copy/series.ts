import type { NewEvent } from '../domain/event.ts'
import type { StorePosition } from '../domain/values/position.ts'
import type { EventStore, StoredRecord } from '../event-store/event-store.ts'

/** Limits of one append. The server's limit is 1 MiB, including base64 and framing. */
const APPEND_MAX = { events: 500, bytes: 400_000 }
export async function* flatten(pages: AsyncIterable<readonly StoredRecord[]>): AsyncGenerator<StoredRecord> {
  for await (const page of pages) yield* page
}

export type Stored = NewEvent & { readonly stream: string; readonly revision: number }

/** Consecutive events of one stream, appended together. */
export type EventRun = { readonly events: Stored[]; bytes: number }

const joins = ({ events, bytes }: EventRun, { stream }: Stored, size: number): boolean =>
  events[0]?.stream === stream && events.length < APPEND_MAX.events && bytes + size <= APPEND_MAX.bytes

/** The events after a store position, grouped into runs. Nothing is decoded, so the bytes stay the same. */
export async function* runsOf(source: EventStore, after: StorePosition): AsyncGenerator<EventRun> {
  let run: EventRun = { events: [], bytes: 0 }
  for await (const { text } of flatten(source.records(after))) {
    const event = JSON.parse(text) as Stored
    const size = Buffer.byteLength(text)
    if (run.events.length > 0 && !joins(run, event, size)) {
      yield run
      run = { events: [], bytes: 0 }
    }
    run.events.push(event)
    run.bytes += size
  }
  if (run.events.length > 0) yield run
}

/** Limits for runs in flight. */
const SERIES_MAX = { runs: 256, bytes: 2_000_000 }

/** Groups runs into series that can be in flight together. */
export async function* seriesOf(runs: AsyncIterable<EventRun>): AsyncGenerator<readonly EventRun[]> {
  let series: EventRun[] = []
  let bytes = 0
  for await (const run of runs) {
    if (series.length > 0 && (series.length === SERIES_MAX.runs || bytes + run.bytes > SERIES_MAX.bytes)) {
      yield series
      series = []
      bytes = 0
    }
    series.push(run)
    bytes += run.bytes
  }
  if (series.length > 0) yield series
}

export const toAppend = ({ events }: EventRun) => {
  const [first] = events as readonly Stored[] as [Stored]
  const { stream, revision } = first
  const plain = events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }) as NewEvent)
  return { stream, expected: revision - 1, events: plain }
}
