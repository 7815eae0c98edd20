/** Instances over one store, without views or processes: what a test calls is all that happens. */

import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeRules } from '../../../src/audit/rules/rules.ts'
import type { IdempotencyKey } from '../../../src/commands/idempotency-key.ts'
import { SCHEDULE } from '../../../src/commands/log-events.ts'
import type { Quotas } from '../../../src/commands/quotas.ts'
import { makeChangeRequest } from '../../../src/commands/requests/change-request.ts'
import { makeCreateMatched } from '../../../src/commands/requests/create-matched.ts'
import { makeFinishOffer } from '../../../src/commands/requests/finish-offer.ts'
import { makeMakeRequest } from '../../../src/commands/requests/make-request.ts'
import type { Snapshots } from '../../../src/commands/states.ts'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import { requestDecider } from '../../../src/domain/request/decide.ts'
import { hasOffer } from '../../../src/domain/request/queue.ts'
import type { Grants } from '../../../src/domain/request/rank.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import { REQUESTS_STREAM, sutStream } from '../../../src/domain/values/ids.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, alice, explicit, LIMITS } from '../../domain/builders.ts'
import { randomHex, readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { aClock, type Clock } from '../port-setting.ts'
import { NO_SNAPSHOTS } from '../script.ts'
import { anInstance } from '../setting.ts'
import { anIdempotencyKey } from '../steps.ts'

const WINDOW = explicit('06:00', '07:00')
const QUARTER = 900
const reachableFor = (): number => 0

/** A key, and another request that was sent with it. */
const keyOf = (key: string, request: string): IdempotencyKey => {
  const current = anIdempotencyKey(key).current.slice(0, 23) + anIdempotencyKey(request).current.slice(23)
  return { current, candidates: [current] }
}

const GRANTS: Grants = {
  windowFor: ({ duration }, _, now) => {
    const start = Math.floor(now / 1_000 / QUARTER) * QUARTER
    return { start, end: Math.ceil((now / 1_000 + duration) / QUARTER) * QUARTER }
  },
  mayHave: () => true,
}
const QUOTAS: Pick<Quotas, 'run' | 'usesOf' | 'priorityMaxOf'> = {
  run: (_, run) => run(undefined),
  usesOf: async () => () => undefined,
  priorityMaxOf: () => null,
}

interface InstanceOptions {
  /** The SUTs that it believes to fit, all of them unless given. */
  readonly suts?: readonly string[]
  readonly scopes?: Readonly<Record<string, Scope>>
  /** The same log without the faults of its store. */
  readonly truth?: EventStore
  readonly snapshots?: Snapshots
}

/** An instance that believes all SUTs to be free until it has caught up. The stream of a SUT decides. */
export const aRequester = (
  store: EventStore,
  clock: Clock,
  { suts, scopes = {}, truth = store, snapshots = NO_SNAPSHOTS }: InstanceOptions = {},
) => {
  const instance = anInstance(store, { clock: clock.now, snapshots })
  const { runner } = instance
  const log = () => readLog(truth, BEGINNING)
  const by = (key?: string, request = key) => ({
    actor: administrator,
    requestId: randomHex(8),
    idempotencyKey: key === undefined ? undefined : keyOf(key, request as string),
  })
  let isCurrent = false
  const parts = {
    ...{ runner, store, quotas: QUOTAS, limits: LIMITS, clock: clock.now, randomHex },
    ...{ personOf: (userId: string) => ({ scope: scopes[userId] ?? {} }), waitForViews: () => true },
    search: async () => {
      const known = await log()
      const all = suts ?? known.flatMap(({ type, data }) => (type === 'SutCreated' ? [data._id] : []))
      const isTaken = (sutId: string) =>
        known.some(({ type, stream }) => type === 'ReservationCreated' && stream === sutStream(sutId))
      const left = isCurrent ? all.filter((sutId) => !isTaken(sutId)) : all
      return {
        isAnyFit: () => all.length > 0,
        choose: (tried?: ReadonlySet<string>) => left.find((sutId) => tried?.has(sutId) !== true) ?? left[0],
        inOrder: (first: string) => [first, ...left.filter((sutId) => sutId !== first)].values(),
        explain: () => ({ matching: all.length, nextAvailable: undefined, longest: undefined }),
      }
    },
    catchUp: async () => {
      isCurrent = true
      return true
    },
    ...{ grantsFor: async () => GRANTS, isClockAhead: () => false, reachableFor },
  }
  const finishOffer = makeFinishOffer(parts)
  const makeRequest = makeMakeRequest({ ...parts, finishOffer })
  const createMatched = makeCreateMatched({ ...parts, finishOffer })
  const waiting = () => runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => queue)
  const find = async (id: string) => (await waiting()).find(({ _id }) => _id === id)
  const { withdraw } = makeChangeRequest({ ...parts, finishOffer, find })

  return {
    ...instance,
    /** Takes a SUT by its id. */
    take: (sut: string) => instance.reserve(sut, WINDOW),
    /** Reserves any SUT: the id of the reservation, or the code of the refusal. */
    match: async (key?: string, request?: string, window: RequestedWindow = WINDOW): Promise<string> => {
      isCurrent = false
      /** What views that are up to date answer. */
      const known = async () => (key === undefined ? undefined : reservationsOf(await log(), key)[0])
      const before = await known()
      if (before !== undefined) return before
      const asked = { actor: administrator, user_id: alice, userExists: true, window, limits: LIMITS }
      const made = await createMatched(by(key, request), { ...asked, criteria: { os: 'windows' }, scopes: [] })
      return E.isRight(made) ? made.right._id : ((await known()) ?? made.left.code)
    },
    /** Requests any SUT: the id of the request, or the code of the refusal. */
    ask: async (key: string, wait = 3_600): Promise<string> => {
      isCurrent = false
      const asked = { actor: administrator, user_id: alice, holderRole: 'tester', refusedSut: undefined } as const
      const target = { target: { match: { os: 'windows' } }, scopes: [], keepalive: undefined }
      const made = await makeRequest(by(key), { ...asked, ...target, duration: 900, wait, priority: 0 })
      return E.isLeft(made) ? made.left.code : made.right.id
    },
    /** What the process does that grants SUTs: ends open offers, and offers what may be free. */
    grant: async (): Promise<void> => {
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
      const sutIds = suts ?? []
      const command = {
        type: 'OfferSuts',
        sutIds,
        grants: GRANTS,
        reachableFor: 0,
        random: () => randomHex(8),
      } as const
      await runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId: randomHex(8) })
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
    },
    /** Whether a request is withdrawn, or the code of the refusal. */
    withdraw: async (id: string): Promise<string> => {
      const ended = await withdraw(by(), { _id: id, user_id: alice })
      return E.isRight(ended) ? 'withdrawn' : ended.left.code
    },
    waiting,
    finishOffer,
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
  const { aSut, take } = aRequester(store, clock)
  const suts = [await aSut(), await aSut(), await aSut()]
  t.is(await take(suts[0] as string), 'made')
  return { store, clock, suts, log: () => readLog(store, BEGINNING) }
}

/** The reservations that were made with an idempotency key. */
export const reservationsOf = (log: readonly Recorded[], key: string): readonly string[] =>
  log.flatMap(({ type, data, metadata }) =>
    type === 'ReservationCreated' && metadata.key?.slice(0, 22) === anIdempotencyKey(key).current.slice(0, 22)
      ? [data._id]
      : [],
  )
export const reservationsFor = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'ReservationCreated' && data.sut_request_id === requestId ? [data._id] : [],
  )
export const grantsOf = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'RequestGranted' && data._id === requestId ? [data.sut_reservation_id] : [],
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

/** Acts as if the store failed, or was overtaken, at its first call, then at its second, and so on. */
export const atEachCall = async (
  t: ExecutionContext,
  act: (given: Stage, nth: number) => Promise<number>,
  /** Calls that there are at least. */
  least = 6,
): Promise<void> => {
  let nth = 1
  while ((await act(await aStage(t), nth)) >= nth) nth++
  t.true(nth >= least)
}
