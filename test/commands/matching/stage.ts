import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeRules } from '../../../src/audit/rules/rules.ts'
import type { IdempotencyKey } from '../../../src/commands/idempotency-key.ts'
import { makeRunner } from '../../../src/commands/loop.ts'
import { createMatched } from '../../../src/commands/matching/create-matched.ts'
import type { Snapshots } from '../../../src/commands/states.ts'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import type { Candidates } from '../../../src/domain/matching/candidates.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, alice, createReservation, explicit, LIMITS, sutValues } from '../../domain/builders.ts'
import { randomHex, readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { aClock, type Clock } from '../port-setting.ts'
import { NO_SNAPSHOTS } from '../script.ts'
import { anIdempotencyKey } from '../steps.ts'

/** Instances that reserve any SUT, over one store. Which SUTs are tried is fixed: in the order of their creation. */

export const WINDOW = explicit('06:00', '07:00')
const CRITERIA: Criteria = { os: 'windows' }

export interface Instance {
  readonly create: () => Promise<string>
  /** Takes a SUT by its id. */
  readonly take: (sutId: string) => Promise<string>
  /** The id of the reservation, or the code of the refusal. */
  readonly match: (key?: string, request?: string, window?: RequestedWindow) => Promise<string>
  readonly update: (sutId: string, values: Partial<ReturnType<typeof sutValues>>) => Promise<void>
  /** Stops in order. */
  readonly stop: () => void
}

const keyOf = (key: string, request = key): IdempotencyKey => {
  const current = anIdempotencyKey(key).current.slice(0, 23) + anIdempotencyKey(request).current.slice(23)
  return { current, candidates: [current] }
}

const isOf = (sutId: string, events: readonly Recorded[]): boolean =>
  events.some(({ type, stream }) => type === 'ReservationCreated' && stream === sutStream(sutId))

/** All SUTs at first, whether they are free or not; those that are free after catching up. */
const fixedCandidates = (suts: readonly string[], log: readonly Recorded[], isCurrent: boolean): Candidates => {
  const left = isCurrent ? suts.filter((sut) => !isOf(sut, log)) : suts
  return {
    inOrder: () => left.values(),
    explain: () => ({ matching: suts.length, nextAvailable: undefined, longest: undefined }),
  }
}

/** @param truth the same log without the faults of `store` */
export const anInstance = (
  store: EventStore,
  clock: Clock,
  {
    isShared = false,
    truth = store,
    awaited = [],
    snapshots = NO_SNAPSHOTS,
  }: { isShared?: boolean; truth?: EventStore; awaited?: readonly string[]; snapshots?: Snapshots } = {},
): Instance => {
  const runner = makeRunner({ store, clock: clock.now, randomHex, snapshots })
  const by = (key?: string, request = key) => ({
    actor: administrator,
    requestId: randomHex(8),
    idempotencyKey: key === undefined ? undefined : keyOf(key, request),
  })
  const log = () => readLog(truth, BEGINNING)

  /** What views that are up to date know of a key. */
  const known = async (key: string): Promise<string | undefined> => {
    for (const { type, data, metadata } of await log())
      if (type === 'ReservationCreated' && metadata.key === anIdempotencyKey(key).current) return data._id
    return undefined
  }

  return {
    create: async () => {
      const _id = randomHex(12)
      const command = { type: 'CreateSut', _id, listen_port: 4000, values: sutValues() } as const
      await runner.run(sutDecider, sutStream(_id), { ...by(), command })
      return _id
    },
    take: async (sut_id) => {
      const command = { ...createReservation(WINDOW), sut_id, random: randomHex(8) }
      const taken = await runner.run(reservationDecider, sutStream(sut_id), { ...by(), command })
      return E.isLeft(taken) ? taken.left.code : 'taken'
    },
    update: async (sut, values) => {
      await runner.run(sutDecider, sutStream(sut), { ...by(), command: { type: 'UpdateSut', values } })
    },
    stop: runner.saveStates,
    match: async (key, request, window = WINDOW) => {
      const before = key === undefined ? undefined : await known(key)
      if (before !== undefined) return before
      let isCurrent = false
      const suts = (await log()).flatMap(({ type, data }) => (type === 'SutCreated' ? [data._id] : []))
      const options = {
        ...{ runner, clock: clock.now, randomHex, isShared, isClockAhead: () => false },
        awaited: async () => (sut: string) => awaited.includes(sut),
        search: async () => fixedCandidates(suts, await log(), isCurrent),
        catchUp: async () => {
          isCurrent = true
          return true
        },
      }
      const asked = { actor: administrator, user_id: alice, userExists: true, window, limits: LIMITS }
      const wanted = { ...asked, criteria: CRITERIA, scope: undefined, holderScope: undefined, quota: undefined }
      const made = await createMatched(options, by(key, request), wanted)
      if (E.isLeft(made)) return made.left.code
      return made.right.outcome.kind === 'already' ? 'already' : made.right.outcome.id
    },
  }
}

export interface Stage {
  readonly store: EventStore
  readonly clock: Clock
  readonly log: () => Promise<readonly Recorded[]>
  /** In the order in which they are tried. */
  readonly suts: readonly string[]
}

/** Three SUTs, the first of which is taken. */
export const aStage = async (t: ExecutionContext): Promise<Stage> => {
  const store = openStore(t, await aPath(t))
  const clock = aClock()
  const { create, take } = anInstance(store, clock)
  const suts = [await create(), await create(), await create()]
  t.is(await take(suts[0] as string), 'taken')
  return { store, clock, suts, log: () => readLog(store, BEGINNING) }
}

export const reservationsOf = (log: readonly Recorded[], key: string): readonly string[] =>
  log.flatMap(({ type, data, metadata }) =>
    type === 'ReservationCreated' && metadata.key === anIdempotencyKey(key).current ? [data._id] : [],
  )

/** What the audit finds of offers. The log lacks the assignments of ports and the users. */
export const faultsOf = (log: readonly Recorded[]): readonly string[] => {
  const rules = makeRules()
  const faults: string[] = []
  for (const [n, event] of log.entries()) {
    rules.judge(event, toPublicPosition(n), (what) => {
      if (!/port/.test(what)) faults.push(`${event.type}: ${what}`)
    })
  }
  return faults
}
