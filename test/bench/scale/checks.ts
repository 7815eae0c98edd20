import { deepStrictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Server } from '../measure/processes.ts'
import { ask, type Reserved } from '../servers/berth.ts'
import type { Answered } from '../servers/creating.ts'

export const LIST = '/api/sut_reservation?limit=100'

interface Count {
  readonly reservations: number
  /** Distinct pairs of SUT and start. */
  readonly windows: number
}

const inLog = <A>(data: string, sql: string, ...values: string[]): readonly A[] => {
  const log = new DatabaseSync(join(data, 'events.db'), { readOnly: true })
  const rows = log.prepare(sql).all(...values) as unknown as readonly A[]
  log.close()
  return rows
}

const COUNT = `
  SELECT count(*) AS reservations, count(DISTINCT (recorded->>'$.data.sut_id') || (recorded->>'$.data.start_time')) AS windows
  FROM event WHERE recorded->>'$.type' = 'ReservationCreated'`

const RESERVED = `
  SELECT recorded->>'$.data' AS data FROM event WHERE recorded->>'$.type' = 'ReservationCreated'`

/** Checks that the log has all acknowledged reservations, and at most those cut off at the end of samples besides. */
const checkCount = ({ reservations, windows }: Count, { accepted, cutOff }: Answered): string => {
  if (reservations !== windows) throw new Error(`${reservations} reservations hold ${windows} windows`)
  if (reservations < accepted || reservations > accepted + cutOff) {
    throw new Error(`${accepted} were answered, ${reservations} are recorded`)
  }
  return `${reservations} reservations are recorded, ${accepted} were answered before a sample ended, no window is there twice`
}

/** Returns its result as a sentence, like the other checks, or throws. */
export const checkLog = (data: string, answered: Answered): string => {
  const [count] = inLog<Count>(data, COUNT)
  return checkCount(count as Count, answered)
}

export const checkPeer = async ({ url }: Server, answered: Answered): Promise<string> =>
  checkCount((await (await fetch(`${url}/count`)).json()) as Count, answered)

export const reservedIn = (data: string): readonly Reserved[] =>
  inLog<{ data: string }>(data, RESERVED).map((row) => JSON.parse(row.data) as Reserved)

export const checkEcho = async (echo: Server): Promise<void> => {
  const body = { user_id: 'a', sut_id: 'b', start_time: 'c', end_time: 'd' }
  deepStrictEqual(await ask(echo.url, '/api/sut_reservation/create', body), body)
}

const read = async ({ url }: Server, id: string): Promise<Reserved> =>
  (await ask(url, `/api/sut_reservation/${id}`)) as Reserved

/** Compares reads by id with the log and with a list. */
export const checkReads = async (server: Server, data: string): Promise<string> => {
  const recorded = reservedIn(data)
  const some = recorded.filter((_, i) => i % Math.ceil(recorded.length / 100) === 0)
  for (const { _id, user_id, sut_id, start_time, end_time } of some) {
    const seen = await read(server, _id)
    deepStrictEqual({ ...seen, _id, user_id, sut_id, start_time, end_time }, seen)
  }
  const list: unknown = await ask(server.url, LIST)
  const { sut_reservations: listed } = list as { sut_reservations: readonly Reserved[] }
  if (listed.length !== 100) throw new Error(`a list has ${listed.length} entries`)
  for (const entry of listed) deepStrictEqual(await read(server, entry._id), entry)
  return `${some.length + listed.length} reservations read as they were recorded and listed`
}
