/** A process that grants what waits, without HTTP. Its clock, and when it looks at it, are the test's. */

import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { openRequests } from '../../../src/app/open-requests.ts'
import type { Runner } from '../../../src/commands/command-envelope.ts'
import { makeRunner } from '../../../src/commands/loop.ts'
import { makeQuotas } from '../../../src/commands/quotas.ts'
import type { Quota, Role } from '../../../src/domain/events/user.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { makeMatching } from '../../../src/read-models/matching/matching.ts'
import { makeUsages } from '../../../src/read-models/usages.ts'
import type { Views } from '../../../src/read-models/views.ts'
import type { Users } from '../../../src/users/users.ts'
import { NO_SNAPSHOTS } from '../../commands/script.ts'
import { LIMITS } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'

export interface LabUser {
  readonly _id: string
  readonly role: Role
  readonly scope?: Scope | undefined
  readonly quota?: Quota | undefined
}

/** A process: what it keeps in memory is lost with it. */
export interface Instance {
  readonly requests: ReturnType<typeof openRequests>
  readonly runner: ReturnType<typeof makeRunner>
  /** Resolves when it has nothing more to do. */
  readonly rest: () => Promise<void>
  /** Lets it look at the clock, and then rest. */
  readonly look: () => Promise<void>
  /** Lets it die before or after one of its next appends. */
  readonly dieAt: (appends: number, isAfter: boolean) => void
  readonly isDead: () => boolean
  /** Milliseconds since it started. */
  readonly reachableFor: () => number
  readonly end: () => Promise<void>
}

/** Counts what a process waits for. */
const makeWork = () => {
  let [begun, ended] = [0, 0]
  const during = async <A>(work: PromiseLike<A> | A): Promise<A> => {
    begun++
    try {
      return await work
    } finally {
      ended++
    }
  }
  return { during, begun: () => begun, isBusy: (): boolean => ended < begun }
}

type During = ReturnType<typeof makeWork>['during']

/** The store of a process that dies at an append. */
const makeMortal = (store: EventStore, during: During) => {
  let left = Number.POSITIVE_INFINITY
  let isAfter = false
  const isDead = (): boolean => left <= 0
  const mortal: EventStore = {
    ...store,
    append: async (...given) => {
      if (isDead()) return E.left('unavailable')
      left--
      const answer = !isDead() || isAfter ? await during(store.append(...given)) : undefined
      return isDead() || answer === undefined ? E.left('unavailable') : answer
    },
  }
  return {
    store: mortal,
    isDead,
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

/** Turns of the event loop in which nothing begins after which nothing more is done. */
const QUIET_TURNS = 12

/** More work at once than this goes round in a circle. */
const WORK_MAX = 2_000

export interface World {
  readonly store: EventStore
  readonly views: Views
  readonly users: ReadonlyMap<string, LabUser>
  readonly clock: () => number
}

export const startInstance = ({ store, views: seen, users, clock }: World): Instance => {
  const started = clock()
  const reachableFor = (): number => clock() - started
  const { during, begun, isBusy } = makeWork()
  const { store: mortal, isDead, dieAt } = makeMortal(store, during)
  // A command may wait for its turn, which is left to other instances for some milliseconds.
  const commands = makeRunner({ store: mortal, clock, randomHex, snapshots: NO_SNAPSHOTS, isShared: true })
  const runner: Runner = {
    ...commands,
    run: (...given) => during(commands.run(...given)),
    inspect: (...given) => during(commands.inspect(...given)),
  }
  const waitForViews: Views['waitForStorePosition'] = (...given) => during(seen.waitForStorePosition(...given))
  const views: Views = { ...seen, waitForStorePosition: waitForViews }
  const matching = makeMatching({ views, clock })
  const usages = makeUsages({ views, clock })
  const quotas = makeQuotas({
    quotaOf: (id) => {
      const { role, quota } = users.get(id) ?? {}
      return role === 'tester' ? quota : undefined
    },
    usageOf: usages.of,
    waitForViews,
  })
  const requests = openRequests({
    ...{ runner, store: mortal, quotas, views, matching, limits: LIMITS, clock, randomHex },
    users: {
      byId: (id: string) => users.get(id),
      member: () => undefined,
      settled: () => undefined,
    } as unknown as Users,
    catchUp: async () => waitForViews(await store.head()),
    isClockAhead: () => false,
    reachableFor,
    log: { error: () => undefined },
  })
  const { wake, ring } = makeAlarm()
  const stop = new AbortController()
  const granting = requests.runGranting({
    clock: { now: clock, mayAct: () => true, mayRecord: () => true, confirm: () => undefined },
    ...{ isServing: () => true, makeRequestId: () => randomHex(8), wake, signal: stop.signal },
  })
  const rest = async (): Promise<void> => {
    const worked = begun()
    for (let [quiet, seen] = [0, begun()]; quiet < QUIET_TURNS; quiet++) {
      await turn()
      if (isBusy() || begun() !== seen) quiet = -1
      seen = begun()
      if (seen - worked > WORK_MAX) throw new Error('it never rests')
    }
  }
  return {
    ...{ requests, runner, dieAt, isDead, reachableFor },
    rest,
    look: () => {
      ring()
      return rest()
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
