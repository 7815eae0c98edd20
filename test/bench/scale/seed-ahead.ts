import { createHash } from 'node:crypto'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import type { DataOf, Event, NewEvent } from '../../../src/domain/event.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { append, done } from '../../event-store/new-events.ts'
import { beginning, makeWriter, making, type People, type Run } from './lab-history.ts'
import { endLog, openNewLog } from './seed.ts'

/** A lab booked far ahead: consecutive quarter-hours, evenly distributed over the SUTs. */
export interface Ahead {
  readonly suts: number
  readonly windows: number
  /** Further reservations, each cancelled at once, because the horizon limits a SUT to ten years of quarter-hours. */
  readonly cancelled?: number
  /** Whether each command had an idempotency key, within the last minutes. */
  readonly isKeyed?: boolean
}

export interface AheadLab extends Ahead {
  readonly data: string
  readonly people: People
  readonly ids: readonly string[]
}

/** Events per append, and concurrent appends. */
const [TOGETHER, AT_ONCE] = [50, 100]

const keyOf = (n: number): string => {
  const hash = createHash('sha256').update(`${n}`).digest('base64url')
  return `${hash.slice(0, 22)}.${hash.slice(21)}`
}

function* runsOf(
  { suts, windows, cancelled = 0, isKeyed = false }: Ahead,
  people: People,
  ids: readonly string[],
): Generator<Run> {
  const now = Math.floor(Date.now() / 1_000)
  const writer = makeWriter()
  yield beginning(now - 3_600, writer)
  for (const [n, id] of ids.entries()) yield* making(id, n, now - 3_600, people.administrator, writer)
  const first = Math.ceil(now / QUARTER)
  let made = 0
  let keys = 0
  const write = (event: Event): NewEvent => {
    const written = writer.written(event, (now - 600) * 1_000, people.administrator, 'administrator')
    return isKeyed ? { ...written, metadata: { ...written.metadata, key: keyOf(keys++) } } : written
  }
  for (const [n, sut_id] of ids.entries()) {
    const share = (of: number): number => Math.floor((of * (n + 1)) / suts) - Math.floor((of * n) / suts)
    const count = share(windows)
    const all = count + share(cancelled)
    let expected = 0
    for (let begin = 0; begin < all; begin += TOGETHER) {
      const events: NewEvent[] = []
      for (let k = begin; k < Math.min(begin + TOGETHER, all); k++) {
        const quarter = first + Math.min(k, count)
        const [start_time, end_time] = [quarter, quarter + 1].map((at) => formatWithOffset(at * QUARTER, 0))
        const user_id = people.testers[made++ % people.testers.length]
        const data = { _id: writer.id(now), user_id, sut_id, listen_port: 20_000 + n, start_time, end_time }
        const {
          listen_port: _,
          start_time: _start,
          end_time: _end,
          ...reservation
        } = data as DataOf<'ReservationCreated'>
        events.push(write({ type: 'ReservationCreated', data: data as DataOf<'ReservationCreated'> }))
        if (k >= count) events.push(write({ type: 'ReservationCancelled', data: reservation }))
      }
      yield { stream: sutStream(sut_id), expected, events }
      expected += events.length
    }
  }
}

export const seedAhead = async (data: string, people: People, ahead: Ahead): Promise<AheadLab> => {
  const store = openNewLog(data)
  const ids = Array.from({ length: ahead.suts }, (_, n) => `68000000${n.toString(16).padStart(16, '0')}`)
  let appends: ReturnType<typeof append>[] = []
  const settle = async (): Promise<void> => {
    for (const outcome of await Promise.all(appends)) done(outcome)
    appends = []
  }
  for (const { stream, expected, events } of runsOf(ahead, people, ids)) {
    appends.push(append(store, stream, expected, events))
    if (appends.length === AT_ONCE) await settle()
  }
  await settle()
  await endLog(store, data, people)
  return { ...ahead, data, people, ids }
}
