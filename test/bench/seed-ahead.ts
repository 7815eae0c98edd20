import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { DataOf, NewEvent } from '../../src/domain/event.ts'
import { sutStream } from '../../src/domain/ids.ts'
import { formatWithOffset } from '../../src/domain/instant.ts'
import { QUARTER } from '../../src/domain/window.ts'
import { openSqliteStore } from '../../src/event-store/sqlite.ts'
import { append, done, randomHex } from '../event-store/new-events.ts'
import { makeWriter, making, type People, type Run } from './lab-history.ts'

/** A lab that is booked far ahead: consecutive quarter-hours of every SUT, as evenly as there are windows. */
export interface Ahead {
  readonly suts: number
  readonly windows: number
  /** Whether each was asked for with a retry key, within the last minutes. */
  readonly isKeyed?: boolean
}

export interface AheadLab extends Ahead {
  readonly data: string
  readonly people: People
  readonly ids: readonly string[]
}

/** Events of one append, and appends that the store is given at a time. */
const [TOGETHER, AT_ONCE] = [50, 100]

const keyOf = (n: number): string => {
  const hash = createHash('sha256').update(`${n}`).digest('base64url')
  return `${hash.slice(0, 22)}.${hash.slice(21)}`
}

function* runsOf({ suts, windows, isKeyed = false }: Ahead, people: People, ids: readonly string[]): Generator<Run> {
  const now = Math.floor(Date.now() / 1_000)
  const writer = makeWriter()
  for (const [n, id] of ids.entries()) yield* making(id, n, now - 3_600, people.administrator, writer)
  const first = Math.ceil(now / QUARTER)
  let made = 0
  for (const [n, sut_id] of ids.entries()) {
    const count = Math.floor((windows * (n + 1)) / suts) - Math.floor((windows * n) / suts)
    for (let begin = 0; begin < count; begin += TOGETHER) {
      const events: NewEvent[] = []
      for (let k = begin; k < Math.min(begin + TOGETHER, count); k++) {
        const [start_time, end_time] = [k, k + 1].map((quarter) => formatWithOffset((first + quarter) * QUARTER, 0))
        const user_id = people.testers[made % people.testers.length]
        const data = { _id: writer.id(now), user_id, sut_id, listen_port: 20_000 + n, start_time, end_time }
        const event = { type: 'ReservationCreated', data: data as DataOf<'ReservationCreated'> } as const
        const written = writer.written(event, (now - 600) * 1_000, people.administrator, 'administrator')
        const key = isKeyed ? { key: keyOf(made) } : {}
        events.push({ ...written, metadata: { ...written.metadata, ...key } })
        made++
      }
      yield { stream: sutStream(sut_id), expected: begin, events }
    }
  }
}

export const seedAhead = async (data: string, people: People, ahead: Ahead): Promise<AheadLab> => {
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
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
  await store.close()
  return { ...ahead, data, people, ids }
}
