import { join } from 'node:path'
import { until } from '../../http/until.ts'
import { run, type Service } from '../harness.ts'
import { readRows } from '../log-rows.ts'
import type { ScheduleBook } from './schedule-book.ts'
import { reach } from './session-load.ts'

/** What must hold of a service that was killed under load, after its start and at the end. */

/** Reservations that begin or end within this many milliseconds may be open or not. */
const ENDS_SOON = 2_000

export interface Session {
  readonly _id: string
  readonly cause: string | null
  readonly opened_at: string
  readonly closed_at: string | null
  readonly connections: number | null
}

/** Sessions in the list, which has at most 1,000 on a page. */
export const sessionsOf = async (service: Service, query = ''): Promise<readonly Session[]> => {
  const sessions: Session[] = []
  for (;;) {
    const before = sessions.length === 0 ? '' : `&before=${sessions.at(-1)?._id}`
    const { json } = await service.get(`/api/session?limit=1000${query}${before}`)
    const page = json.sessions as unknown as readonly Session[]
    sessions.push(...page)
    if (page.length < 1_000) return sessions
  }
}

interface Started {
  readonly service: Service
  /** Unix milliseconds. */
  readonly startedAt: number
}

interface Looking {
  readonly ports: readonly number[]
  readonly book: ScheduleBook
  /** Reads on in the log. */
  readonly readOn: () => void
  readonly now: () => number
  /** Milliseconds that it waits for records. */
  readonly within: number
}

/** Tries every port once. What begins or ends meanwhile may be open or not. */
const problemsOfPorts = async ({ startedAt }: Started, { ports, book, now }: Looking) => {
  const sockets = await Promise.all(ports.map(reach))
  const until = now() + ENDS_SOON
  const [running, used] = [new Set(book.running(startedAt, until)), new Set(book.used(startedAt, until))]
  const problems = ports.flatMap((port, n) => {
    const isOpen = sockets[n] !== undefined
    sockets[n]?.destroy()
    if (running.has(port) && !isOpen) return [`port ${port} is not open when the service is ready`]
    return !used.has(port) && isOpen ? [`port ${port} is open, and nothing runs there`] : []
  })
  return { reached: running.size, problems }
}

/** What is not as it must be once the service is ready. Its clients are gone, but for those that try the ports here. */
export const problemsOfStart = async (
  started: Started,
  looking: Looking,
): Promise<{ reached: number; problems: readonly string[] }> => {
  const { service, startedAt } = started
  const { book, readOn, now, within } = looking
  readOn()
  const { reached, problems: ofPorts } = await problemsOfPorts(started, looking)
  const problems = [...ofPorts]
  const due = now()
  const attempt = (what: string, holds: () => Promise<boolean>, found: () => Promise<readonly string[]>) =>
    until(what, holds, within).catch(async () => problems.push(...(await found())))
  const missing = async (): Promise<readonly string[]> => {
    readOn()
    return book.missing(due)
  }
  await attempt('all is recorded', async () => (await missing()).length === 0, missing)
  const left = async (): Promise<readonly string[]> =>
    (await sessionsOf(service, '&open=true'))
      .filter(({ opened_at }) => Date.parse(opened_at) < startedAt)
      .map(({ _id }) => `the session ${_id} is still open after a start`)
  await attempt('all former sessions are closed', async () => (await left()).length === 0, left)
  return { reached, problems: [...problems, ...book.faults()] }
}

/** Stops the service, and looks whether its sessions and its log are sound. */
export const problemsAtEnd = async (
  { service, data }: { readonly service: Service; readonly data: string },
  tried: number,
): Promise<readonly string[]> => {
  const problems: string[] = []
  const { code } = await service.stop()
  if (code !== 0) problems.push(`stopped with ${code}: ${service.errors()}`)
  const sessions = new Map<string, { opened: number; closed: number }>()
  let connections = 0
  for (const { type, data: event } of readRows(join(data, 'events.db'))) {
    if (type !== 'SessionOpened' && type !== 'SessionClosed') continue
    const seen = sessions.get(event._id) ?? { opened: 0, closed: 0 }
    sessions.set(event._id, seen)
    if (type === 'SessionOpened') seen.opened++
    else {
      seen.closed++
      connections += event.connections
      if (event.closed_at < event.opened_at) problems.push(`${event._id} is closed before it was opened`)
    }
  }
  for (const [id, { opened, closed }] of sessions)
    if (opened !== 1 || closed !== 1) problems.push(`${id} is opened ${opened} and closed ${closed} times`)
  if (connections > tried) problems.push(`${connections} connections are recorded, of ${tried}`)
  for (const command of ['verify', 'replay']) {
    const done = await run({ data, args: [command] })
    if (done.code !== 0) problems.push(`${command}: ${done.output} ${done.errors}`)
  }
  return problems
}
