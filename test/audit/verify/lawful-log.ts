/** Random logs that are sound. Those of whole services are verified where the model of the service is played. */

import { BERTH } from '../../../src/commands/listen-ports.ts'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import type { DataOf, Event, NewEvent } from '../../../src/domain/event.ts'
import { LOG_VERSION } from '../../../src/domain/events/log.ts'
import { LISTEN_PORTS_STREAM, makeEventId, makeId, sutStream, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, alice, bob, metadata, sutValues, userAdded, userCredentials } from '../../domain/builders.ts'
import { append, done, readAll } from '../../event-store/new-events.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'

/** Unix milliseconds. */
export const BEGINS = Date.parse('2030-05-02T06:00:00.000Z')
/** Minutes east of UTC. */
const OFFSET = 120
const BY_ADMINISTRATOR = { actor: administrator._id, role: administrator.role }
const BY_BERTH = { actor: BERTH._id, role: BERTH.role }

type Made = DataOf<'ReservationCreated'>

interface Sut {
  readonly _id: string
  readonly listen_port: number
  revision: number
  /** The first quarter-hour that is free, in Unix seconds. */
  free: number
  /** The last reservation, unless it was changed. */
  last: Made | undefined
}

/** Makes events, each at its time in Unix seconds. */
const makeWriter = (seed: number) => {
  const number = makeNumbers(seed)
  const hex = (length: number): string => Array.from({ length }, () => number(16).toString(16)).join('')
  return {
    number,
    id: (now: number): string => makeId(now * 1_000, hex(16)),
    written: (event: Event, now: number, by: Partial<NewEvent['metadata']>): NewEvent => {
      const id = makeEventId(now * 1_000, hex(20))
      return {
        ...event,
        id,
        metadata: metadata(formatMilliseconds(now * 1_000), { request_id: id, ...by }),
      } as NewEvent
    },
  }
}

/** What a tester does with the last reservation: nothing, once it is over. */
const changeOf = ({ listen_port: _, start_time, end_time, ...reservation }: Made, now: number, isLonger: boolean) => {
  const [start, end] = [start_time, end_time].map((time) => Date.parse(time) / 1_000) as [number, number]
  if (end <= now) return undefined
  const until = (time: number) => ({ ...reservation, end_time: formatWithOffset(time, OFFSET) })
  if (isLonger) return { type: 'ReservationExtended', data: until(end + QUARTER) } as const
  if (start >= now) return { type: 'ReservationCancelled', data: reservation } as const
  return { type: 'ReservationReleased', data: until(now) } as const
}

/** Adds events to a log, in so many steps. */
export const writeStory = async (store: EventStore, seed: number, steps: number, begins = BEGINS): Promise<void> => {
  const { number, id, written } = makeWriter(seed)
  const suts: Sut[] = []
  let now = begins / 1_000
  let ports = (await readAll(store, LISTEN_PORTS_STREAM)).length
  const add = async (stream: string, expected: number, ...events: readonly NewEvent[]) =>
    done(await append(store, stream, expected, events))

  const create = async (): Promise<void> => {
    const [_id, listen_port] = [id(now), 4_000 + ports]
    const assigned: Event = { type: 'ListenPortAssigned', data: { listen_port, sut_id: _id } }
    const created: Event = { type: 'SutCreated', data: { _id, ...sutValues({ name: `bench ${ports}` }), listen_port } }
    await add(LISTEN_PORTS_STREAM, ports++ - 1, written(assigned, now, BY_ADMINISTRATOR))
    await add(sutStream(_id), -1, written(created, now, BY_ADMINISTRATOR))
    suts.push({ _id, listen_port, revision: 0, free: 0, last: undefined })
  }
  const record = async (sut: Sut, event: Event, by: Partial<NewEvent['metadata']>): Promise<void> => {
    await add(sutStream(sut._id), sut.revision++, written(event, now, by))
  }
  const reserve = async (sut: Sut): Promise<void> => {
    const start = Math.max(sut.free, Math.ceil(now / QUARTER) * QUARTER)
    const end = start + QUARTER * (1 + number(3))
    const user_id = number(2) === 0 ? alice : bob
    const times = { start_time: formatWithOffset(start, OFFSET), end_time: formatWithOffset(end, OFFSET) }
    const data: Made = { _id: id(now), sut_id: sut._id, user_id, listen_port: sut.listen_port, ...times }
    await record(sut, { type: 'ReservationCreated', data }, { actor: user_id })
    Object.assign(sut, { last: data, free: end + QUARTER })
  }

  if (ports === 0) {
    const set: Event = { type: 'LogVersionSet', data: { version: LOG_VERSION } }
    await add(LISTEN_PORTS_STREAM, ports++ - 1, written(set, now, BY_BERTH))
    const users = [administrator._id, alice, bob].map((_id, n) =>
      userAdded({ _id, role: n === 0 ? 'administrator' : 'tester', credentials: userCredentials(n + 1) }),
    )
    const first = users.map((user) => written(user, now, { ...BY_BERTH, request_id: 'first users' }))
    await add(USERS_STREAM, -1, ...first)
  }
  await create()
  for (let step = 1; step < steps; step++) {
    now += number(600)
    const sut = suts[number(suts.length)] as Sut
    const change = sut.last && changeOf(sut.last, now, number(3) === 0)
    if (number(20) === 0) await create()
    else if (number(8) === 0)
      await record(sut, { type: 'SutUpdated', data: { _id: sut._id, description: `step ${step}` } }, BY_ADMINISTRATOR)
    else if (change === undefined || number(2) === 0) await reserve(sut)
    else {
      await record(sut, change, { actor: change.data.user_id })
      sut.last = undefined
    }
  }
}
