/** The process of sessions over a real log and views, with a simulated clock and gateway. */

import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeRunner } from '../../../src/commands/loop.ts'
import type { DataOf, Recorded } from '../../../src/domain/event.ts'
import type { ClosedSession } from '../../../src/domain/session/decide.ts'
import { makeId, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { ConnectionEnd, ConnectionEvent } from '../../../src/gateway/messages.ts'
import { makeSessions, type SessionsOptions } from '../../../src/processes/sessions/sessions.ts'
import { NO_SNAPSHOTS } from '../../commands/script.ts'
import { alice, metadata, sutCreated } from '../../domain/builders.ts'
import { append, randomHex, readLog } from '../../event-store/new-events.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { until } from '../../http/until.ts'
import { viewsOn } from '../../read-models/setting.ts'

export const BEGINS = Date.parse('2030-05-02T06:00:00.000Z')
export const MINUTE = 60_000
export const [HERE, THERE] = ['0123456789abcdef', 'fedcba9876543210'] as const

/** How an append ends while the store is away: nothing was written, or nobody knows. */
export type Trouble = 'unavailable' | 'unknown'

const inTrouble = (store: EventStore, trouble: (stream: string) => Trouble | undefined): EventStore => ({
  ...store,
  append: async (...given) => {
    const now = trouble(given[0])
    if (now === undefined) return store.append(...given)
    if (now === 'unavailable') return E.left(now)
    // It was written, but the answer is lost.
    await store.append(...given)
    return E.left(now)
  },
})

export const stage = async (t: ExecutionContext) => {
  const directory = await aDirectory(t)
  const store = openStore(t, join(directory, 'events.db'))
  const views = await viewsOn(t, store, join(directory, 'views.db'))
  let now = BEGINS
  let trouble = (_stream: string): Trouble | undefined => undefined
  const clock = { now: () => now, mayAct: () => true, mayRecord: () => true, confirm: () => undefined }

  /** Reservations of the next hour, each of a SUT of its own. */
  const reserve = async (): Promise<string> => {
    const sut_id = makeId(now, randomHex(8))
    const _id = makeId(now, randomHex(8))
    const created = { ...sutCreated(), data: { ...sutCreated().data, _id: sut_id } }
    const window = { start_time: formatWithOffset(now / 1000, 0), end_time: formatWithOffset(now / 1000 + 3_600, 0) }
    const made = {
      type: 'ReservationCreated',
      data: { _id, sut_id, user_id: alice, ...window, listen_port: 1 },
    } as const
    const events = [created, made].map((event) => {
      const id = `018f36f0-0000-7000-8000-${randomHex(6)}`
      return { ...event, id, metadata: metadata(formatMilliseconds(now)) }
    })
    await append(store, sutStream(sut_id), -1, events)
    await views.waitForStorePosition(await store.head(), 10_000)
    return _id
  }

  /** Starts the process of an instance with what its last run kept. */
  const run = (instance: string, left: readonly ClosedSession[] = [], more: Partial<SessionsOptions> = {}) => {
    let isDead = false
    const file = { kept: left }
    const dropped: string[] = []
    const runner = makeRunner({
      store: inTrouble(store, (stream) => (isDead ? 'unavailable' : trouble(stream))),
      clock: () => now,
      randomHex,
      snapshots: NO_SNAPSHOTS,
      log: views,
      attemptsMax: 1,
    } as Parameters<typeof makeRunner>[0])
    const sessions = makeSessions({
      ...{ views, runner, clock, instance, leftover: left, isShared: true },
      sinceBoot: () => now,
      isForwarded: () => true,
      isServing: () => true,
      makeSessionId: (at) => makeId(at, randomHex(8)),
      makeRequestId: () => randomHex(8),
      onDropped: ({ session }) => dropped.push(session.reservation_id),
      onCaughtUp: () => dropped.push('caught up'),
      onError: () => undefined,
      save: async (some) => {
        file.kept = [...some]
      },
      ...more,
    })
    const tick = async (): Promise<void> => {
      if (isDead) return
      await Promise.all(sessions.parts.map((part) => Promise.try(part.tick).catch(() => undefined)))
    }
    void tick()
    return {
      file,
      dropped,
      useOf: sessions.useOf,
      connected: (connection: number, reservationId: string) =>
        sessions.connected({ connection, reservationId } satisfies ConnectionEvent),
      counted: (connection: number, reservationId: string, bytesToSut: number, bytesFromSut = 0) =>
        sessions.counted({ connection, reservationId, bytesToSut, bytesFromSut }),
      disconnected: (connection: number, reservationId: string, end: Partial<ConnectionEnd> = {}) =>
        sessions.disconnected({
          ...{ connection, reservationId, cause: 'client', bytesToSut: 1, bytesFromSut: 2, ...end },
        }),
      /** Lets it look at the clock once. */
      tick,
      /** Ends it as a stop of the service does. */
      finish: sessions.finish,
      /** Ends it as a crash does. */
      crash: async (): Promise<void> => {
        isDead = true
        // What was sent to the store before may still arrive. A start waits until its views show that.
        for (let n = 0; n < 5; n++) await new Promise(setImmediate)
        await views.waitForStorePosition(await store.head(), 10_000)
      },
    }
  }
  type Run = ReturnType<typeof run>

  const events = async (): Promise<readonly Recorded[]> =>
    (await readLog(store, -1)).filter(({ type }) => type.startsWith('Session'))

  const closed = async (): Promise<readonly DataOf<'SessionClosed'>[]> =>
    (await events()).flatMap((event) => (event.type === 'SessionClosed' ? [event.data] : []))

  /** Lets a process look at the clock until so many sessions are opened and closed. */
  const becomes = async (process: Run, opened: number, closedCount: number): Promise<void> => {
    let counts = ''
    await until(
      `${opened} opened and ${closedCount} closed`,
      async () => {
        await process.tick()
        const types = (await events()).map(({ type }) => type)
        counts = `${types.filter((type) => type === 'SessionOpened').length} ${types.filter((type) => type === 'SessionClosed').length}`
        return counts === `${opened} ${closedCount}`
      },
      10_000,
    )
    await views.waitForStorePosition(await store.head(), 10_000)
  }

  return {
    store,
    views,
    reserve,
    run,
    events,
    closed,
    becomes,
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    /** How appends end from now on, to some streams or to all. */
    setTrouble: (next: Trouble | undefined, isOf = (_stream: string): boolean => true) => {
      trouble = (stream) => (isOf(stream) ? next : undefined)
    },
  }
}
