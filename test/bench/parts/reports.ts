/**
 * A report of a month by day and machine, of a log with a million reservations: 30,000 of the month, each of which was
 * used. Its time is that to the last byte. Meanwhile another client asks whether the service lives, again and again: the
 * longest answer is at least as long as the longest turn of its thread.
 */

import { execFile } from 'node:child_process'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Event, NewEvent } from '../../../src/domain/event.ts'
import { makeEventId, makeId, sessionStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { metadata } from '../../domain/builders.ts'
import { append, done, randomHex } from '../../event-store/new-events.ts'
import { BOTH_CORES, withServers } from '../measure/processes.ts'
import type { TableRow } from '../measure/table.ts'
import { reservedIn } from '../scale/checks.ts'
import { eventsUntil, seed } from '../scale/seed.ts'
import { authorization, MAIN, type Reserved } from '../servers/berth.ts'
import { environmentOf } from '../servers/creating.ts'

const SUTS = 1_000
/** Quarter-hours: one reservation a day on each. */
const EVERY = 96
const DAY = 86_400_000
const MONTH = 30 * DAY
const MINUTE = 60_000

interface Options {
  readonly rounds: number
  /** Reservations in the log. */
  readonly events: number
  readonly directory: string
  readonly say: (line: string) => void
}

/** The events of a session in the first minutes of a reservation. */
const sessionOf = ({ _id, sut_id, user_id, start_time }: Reserved): readonly NewEvent[] => {
  const opened = Date.parse(start_time) + MINUTE
  const ids = { _id: makeId(opened, randomHex(8)), reservation_id: _id, sut_id, user_id }
  const session = { ...ids, instance: '0123456789abcdef', opened_at: formatMilliseconds(opened) }
  const end = { connections: 1, bytes_to_sut: 1_024, bytes_from_sut: 65_536, cause: 'client' } as const
  const closed = { ...session, closed_at: formatMilliseconds(opened + 9 * MINUTE), ...end }
  const events: readonly Event[] = [
    { type: 'SessionOpened', data: session },
    { type: 'SessionClosed', data: closed },
  ]
  return events.map((event) => {
    const id = makeEventId(opened, randomHex(10))
    const by = { actor: 'gateway', role: 'system', request_id: id } as const
    return { ...event, id, metadata: metadata(formatMilliseconds(Date.now()), by) }
  })
}

/** Records a session of every reservation that began within the month. */
const addSessions = async (data: string, from: number, to: number): Promise<number> => {
  const used = reservedIn(data).filter(({ start_time }) => {
    const start = Date.parse(start_time)
    return start >= from && start < to - 10 * MINUTE
  })
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
  await Promise.all(
    [...Map.groupBy(used, ({ sut_id }) => sut_id)].map(async ([sut, own]) =>
      done(await append(store, sessionStream(sut), -1, own.flatMap(sessionOf))),
    ),
  )
  await store.close()
  return used.length
}

const run = promisify(execFile)

/** Milliseconds to the last byte of an answer, and its length. */
const fetchAll = async (url: string): Promise<{ readonly milliseconds: number; readonly bytes: number }> => {
  const { stdout } = await run('curl', [
    ...['-sf', '-o', '/dev/null', '-H', `authorization: ${authorization}`, '-w', '%{time_total} %{size_download}', url],
  ])
  const [seconds = Number.NaN, bytes = 0] = stdout.split(' ').map(Number)
  return { milliseconds: seconds * 1_000, bytes }
}

const agent = new Agent({ keepAlive: true })

/** Milliseconds until the service has answered that it lives. */
const ping = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    get(`${url}/health/live`, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(performance.now() - begun))
    }).once('error', reject)
  })

/** The longest ping while something is under way. */
const longestPing = async (url: string, work: Promise<unknown>): Promise<number> => {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) longest = Math.max(longest, await ping(url))
  await ended
  return longest
}

/** Seconds of CPU that a service has used. */
const cpuOf = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text()
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}

/** Resolves once a service that has just started has nothing left to do. */
const untilIdle = async (url: string): Promise<void> => {
  for (let before = 0, now = await cpuOf(url); now - before > 0.1; now = await cpuOf(url)) {
    before = now
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

const WARM_UP = 5

export const reportRows = async ({ rounds, events, directory, say }: Options): Promise<readonly TableRow[]> => {
  const { data } = await seed(directory, { events: eventsUntil(events, SUTS), suts: SUTS, every: EVERY })
  const to = Date.now()
  say(`${await addSessions(data, to - MONTH, to)} sessions`)
  return withServers(async (start) => {
    const { url } = await start([MAIN, 'serve'], environmentOf(data), BOTH_CORES)
    while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 100))
    await untilIdle(url)
    const span = `from=${new Date(to - MONTH).toISOString()}&to=${new Date(to).toISOString()}`
    const report = `${url}/api/report/usage?${span}&by=sut&bucket=day&time_zone=Europe/Berlin`
    const [times, pings]: [number[], number[]] = [[], []]
    for (let n = 0; n < WARM_UP + rounds; n++) {
      const { milliseconds, bytes } = await fetchAll(report)
      const longest = await longestPing(url, fetchAll(report))
      if (n === 0) say(`${bytes} bytes`)
      if (n >= WARM_UP) times.push(milliseconds)
      if (n >= WARM_UP) pings.push(longest)
    }
    const log = `a month of a log with ${events.toLocaleString('en')} reservations`
    return [
      { what: `report of ${log}, by day and SUT`, unit: 'ms', digits: 0, figures: times, must: { most: 300 } },
      { what: 'the longest answer to another client meanwhile', unit: 'ms', figures: pings, must: { most: 20 } },
    ]
  })
}
