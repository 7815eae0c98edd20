import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { projections } from '../../../projections/index.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { hasOffer } from '../../../src/commands/requests/finish-offer.ts'
import type { AskedRequest } from '../../../src/commands/requests/make-request.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { requestDecider } from '../../../src/domain/request/decide.ts'
import { findWaiting } from '../../../src/domain/request/waiting.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutValues } from '../../../src/domain/sut/state.ts'
import { REQUESTS_STREAM, sutStream, USERS_STREAM } from '../../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { openViews, type Views } from '../../../src/read-models/views.ts'
import { administrator, LIMITS, sutValues } from '../../domain/builders.ts'
import { append, beginLog, outcomeOf, randomHex, readLog } from '../../event-store/new-events.ts'
import type { Tidying } from '../../http/harness.ts'
import type { Random } from '../../process/random.ts'
import { type Instance, type LabUser, startInstance } from './instance.ts'

/** Instances that grant what waits, over one store and without HTTP. Their clock, and when they look at it, are the test's. */

export const BEGIN = Date.parse('2030-05-02T06:00:00.000Z')

export interface LabOptions {
  readonly random: Random
  /** Changes what an instance decides by, for a control. */
  readonly change?: (store: EventStore) => EventStore
}

/** Rounds of looks within which everything has been granted that can be. */
const ROUNDS_MAX = 50
/** What others recorded is looked at after two seconds at most. */
const OTHERS_MS = 2_500

const openLabStore = async (t: Tidying) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-'))
  const fail = (error: unknown): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(directory, 'events.db'), randomHex, onFatal: fail })
  const views = await Promise.all(
    ['one', 'other'].map((name) =>
      openViews({
        ...{ path: join(directory, `${name}.db`), store, projections, onFatal: fail },
        ...{ onAlarm: () => undefined, onRecovery: () => undefined },
      }).then(readHere),
    ),
  )
  t.teardown(async () => {
    for (const each of views) await each.close()
    await store.close()
    await rm(directory, { recursive: true })
  })
  return { store, views }
}

/** Reads lists in this thread: to start another takes longer than a story. */
const readHere = (views: Views): Views => ({
  ...views,
  read: ((name: 'everySut', ...args: readonly []) => {
    const lists = views.lists()
    return lists && Promise.resolve({ position: views.position(), listed: lists[name](...args) })
  }) as Views['read'],
})

export type QueueLab = Awaited<ReturnType<typeof openQueueLab>>

