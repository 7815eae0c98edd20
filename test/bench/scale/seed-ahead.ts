import { QUARTER } from '../../../src/domain/calendar/window.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { append, done } from '../../event-store/new-events.ts'
import { beginning, makeWriter, making, type People, type Run } from './lab-history.ts'
import { endLog, openNewLog } from './seed.ts'

/** A lab booked far ahead: consecutive quarter-hours, evenly distributed over the SUTs. */
interface Ahead {
  readonly suts: number
  readonly windows: number
}

function* runsOf({ suts, windows }: Ahead, people: People): Generator<Run> {
  const now = Math.floor(Date.now() / 1_000)
  const writer = makeWriter()
  yield beginning(now - 3_600, writer)
  const first = Math.ceil(now / QUARTER)
  const ofEach = Math.floor(windows / suts)
  for (let n = 0; n < suts; n++) {
    const sut_id = `68000000${n.toString(16).padStart(16, '0')}`
    yield* making(sut_id, n, now - 3_600, people.administrator, writer)
    const events = Array.from({ length: ofEach }, (_, k) => {
      const [start_time, end_time] = [first + k, first + k + 1].map((at) => formatWithOffset(at * QUARTER, 0))
      const user_id = people.testers[(n + k) % people.testers.length] as string
      const times = { start_time: start_time as string, end_time: end_time as string }
      const data = { _id: writer.id(now), user_id, sut_id, listen_port: 20_000 + n, ...times }
      const created = { type: 'ReservationCreated', data } as const
      return writer.written(created, (now - 600) * 1_000, people.administrator, 'administrator')
    })
    yield { stream: sutStream(sut_id), expected: 0, events }
  }
}

export const seedAhead = async (data: string, people: People, ahead: Ahead): Promise<void> => {
  const store = openNewLog(data)
  for (const { stream, expected, events } of runsOf(ahead, people)) done(await append(store, stream, expected, events))
  await endLog(store, data, people)
}
