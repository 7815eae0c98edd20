import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import type { DataOf, Event, NewEvent } from '../../../src/domain/event.ts'
import { makeEventId, makeId, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { metadata } from '../../domain/builders.ts'
import { append, done, randomHex } from '../../event-store/new-events.ts'
import { start, tidyingLater } from '../../http/harness.ts'
import { aUser } from '../../users/builders.ts'
import { PASSWORD } from '../servers/berth.ts'

/** Size of a lab's history. */
export interface Scale {
  readonly events: number
  readonly suts: number
  /** Quarter-hours between the starts of consecutive reservations on a SUT. */
  readonly every: number
}

export interface Seeded extends Scale {
  readonly data: string
  readonly suts: number
  readonly ids: readonly string[]
  /** Number of reservations made. */
  readonly made: number
  /** Ids of some reservations. */
  readonly some: readonly string[]
}

export const ADMINISTRATOR = 'id-of-admin'
/** The first one makes half of all reservations. */
const TESTERS = Array.from({ length: 20 }, (_, n) => `id-of-tester-${n}`)
/** Reservations made in a sitting on one SUT, after which one of them is changed. */
const SITTING = 9
const FIRST_PORT = 20_000
/** Minutes east of UTC. */
const OFFSET = 120
/** SUTs of one import. */
const IMPORTED = 500
/** Concurrent appends, which the store commits together. */
const AT_ONCE = 200
/** `some` gets the first reservation of every 50th sitting. */
const SOME = 50

/** Number of events for this many listed reservations. One in three sittings cancels one. */
export const eventsUntil = (listed: number, suts: number): number =>
  2 * suts + Math.ceil(listed / (SITTING - 1 / 3)) * (SITTING + 1)

/** Quarter-hours until all reservations of a lab are over. */
export const quartersAhead = ({ every }: Scale): number => SITTING * every + 1

/** Seconds between two sittings. */
const between = ({ suts, every }: Scale): number => (SITTING * every * QUARTER) / suts

type Made = DataOf<'ReservationCreated'>

/** Releases, cancels or extends one of the reservations. */
const changeOf = (made: readonly Made[], kind: number, now: number): Event => {
  const { listen_port: _, start_time, end_time, ...reservation } = made[kind] as Made
  if (kind === 0) {
    return { type: 'ReservationReleased', data: { ...reservation, end_time: formatWithOffset(now + 1, OFFSET) } }
  }
  if (kind === 1) return { type: 'ReservationCancelled', data: reservation }
  const later = Date.parse(end_time) / 1_000 + QUARTER
  return { type: 'ReservationExtended', data: { ...reservation, end_time: formatWithOffset(later, OFFSET) } }
}

/** The events of the `nth` sitting, at a time in Unix seconds. Its first reservation starts at once. */
const sitting = (
  sut: Pick<Made, 'sut_id' | 'listen_port'>,
  nth: number,
  now: number,
  every: number,
): readonly NewEvent[] => {
  const first = Math.floor(now / QUARTER)
  const made = Array.from({ length: SITTING }, (_, k): Made => {
    const user_id = TESTERS[k % 2 === 0 ? 0 : 1 + ((nth * SITTING + k) % (TESTERS.length - 1))] as string
    const start = first + k * every
    const end = start + 1 + ((nth + k) % Math.min(8, every - 1))
    const ends = {
      start_time: formatWithOffset(start * QUARTER, OFFSET),
      end_time: formatWithOffset(end * QUARTER, OFFSET),
    }
    return { _id: makeId(now * 1_000, randomHex(8)), user_id, ...sut, ...ends }
  })
  const events = [...made.map((data): Event => ({ type: 'ReservationCreated', data })), changeOf(made, nth % 3, now)]
  return events.map((event, k) => {
    const [time, actor] = [now * 1_000 + k, (event.data as Made).user_id]
    const id = makeEventId(time, randomHex(10))
    return { ...event, id, metadata: metadata(formatMilliseconds(time), { actor, role: 'tester', request_id: id }) }
  })
}

/** Imports the users and the SUTs of a lab with a service that believes it is long ago. */
const importLab = async (data: string, suts: number, seconds: number): Promise<readonly string[]> => {
  const { tidy, ...later } = tidyingLater()
  const service = await start(later, {
    ...{ data, now: new Date(seconds * 1_000).toISOString() },
    environment: { BERTH_LISTEN_PORTS: `${FIRST_PORT}-${FIRST_PORT + suts}` },
    firstUsers: await Promise.all([
      aUser('admin', PASSWORD, { role: 'administrator', _id: ADMINISTRATOR }),
      ...TESTERS.map((_id, n) => aUser(`tester-${n}`, PASSWORD, { _id })),
    ]),
  })
  const headers = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` }
  const ids: string[] = []
  while (ids.length < suts) {
    const rows = Array.from({ length: Math.min(IMPORTED, suts - ids.length) }, (_, n) => ({
      ...{ name: `machine ${ids.length + n}`, address: '192.0.2.1', port: 5900, sut_type: 'vnc' },
    }))
    const { json } = await service.anyone.post('/api/sut/import', { suts: rows }, headers)
    ids.push(...(json.suts as readonly { readonly _id: string }[]).map(({ _id }) => _id))
  }
  await tidy()
  return ids
}

/** Gives an empty data directory the history of a lab: SUTs, then sittings on each in turn, evenly spaced until now. */
export const seed = async (data: string, scale: Scale): Promise<Seeded> => {
  const { events, suts, every } = scale
  const sittings = Math.ceil((events - 2 * suts) / (SITTING + 1))
  const begins = Math.floor(Date.now() / 1_000 - sittings * between(scale))
  const ids = await importLab(data, suts, begins - 1)
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
  const some: string[] = []
  let appends: ReturnType<typeof append>[] = []
  for (let nth = 0; nth < sittings; nth++) {
    const n = nth % suts
    const sut = { sut_id: ids[n] as string, listen_port: FIRST_PORT + n }
    const taken = sitting(sut, nth, begins + Math.floor(nth * between(scale)), every)
    const [first] = taken
    if (nth % SOME === 0 && first?.type === 'ReservationCreated') some.push(first.data._id)
    appends.push(append(store, sutStream(sut.sut_id), Math.floor(nth / suts) * (SITTING + 1), taken))
    if (appends.length < AT_ONCE && nth < sittings - 1) continue
    for (const outcome of await Promise.all(appends)) done(outcome)
    appends = []
  }
  await store.close()
  // They are made from the whole log at the next start.
  for (const name of readdirSync(data)) if (name.startsWith('views.db')) rmSync(join(data, name))
  return { ...scale, data, ids, made: sittings * SITTING, some }
}
