/** Instances that grant what waits, over one store and without HTTP. Their clock, and when they look at it, are the test's. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { SutInternal } from '../../../projections/sut.ts'
import type { AskedRequest } from '../../../src/commands/requests/make-request.ts'
import type { Decider, StreamState } from '../../../src/domain/decider.ts'
import type { DataOf, Event } from '../../../src/domain/event.ts'
import type { Role } from '../../../src/domain/events/user.ts'
import { monitoringDecider } from '../../../src/domain/monitoring/decide.ts'
import type { Cause } from '../../../src/domain/monitoring/status.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { type SutCommand, sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutValues } from '../../../src/domain/sut/state.ts'
import { monitoringStream, sutStream, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { administrator, LIMITS, sutValues } from '../../domain/builders.ts'
import { append, beginLog, outcomeOf, randomHex, readLog } from '../../event-store/new-events.ts'
import type { Tidying } from '../../http/harness.ts'
import type { Random } from '../../process/random.ts'
import { type Instance, startInstance } from './instance.ts'
import type { Appended, LoggedEvent } from './lab-model.ts'
import { type LaggingViews, openLaggingViews } from './lagging.ts'

export const BEGIN = Date.parse('2030-05-02T06:00:00.000Z')

export interface LabOptions {
  readonly random: Random
  /** Changes what an instance decides by, for a control. */
  readonly change?: (store: EventStore) => EventStore
}

/** Rounds of looks within which everything has been granted that can be. */
const ROUNDS_MAX = 50
/** An offer that another instance has left is ended after two seconds. */
export const OTHERS_MS = 2_000

const openLabStore = async (t: Tidying) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-'))
  const fail = (error: unknown): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(directory, 'events.db'), randomHex, onFatal: fail })
  const sides = await Promise.all(
    ['one', 'other'].map((name) => openLaggingViews(join(directory, `${name}.db`), store, fail)),
  )
  t.teardown(async () => {
    for (const { views } of sides) await views.close()
    await store.close()
    await rm(directory, { recursive: true })
  })
  return { store, sides }
}

export type QueueLab = Awaited<ReturnType<typeof openQueueLab>>