export const openQueueLab = async (t: Tidying, { random, change = (store) => store }: LabOptions) => {
  const { store, views } = await openLabStore(t)
  await beginLog(store)
  let now = BEGIN
  const clock = (): number => now
  const users = new Map<string, LabUser>()
  let userRevision = -1
  const start = (n: number): Instance =>
    startInstance({ store: change(store), views: views[n] as Views, users, random, clock })
  const instances = views.map((_, n) => start(n))
  t.teardown(async () => {
    for (const instance of instances) await instance.end()
  })

  const reach = async (): Promise<void> => {
    const head = await store.head()
    for (const each of views) await each.waitForStorePosition(head, 10_000)
  }

  /** Lets dead processes start again. */
  const revive = async (): Promise<void> => {
    for (const [n, instance] of instances.entries()) {
      if (!instance.isDead()) continue
      await instance.end()
      instances[n] = start(n)
    }
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

  return {
    store,
    users,
    now: clock,
    log: (): Promise<readonly Recorded[]> => readLog(store, BEGINNING),
    pass: (milliseconds: number): void => {
      now += milliseconds
    },
    /** Lets everybody know what has been recorded. */
    reach,
    /** Lets everything be done that is due, also by the instance that has not seen it first. */
    settle: async (): Promise<void> => {
      await revive()
      await lookAround()
      await revive()
      now += OTHERS_MS
      await lookAround()
    },
    dieAt: (n: number, appends: number, isAfter: boolean): void => at(n).dieAt(appends, isAfter),
    addSut: async (values: Partial<SutValues>, tags: Readonly<Record<string, string>>): Promise<string> => {
      const _id = random.hex(24)
      const command = {
        type: 'CreateSut',
        _id,
        listen_port: 20_000 + random.below(9_000),
        values: sutValues(values),
        tags,
      } as const
      const made = await at(0).runner.run(sutDecider, sutStream(_id), { ...envelope, command })
      if (E.isLeft(made)) throw new Error(made.left.detail)
      return _id
    },
    update: async (n: number, sut: string, values: Partial<SutValues>): Promise<void> => {
      await at(n).runner.run(sutDecider, sutStream(sut), { ...envelope, command: { type: 'UpdateSut', values } })
    },
    tag: async (n: number, sut: string, tags: Readonly<Record<string, string | null>>): Promise<void> => {
      await at(n).runner.run(sutDecider, sutStream(sut), { ...envelope, command: { type: 'TagSut', tags } })
    },
    addUser: async (user: LabUser): Promise<void> => {
      users.set(user._id, user)
      const { _id, role } = user
      await record({ type: 'UserAdded', data: { _id, role, credentials: { id: random.hex(24), changed: ['name'] } } })
    },
    changeUser: async (id: string, { scope, quota }: Pick<LabUser, 'scope' | 'quota'>): Promise<void> => {
      const { _id, role } = users.get(id) as LabUser
      users.set(_id, { _id, role, ...(scope !== undefined && { scope }), ...(quota !== undefined && { quota }) })
      const text = Object.entries(scope ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(',')
      await record({ type: 'UserChanged', data: { _id, scope: text, quota: quota ?? null } })
    },
    removeUser: async (_id: string): Promise<void> => {
      users.delete(_id)
      await record({ type: 'UserRemoved', data: { _id, reservations: 'keep' } })
    },
    /** The id of a request, or the code of its refusal. */
    ask: async (
      n: number,
      asked: Pick<AskedRequest, 'user_id' | 'target' | 'duration' | 'wait' | 'priority'>,
    ): Promise<string> => {
      const user = users.get(asked.user_id)
      const actor = user ?? administrator
      const scopes = user?.scope === undefined ? [] : [user.scope]
      const sender = { actor, requestId: random.hex(16), idempotencyKey: undefined }
      const more = { actor, holderRole: user?.role, scopes, keepalive: undefined, refusedSut: undefined }
      const made = await at(n).requests.make(sender, { ...asked, ...more })
      return E.isLeft(made) ? made.left.code : made.right.id
    },
    withdraw: async (n: number, id: string): Promise<string> => {
      const { runner, requests } = at(n)
      const open = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => findWaiting(queue, id))
      if (open !== undefined && hasOffer(open)) await requests.finishOffer(open, random.hex(16))
      await reach()
      const version = views[0]?.newest('sut_request', id)
      const { user_id, status, sut_reservation_id } = JSON.parse(version?.document ?? '{}') as SutRequest
      const command = {
        type: 'WithdrawRequest',
        actor: administrator,
        _id: id,
        user_id,
        status,
        sut_reservation_id,
      } as const
      const ended = await runner.run(requestDecider, REQUESTS_STREAM, { ...envelope, command })
      return E.isLeft(ended) ? ended.left.code : ended.right.kind
    },
    /** Takes a SUT by its id, past the queue. */
    reserve: async (n: number, sut_id: string, user_id: string, startIn: number, duration: number): Promise<string> => {
      const window = { form: 'relative', startIn, duration } as const
      const about = { actor: administrator, sut_id, user_id, userExists: true, window, limits: LIMITS }
      const command = { type: 'CreateReservation', ...about, random: random.hex(16) } as const
      const made = await at(n).runner.run(reservationDecider, sutStream(sut_id), { ...envelope, command })
      return E.isLeft(made) ? made.left.code : 'made'
    },
    cancel: async (n: number, sut: string, _id: string, user_id: string): Promise<string> => {
      const about = { actor: administrator, _id, sut_id: sut, user_id, documentStatus: 'made' } as const
      const command = { type: 'CancelReservation', ...about } as const
      const ended = await at(n).runner.run(reservationDecider, sutStream(sut), { ...envelope, command })
      return E.isLeft(ended) ? ended.left.code : ended.right.kind
    },
  }
}
