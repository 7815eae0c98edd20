import { setImmediate as turn } from 'node:timers/promises'
import type { Runner } from '../../commands/command-envelope.ts'
import type { Quotas } from '../../commands/quotas.ts'
import type { FinishOffer } from '../../commands/requests/finish-offer.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { subjectId } from '../../domain/idempotency-records.ts'
import { hasSlot, intersect, slotsIn } from '../../domain/matching/slot-set.ts'
import { type RequestCommand, requestDecider } from '../../domain/request/decide.ts'
import { expiryOf } from '../../domain/request/ending.ts'
import {
  findWaiting,
  hasOffer,
  type OfferedRequest,
  offersIn,
  type Queue,
  type Waiting,
} from '../../domain/request/queue.ts'
import { findOpenOffers, firstFor, type Grants, type Moment, mayBeOffered } from '../../domain/request/rank.ts'
import { type RandomHex, REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { Followed } from '../../read-models/followed.ts'
import type { KnownSuts } from '../../read-models/matching/suts.ts'
import type { FollowedQueue } from '../../read-models/requests/follow-queue.ts'
import { type GrantsOptions, makeGrants, mayHold, scopesOf } from '../../read-models/requests/grants.ts'
import type { Views } from '../../read-models/views.ts'
import { makeRecordNow, makeRunBatches, type RecordingOptions } from '../process.ts'
import { followTriggers, type Triggers, type TriggersOptions } from './triggers.ts'

export interface GrantingOptions extends RecordingOptions, Omit<TriggersOptions, 'clock' | 'isLimited'> {
  readonly views: Pick<Views, 'watch' | 'newest'>
  readonly runner: Pick<Runner, 'run'>
  readonly requests: Pick<Followed<FollowedQueue>, 'get'>
  /** @throws StoreUnavailable */
  readonly suts: () => KnownSuts | Promise<KnownSuts>
  readonly quotas: Pick<Quotas, 'usesOf' | 'isLimited'>
  readonly personOf: GrantsOptions['personOf']
  /** Resolves when what the views show of users is known; undefined when it is. */
  readonly usersSettled: () => Promise<void> | undefined
  readonly finishOffer: FinishOffer
  readonly isServing: () => boolean
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
  readonly randomHex: RandomHex
  readonly onError: (error: unknown) => void
  /** Resolves when it is time to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** SUTs offered in one append: each is compared with all that wait, in one turn of the event loop. */
const SUTS_AT_ONCE = 8
/** Between looks at what waits too long, and at offers that others have left. */
const LOOK_INTERVAL_MS = 1_000
/** An offer that is older has been left by whoever made it; so has one that is as far ahead, by a wrong clock. */
const LEFT_AFTER_MS = 2_000
/** Milliseconds of comparing after which others get their turn, and SUTs that became free meanwhile go first. */
const TURN_MS = 5

/** What SUTs and requests are compared by, for one turn of the event loop. */
interface Look {
  readonly queue: Queue
  readonly suts: KnownSuts
  readonly grants: Grants
  readonly moment: Moment
  readonly personOf: GrantsOptions['personOf']
}

/** What was found to be offered, or not, of what was due. */
interface Found {
  /** SUTs that somebody could be granted now. */
  readonly wanted: Set<string>
  /** The requests for which some of them were found. */
  readonly hopeful: string[]
  /** Users who may not wait any more. */
  readonly gone: Set<string>
  /** Whether what some users have reserved could be known. */
  isCertain: boolean
}

/** Who waits for the SUTs that are due: a SUT that may have become free is compared with those who wait, in their order. */
const lookAtSuts = (triggers: Triggers, { queue, suts, grants, moment }: Look, found: Found): void => {
  const [now, until] = [moment.now, performance.now() + TURN_MS]
  while (found.wanted.size < SUTS_AT_ONCE && performance.now() < until) {
    const [sutId] = triggers.takeSuts(now, 1)
    if (sutId === undefined) return
    const sut = suts.find(sutId)
    if (sut === undefined || moment.open.hasSut(sutId) || !hasSlot(suts.free(quarterAt(now)), sut.slot)) continue
    const first = firstFor(queue, sutId, grants, moment)
    if (first !== undefined) found.wanted.add(sutId)
    if (first?.isCertain === false) found.isCertain = false
  }
}

/** The first SUT that is free for a request and not offered to another. */
const findFor = (request: Waiting, { suts, grants, moment, personOf }: Look, wanted: ReadonlySet<string>) => {
  const { match: criteria, sut_id } = request
  const fitting = suts.fitting({ criteria, sut_id, scopes: scopesOf(request, personOf) })
  for (const slot of slotsIn(intersect(fitting, suts.free(quarterAt(moment.now))))) {
    const _id = suts.at(slot)?._id ?? ''
    const isLeft = wanted.has(_id) || moment.open.hasSut(_id)
    if (!isLeft && grants.windowFor(request, _id, moment.now) !== undefined) return _id
  }
  return undefined
}

/** What the requests that are due could be granted. */
const lookAtRequests = (triggers: Triggers, look: Look, found: Found): void => {
  const { queue, grants, moment, personOf } = look
  const until = performance.now() + TURN_MS
  while (found.wanted.size < SUTS_AT_ONCE && performance.now() < until) {
    const [id] = triggers.takeRequests(moment.now, 1)
    if (id === undefined) return
    const request = findWaiting(queue, id)
    if (request === undefined) continue
    if (!mayHold(personOf(request.user_id))) found.gone.add(request.user_id)
    const may = mayBeOffered(request, moment) && grants.mayHave(request, moment)
    const sutId = may === false ? undefined : findFor(request, look, found.wanted)
    if (sutId === undefined) continue
    if (may === 'unknown') found.isCertain = false
    found.wanted.add(sutId)
    found.hopeful.push(id)
  }
}

/** Looks at what is due in one turn of the event loop: at SUTs first, since they can be had at once. */
const lookAround = async (
  { suts, quotas, personOf, reachableFor, clock }: GrantingOptions,
  triggers: Triggers,
  queue: Queue,
): Promise<Found & Pick<Look, 'grants'>> => {
  const known = await suts()
  const useOf = await quotas.usesOf(queue.map(({ user_id }) => user_id))
  const grants = makeGrants({ suts: known, personOf, useOf })
  const moment = { open: findOpenOffers(offersIn(queue)), now: clock.now(), reachableFor: reachableFor() }
  const found: Found = { wanted: new Set(), hopeful: [], gone: new Set(), isCertain: true }
  const look = { queue, suts: known, grants, moment, personOf }
  if (triggers.isSutDue(moment.now)) lookAtSuts(triggers, look, found)
  else lookAtRequests(triggers, look, found)
  return { ...found, grants }
}

/** What is recorded about those who wait. */
const makeRecords = (options: GrantingOptions) => {
  const { finishOffer, clock, makeRequestId, onError, signal, reachableFor, randomHex, personOf, views } = options
  const recordNow = makeRecordNow(options)
  const run = (command: RequestCommand) => recordNow(requestDecider, REQUESTS_STREAM, command)
  const runBatches = makeRunBatches(signal)

  /** Ends the open offers that some requests have. */
  const finish = (requests: Iterable<Waiting>, isOf = (_: OfferedRequest): boolean => true): Promise<void> =>
    runBatches([...requests].filter(hasOffer).filter(isOf), async (request) => {
      if (clock.mayRecord()) await finishOffer(request, makeRequestId()).catch(onError)
    })

  return {
    /** Ends the offers that a crash has left. */
    finishLeft: (queue: Queue): Promise<void> =>
      finish(queue, ({ offer: { time } }) => Math.abs(clock.now() - time) > LEFT_AFTER_MS),
    /** Offers SUTs to those who wait, and ends each offer. The requests that were offered one; undefined if refused. */
    offer: async (sutIds: readonly string[], grants: Grants): Promise<ReadonlySet<string> | undefined> => {
      const random = (): string => randomHex(8)
      const outcome = await run({ type: 'OfferSuts', sutIds, grants, reachableFor: reachableFor(), random })
      if (outcome?.kind !== 'recorded') return outcome && new Set()
      const ids = new Set(outcome.events.map(subjectId))
      await finish([...ids].flatMap((id) => findWaiting(outcome.state.queue, id) ?? []))
      return ids
    },
    /** Ends what has waited too long or in vain. False if nothing could be recorded. */
    expire: async (queue: Queue, suts: KnownSuts): Promise<boolean> => {
      const moment = { now: clock.now(), reachableFor: reachableFor() }
      const unknown = queue.flatMap(({ sut_id }) =>
        sut_id === undefined || suts.find(sut_id) !== undefined ? [] : [sut_id],
      )
      const retired = new Set(unknown.filter((sutId) => views.newest('sut', sutId)?.ended === 'retired'))
      if (!queue.some((request) => expiryOf(request, moment, retired) !== undefined)) return true
      const command = { type: 'ExpireRequests', retired, reachableFor: moment.reachableFor } as const
      return (await run(command)) !== undefined
    },
    /** Withdraws what nobody may wait for. False if some have an open offer, which ends first, or that failed. */
    withdraw: async (queue: Queue, users: ReadonlySet<string>): Promise<boolean> => {
      const gone = queue.filter(({ user_id }) => users.has(user_id) && !mayHold(personOf(user_id)))
      let isDone = !gone.some(hasOffer)
      for (const user_id of new Set(gone.map((request) => request.user_id)))
        if ((await run({ type: 'WithdrawAll', user_id })) === undefined) isDone = false
      return isDone
    },
  }
}

/** Grants SUTs to requests that wait, whatever made them free, until the signal aborts. */
export const runGranting = async (options: GrantingOptions): Promise<void> => {
  const { requests, suts, quotas, usersSettled, clock, isServing, onError, wake, signal } = options
  const triggers = followTriggers({ ...options, clock: clock.now, isLimited: quotas.isLimited })
  const records = makeRecords(options)
  let lookedAt = 0

  // Each is false if something has to be looked at again.
  const lookByClock = async (queue: Queue): Promise<boolean> => {
    if (Math.abs(clock.now() - lookedAt) < LOOK_INTERVAL_MS) return true
    lookedAt = clock.now()
    await records.finishLeft(queue)
    return records.expire(queue, await suts())
  }
  const lookAtDue = async (queue: Queue): Promise<boolean> => {
    const { wanted, hopeful, gone, isCertain, grants } = await lookAround(options, triggers, queue)
    const isDone = (await records.withdraw(queue, gone)) && isCertain
    if (wanted.size === 0) return isDone
    const offered = await records.offer([...wanted], grants)
    if (offered === undefined) return false
    // Others went before them.
    for (const id of hopeful) if (!offered.has(id)) triggers.noteRequest(id, clock.now() + LOOK_INTERVAL_MS)
    return isDone
  }

  const tick = async (): Promise<void> => {
    if (!isServing() || !clock.mayRecord()) return
    const followed = await requests.get()
    triggers.spread(followed.queue, clock.now())
    if (followed.queue.length === 0) return triggers.drop(clock.now())
    try {
      await usersSettled()
      let isDone = await lookByClock(followed.queue)
      while (!signal.aborted && triggers.isDue(clock.now())) {
        isDone = (await lookAtDue(followed.queue)) && isDone
        await turn()
        triggers.spread(followed.queue, clock.now())
      }
      if (!isDone) triggers.lookAtAll(clock.now() + LOOK_INTERVAL_MS)
    } catch (error) {
      triggers.lookAtAll(clock.now() + LOOK_INTERVAL_MS)
      throw error
    }
  }

  const grant = async (): Promise<void> => {
    for (; !signal.aborted; await triggers.next()) await tick().catch(onError)
  }
  const watchClock = async (): Promise<void> => {
    for (; !signal.aborted; triggers.poke()) await wake(signal)
    triggers.poke()
  }
  await Promise.all([grant(), watchClock()])
  triggers.close()
}