export const openQueueLab = async (t: Tidying, { random, change = (store) => store }: LabOptions) => {
  const { store, sides } = await openLabStore(t)
  await beginLog(store)
  let now = BEGIN
  const clock = (): number => now
  let userRevision = -1
  const appended = new Map<string, Appended>()
  /** Notes what an instance knew that appends: it decides in the same turn of the event loop. */
  const noting = ({ views }: LaggingViews, reachableFor: () => number): EventStore => ({
    ...store,
    append: (stream, revision, events, ...more) => {
      const what = { at: now, known: views.position() + 1, reachableFor: reachableFor() }
      for (const { id } of events) appended.set(id, what)
      return store.append(stream, revision, events, ...more)
    },
  })
  const start = (side: LaggingViews): Instance => {
    const started = now
    return startInstance({ ...side, store: change(noting(side, () => now - started)), clock })
  }
  const instances = sides.map(start)
  t.teardown(async () => {
    for (const { release } of sides) release()
    for (const instance of instances) await instance.end()
  })

  const reach = async (): Promise<void> => {
    const head = await store.head()
    for (const { views } of sides) await views.waitForStorePosition(head, 10_000)
  }

  /** Lets dead processes start again. False if there are none. */
  const revive = async (): Promise<boolean> => {
    const dead = [...instances.entries()].filter(([, instance]) => instance.isDead())
    for (const [n, instance] of dead) {
      await instance.end()
      instances[n] = start(sides[n] as LaggingViews)
    }
    return dead.length > 0
  }

  const lookAround = async (): Promise<void> => {
    for (let [round, isQuiet] = [0, false]; !isQuiet; round++) {
      if (round === ROUNDS_MAX) throw new Error('it never becomes quiet')
      await reach()
      const before = await store.head()
      for (const each of instances) await each.look()
      for (const each of instances) await each.look()
      isQuiet = (await store.head()) === before
    }
  }

  const record = async (event: Event): Promise<void> => {
    const metadata = { actor: administrator._id, role: administrator.role, request_id: random.hex(16), schema: 1 }
    const time = new Date(now).toISOString()
    const id = `${random.hex(8)}-${random.hex(4)}-7${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}`
    const outcome = await append(store, USERS_STREAM, userRevision, [
      { ...event, id, metadata: { ...metadata, time } } as never,
    ])
    if (outcomeOf(outcome) !== 'done') throw new Error(outcomeOf(outcome))
    userRevision++
  }

  const envelope = { actor: administrator, requestId: 'r'.repeat(16) } as const
  const at = (n: number): Instance => instances[n % instances.length] as Instance
  const side = (n: number): LaggingViews => sides[n % sides.length] as LaggingViews

  /** Runs a command at an instance: what became of it, or the code of its refusal. */
  const run = async <S extends StreamState, C>(n: number, decider: Decider<S, C>, stream: string, command: C) => {
    const ended = await at(n).runner.run(decider, stream, { ...envelope, command })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }
  const changeSut = (n: number, sut: string, command: SutCommand) => run(n, sutDecider, sutStream(sut), command)

  const changeRequest = async (what: 'withdraw' | 'keep', n: number, id: string): Promise<string> => {
    const sender = { ...envelope, idempotencyKey: undefined }
    // The user does not matter to an administrator.
    const ended = await at(n).requests.changeRequest[what](sender, { _id: id, user_id: administrator._id })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }

  return {
    now: clock,
    log: async (): Promise<readonly LoggedEvent[]> =>
      (await readLog(store, BEGINNING)).map((event) => ({ ...event, appended: appended.get(event.id) })),
    /** Milliseconds for which every instance has been running. */
    reachableFor: (): number => Math.min(...instances.map((each) => each.reachableFor())),
    pass: (milliseconds: number): void => {
      now += milliseconds
    },
    /** Lets everybody know what has been recorded, and do what follows from that. */
    rest: async (): Promise<void> => {
      await reach()
      for (const each of instances) await each.rest()
    },
    /** Lets everything be done that is due, also by the instance that has not seen it first. */
    settle: async (): Promise<void> => {
      await revive()
      do await lookAround()
      while (await revive())
      // What lags offers what is not free, and dies; that is closed first, and then somebody else looks.
      for (let rounds = sides.some(({ isHeld }) => isHeld()) ? 3 : 1; rounds > 0; rounds--) {
        now += OTHERS_MS
        do await lookAround()
        while (await revive())
      }
    },
    /** Lets the views of one instance lag behind, or of none. */
    lag: async (n: number | undefined): Promise<void> => {
      for (const { release } of sides) release()
      await reach()
      if (n !== undefined) side(n).hold()
    },
    dieAt: (n: number, appends: number, isAfter: boolean): void => at(n).dieAt(appends, isAfter),
    addSut: async (values: Partial<SutValues>, tags: Readonly<Record<string, string>>): Promise<string> => {
      const _id = random.hex(24)
      const listen_port = 20_000 + random.below(9_000)
      const made = await changeSut(0, _id, { type: 'CreateSut', _id, listen_port, values: sutValues(values), tags })
      if (made !== 'recorded') throw new Error(made)
      return _id
    },
    update: (n: number, sut: string, values: Partial<SutValues>) => changeSut(n, sut, { type: 'UpdateSut', values }),
    tag: (n: number, sut: string, tags: Readonly<Record<string, string | null>>) =>
      changeSut(n, sut, { type: 'TagSut', tags }),
    addUser: async (_id: string, role: Role): Promise<void> => {
      const credentials = { id: random.hex(24), changed: ['name'] as const }
      await record({ type: 'UserAdded', data: { _id, role, credentials } })
    },
    changeUser: (changed: DataOf<'UserChanged'>): Promise<void> => record({ type: 'UserChanged', data: changed }),
    removeUser: (_id: string): Promise<void> => record({ type: 'UserRemoved', data: { _id, reservations: 'keep' } }),
    restoreUser: (_id: string): Promise<void> => record({ type: 'UserRestored', data: { _id } }),
    /** What an instance makes of a probe of a SUT. */
    probe: async (n: number, _id: string, cause: Cause | undefined): Promise<void> => {
      const version = side(n).views.newest('sut', _id)
      if (version === undefined) return
      const { status } = JSON.parse(version.internal) as SutInternal
      if (status === 'disabled') return
      const shown = { status, changes: version.observed }
      const command = { type: 'RecordProbe', _id, cause, instance: '1'.repeat(16), failingSince: 0, shown } as const
      await run(n, monitoringDecider, monitoringStream(_id), command)
    },
    monitor: (n: number, sut: string, isOn: boolean) =>
      changeSut(n, sut, { type: 'SetMonitoring', interval: isOn ? 60 : null }),
    /** The id of a request, or the code of its refusal. */
    ask: async (
      n: number,
      asked: Pick<AskedRequest, 'user_id' | 'target' | 'duration' | 'wait' | 'priority'> &
        Partial<Pick<AskedRequest, 'keepalive'>>,
      by = asked.user_id,
    ): Promise<string> => {
      const { users } = side(n)
      const [user, asker] = [users.get(asked.user_id), users.get(by)]
      const actor = asker ?? administrator
      const scopes = [user?.scope, asker?.scope].filter((scope) => scope !== undefined)
      const sender = { actor, requestId: random.hex(16), idempotencyKey: undefined }
      const more = { actor, holderRole: user?.role, scopes, refusedSut: undefined }
      const made = await at(n).requests.makeRequest(sender, { keepalive: undefined, ...asked, ...more })
      return E.isLeft(made) ? made.left.code : made.right.id
    },
    withdraw: (n: number, id: string): Promise<string> => changeRequest('withdraw', n, id),
    /** Says that somebody still wants it. */
    keep: (n: number, id: string): Promise<string> => changeRequest('keep', n, id),
    /** Reads it, as the user for whom it is or as somebody else. */
    read: async (n: number, id: string, by: string): Promise<void> => {
      const actor = side(n).users.get(by) ?? administrator
      await at(n).requests.changeRequest.attend(id, { actor, requestId: random.hex(16), idempotencyKey: undefined })
    },
    retire: (n: number, sut: string) => changeSut(n, sut, { type: 'RetireSut' }),
    /** Takes a SUT by its id, past the queue. */
    reserve: (n: number, sut_id: string, user_id: string, startIn: number, duration: number): Promise<string> => {
      const window = { form: 'relative', startIn, duration } as const
      const about = { actor: administrator, sut_id, user_id, userExists: true, window, limits: LIMITS }
      const command = { type: 'CreateReservation', ...about, random: random.hex(16) } as const
      return run(n, reservationDecider, sutStream(sut_id), command)
    },
    cancel: (n: number, sut: string, _id: string, user_id: string): Promise<string> => {
      const about = { actor: administrator, _id, user_id } as const
      return run(n, reservationDecider, sutStream(sut), { type: 'CancelReservation', ...about })
    },
  }
}
