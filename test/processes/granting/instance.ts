import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeQuotas } from '../../../src/commands/quotas.ts'
import { makeRunner } from '../../../src/commands/runner.ts'
import type { Quota, Role } from '../../../src/domain/events/user.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { noteAppends } from '../../../src/event-store/own-appends.ts'
import { makeMatching } from '../../../src/read-models/matching/candidates.ts'
import { makeUsages } from '../../../src/read-models/usages.ts'
import type { Views } from '../../../src/read-models/views.ts'
import { openRequests } from '../../../src/service/granting/open-requests.ts'
import type { Users } from '../../../src/users/users.ts'
import { NO_SNAPSHOTS } from '../../commands/script.ts'
import { LIMITS } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'
import type { Random } from '../../process/random.ts'

/** A process that grants what waits, without HTTP. Its clock, and when it looks at it, are the test's. */

export interface LabUser {
  readonly _id: string
  readonly role: Role
  readonly scope?: Scope
  readonly quota?: Quota
}

/** A process: what it keeps in memory is lost with it. */
export interface Instance {
  readonly requests: ReturnType<typeof openRequests>
  readonly runner: ReturnType<typeof makeRunner>
  /** Lets it look at the clock, and resolves when it has nothing more to do. */
  readonly look: () => Promise<void>
  /** Lets it die before or after one of its next appends. */
  readonly dieAt: (appends: number, isAfter: boolean) => void
  readonly isDead: () => boolean
  readonly end: () => Promise<void>
}

/** The store of a process that dies at an append. It counts what it is asked. */
const makeMortal = (store: EventStore) => {
  let left = Number.POSITIVE_INFINITY
  let isAfter = false
  let [calls, inFlight] = [0, 0]
  const isDead = (): boolean => left <= 0
  const mortal: EventStore = {
    ...store,
    append: async (...given) => {
      if (isDead()) return E.left('unavailable')
      calls++
      inFlight++
      left--
      const answer = !isDead() || isAfter ? await store.append(...given) : undefined
      inFlight--
      return isDead() || answer === undefined ? E.left('unavailable') : answer
    },
    async *readStream(...given) {
      calls++
      inFlight++
      try {
        yield* store.readStream(...given)
      } finally {
        inFlight--
      }
    },
  }
  return {
    store: mortal,
    isDead,
    isBusy: (): boolean => inFlight > 0,
    calls: () => calls,
    dieAt: (appends: number, after: boolean): void => {
      left = appends
      isAfter = after
    },
  }
}

/** Wakes a process when the test says so. */
const makeAlarm = () => {
  let sleeping = new Set<() => void>()
  return {
    wake: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        sleeping.add(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
    ring: (): void => {
      const woken = sleeping
      sleeping = new Set()
      for (const resolve of woken) resolve()
    },
  }
}

/** Turns of the event loop without a call of the store after which nothing more is done. */
const QUIET_TURNS = 12

export interface World {
  readonly store: EventStore
  readonly views: Views
  readonly users: ReadonlyMap<string, LabUser>
  readonly random: Random
  readonly clock: () => number
}

export const startInstance = ({ store, views, users, clock }: World): Instance => {
  const { store: noted, isOwn } = noteAppends(store)
  const { store: mortal, isDead, isBusy, calls, dieAt } = makeMortal(noted)
  const runner = makeRunner({ store: mortal, clock, randomHex, snapshots: NO_SNAPSHOTS, isShared: true })
  const matching = makeMatching({ views, clock })
  const usages = makeUsages({ views, clock })
  const quotas = makeQuotas({
    quotaOf: (id) => users.get(id)?.quota,
    priorityMaxOf: () => null,
    usageOf: usages.of,
    waitForViews: (position) => views.waitForStorePosition(position),
  })
  const requests = openRequests({
    ...{ runner, store: mortal, quotas, views, matching, limits: LIMITS, clock, randomHex },
    users: {
      byId: (id: string) => users.get(id),
      member: () => undefined,
      settled: () => undefined,
    } as unknown as Users,
    catchUp: async () => views.waitForStorePosition(await store.head()),
    isClockAhead: () => false,
    log: { error: () => undefined },
  })
  const { wake, ring } = makeAlarm()
  const stop = new AbortController()
  const granting = requests.runGranting({
    clock: { now: clock, mayAct: () => true, mayRecord: () => true, confirm: () => undefined },
    ...{ isServing: () => true, isShared: true, isOwn, makeRequestId: () => randomHex(8), wake, signal: stop.signal },
  })
  return {
    ...{ requests, runner, dieAt, isDead },
    look: async () => {
      ring()
      for (let [quiet, seen] = [0, calls()]; quiet < QUIET_TURNS; quiet++) {
        await turn()
        if (isBusy() || calls() !== seen) quiet = -1
        seen = calls()
      }
    },
    end: async () => {
      stop.abort()
      await granting
      requests.close()
      matching.close()
      usages.close()
    },
  }
}
