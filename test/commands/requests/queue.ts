import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { SCHEDULE } from '../../../src/commands/log-events.ts'
import { makeRunner } from '../../../src/commands/loop.ts'
import type { Quotas } from '../../../src/commands/quotas.ts'
import { makeChangeRequest, type ShownRequest } from '../../../src/commands/requests/change-request.ts'
import { makeFinishOffer } from '../../../src/commands/requests/finish-offer.ts'
import { makeMakeRequest } from '../../../src/commands/requests/make-request.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import { requestDecider } from '../../../src/domain/request/decide.ts'
import { allIn, hasOffer } from '../../../src/domain/request/queue.ts'
import type { Grants } from '../../../src/domain/request/rank.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import { REQUESTS_STREAM } from '../../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, alice, LIMITS } from '../../domain/builders.ts'
import { randomHex, readLog } from '../../event-store/new-events.ts'
import { aStage, type Stage } from '../matching/stage.ts'
import type { Clock } from '../port-setting.ts'
import { NO_SNAPSHOTS } from '../script.ts'
import { anIdempotencyKey } from '../steps.ts'

/** A queue without views or processes: what a test calls is all that happens. */

const reachableFor = (): number => 0

/** A request as its document shows it. */
const shownIn = (log: readonly Recorded[], id: string): ShownRequest => {
  let shown: ShownRequest = { user_id: alice, status: 'waiting', sut_reservation_id: null }
  for (const { type, data } of log) {
    if (!('_id' in data) || data._id !== id) continue
    if (type === 'RequestWithdrawn') shown = { ...shown, status: 'withdrawn' }
    if (type === 'RequestGranted') shown = { ...shown, status: 'granted', sut_reservation_id: data.sut_reservation_id }
  }
  return shown
}

/** Instances over one store that believe these SUTs to be free. The stream of a SUT decides. */
export const aQueue = (
  store: EventStore,
  clock: Clock,
  suts: readonly string[],
  scopes: Readonly<Record<string, Scope>> = {},
  /** The same log without the faults of `store`. */
  truth: EventStore = store,
) => {
  const runner = makeRunner({ store, clock: clock.now, randomHex, snapshots: NO_SNAPSHOTS })
  const quotas: Pick<Quotas, 'run' | 'usesOf' | 'priorityMaxOf'> = {
    run: (_, run) => run(undefined),
    usesOf: async () => () => undefined,
    priorityMaxOf: () => null,
  }
  const finishOffer = makeFinishOffer({
    ...{ runner, quotas, limits: LIMITS, clock: clock.now, randomHex },
    ...{ personOf: (userId) => ({ scope: scopes[userId] ?? {} }), waitForViews: () => true },
  })
  const quarter = 900
  const grants: Grants = {
    windowFor: ({ duration }, _, now) => {
      const start = Math.floor(now / 1_000 / quarter) * quarter
      return { start, end: Math.ceil((now / 1_000 + duration) / quarter) * quarter }
    },
    mayHave: () => true,
  }
  const make = makeMakeRequest({
    ...{ runner, store, quotas, limits: LIMITS, finishOffer, clock: clock.now, randomHex },
    search: async () => ({
      inOrder: () => suts.values(),
      explain: () => ({ matching: suts.length, nextAvailable: undefined, longest: undefined }),
    }),
    ...{ grantsFor: async () => grants, catchUp: async () => true, isClockAhead: () => false, reachableFor },
  })
  const { withdraw } = makeChangeRequest({ runner, finishOffer, reachableFor })
  const waiting = () => runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => [...allIn(queue)])
  return {
    ask: async (key: string, wait = 3_600) => {
      const sender = { actor: administrator, requestId: randomHex(8), idempotencyKey: anIdempotencyKey(key) }
      const asked = { actor: administrator, user_id: alice, holderRole: 'tester', refusedSut: undefined } as const
      const target = { target: { match: { os: 'windows' } }, scopes: [] }
      const made = await make(sender, { ...asked, ...target, duration: 900, wait, priority: 0, keepalive: undefined })
      return E.isLeft(made) ? made.left.code : made.right.id
    },
    /** What the process does that grants SUTs: ends open offers, and offers what may be free. */
    grant: async () => {
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
      const command = { type: 'OfferSuts', sutIds: suts, grants, reachableFor: 0, random: () => randomHex(8) } as const
      await runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId: randomHex(8) })
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
    },
    /** What a withdrawal is answered with: `withdrawn`, or its refusal and the reservation that this names. */
    withdraw: async (id: string): Promise<string> => {
      const sender = { actor: administrator, requestId: randomHex(8), idempotencyKey: undefined }
      const ended = await withdraw(sender, id, async () => E.right(shownIn(await readLog(truth, BEGINNING), id)))
      if (E.isRight(ended)) return 'withdrawn'
      const { code, detail, help } = ended.left
      return code === 'request_granted' ? `${code} ${help?.sut_reservation_id}` : `${code}: ${detail}`
    },
    waiting,
    finishOffer,
  }
}

export const reservationsFor = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'ReservationCreated' && data.sut_request_id === requestId ? [data._id] : [],
  )
export const grantsOf = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'RequestGranted' && data._id === requestId ? [data.sut_reservation_id] : [],
  )

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
