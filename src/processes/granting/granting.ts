import { setImmediate as turn } from 'node:timers/promises'
import type { Quotas } from '../../commands/quotas.ts'
import type { MakingParts } from '../../commands/requests/search.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { subjectId } from '../../domain/idempotency-records.ts'
import { hasSlot, intersect, slotsIn } from '../../domain/matching/slot-set.ts'
import { type RequestCommand, requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, hasOffer, offersIn, type Queue, type Waiting } from '../../domain/request/queue.ts'
import { expiryOf, firstFor, type Grants, type Moment, mayBeOffered } from '../../domain/request/rank.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { Followed } from '../../read-models/followed.ts'
import type { KnownSuts } from '../../read-models/matching/suts.ts'
import type { FollowedQueue } from '../../read-models/requests/follow-queue.ts'
import { type GrantsOptions, makeGrants, mayHold, scopesOf } from '../../read-models/requests/grants.ts'
import type { Views } from '../../read-models/views.ts'
import { makeRecordNow, makeRunBatches, type RecordingOptions } from '../process.ts'
import { followTriggers, LOOK_INTERVAL_MS, type Triggers, type TriggersOptions } from './triggers.ts'

export interface GrantingOptions
  extends RecordingOptions,
    Omit<TriggersOptions, 'clock' | 'isLimited'>,
    Pick<MakingParts, 'finishOffer' | 'reachableFor' | 'randomHex'> {
  readonly views: Pick<Views, 'watch' | 'newest'>
  readonly requests: Pick<Followed<FollowedQueue>, 'get'>
  /** @throws StoreUnavailable */
  readonly suts: () => KnownSuts | Promise<KnownSuts>
  readonly quotas: Pick<Quotas, 'usesOf' | 'isLimited'>
  readonly personOf: GrantsOptions['personOf']
  /** Resolves when what the views show of users is known; undefined when it is. */
  readonly usersSettled: () => Promise<void> | undefined
  readonly isServing: () => boolean
  readonly onError: (error: unknown) => void
  /** Resolves when it is time to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** SUTs offered in one append: each is compared with all that wait, in one turn of the event loop. */
const SUTS_AT_ONCE = 8
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
  /** The SUTs that are being offered. */
  readonly offered: ReadonlySet<string>
  readonly personOf: GrantsOptions['personOf']
}

/** The SUTs that are due and that somebody who waits could be granted now. */
const lookAtSuts = (triggers: Triggers, { queue, suts, grants, moment, offered }: Look): readonly string[] => {
  const [now, until] = [moment.now, performance.now() + TURN_MS]
  const wanted: string[] = []
  while (wanted.length < SUTS_AT_ONCE && performance.now() < until) {
    const sutId = triggers.suts.take(now)
    if (sutId === undefined) break
    const sut = suts.find(sutId)
    if (sut === undefined || offered.has(sutId) || !hasSlot(suts.free(quarterAt(now)), sut.slot)) continue
    const first = firstFor(queue, sutId, grants, moment)
    if (first?.isCertain === true) wanted.push(sutId)
    if (first?.isCertain === false) triggers.suts.note(sutId, now + LOOK_INTERVAL_MS)
  }
  return wanted
}

/** The first SUT that is free for a request, and neither due nor offered to another. */
const findFor = (request: Waiting, triggers: Triggers, { suts, grants, moment, offered, personOf }: Look) => {
  const { match: criteria, sut_id } = request
  const fitting = suts.fitting({ criteria, sut_id, scopes: scopesOf(request, personOf) })
  for (const slot of slotsIn(intersect(fitting, suts.free(quarterAt(moment.now))))) {
    const _id = suts.at(slot)?._id ?? ''
    const isLeft = triggers.suts.has(_id) || offered.has(_id)
    if (!isLeft && grants.windowFor(request, _id, moment.now) !== undefined) return _id
  }
  return undefined
}

/** Notes SUTs for the requests that are due. Those are looked at again, as others may go before them. */
const lookAtRequests = (triggers: Triggers, look: Look): void => {
  const { queue, grants, moment } = look
  const until = performance.now() + TURN_MS
  while (performance.now() < until) {
    const id = triggers.requests.take(moment.now)
    if (id === undefined) return
    const request = findWaiting(queue, id)
    const mayHave = request !== undefined && mayBeOffered(request, moment) && grants.mayHave(request, moment)
    const sutId = request === undefined || mayHave === false ? undefined : findFor(request, triggers, look)
    if (sutId === undefined) continue
    triggers.suts.note(sutId, moment.now)
    triggers.requests.note(id, moment.now + LOOK_INTERVAL_MS)
  }
}

/** What is recorded about those who wait. */
const makeRecords = (options: GrantingOptions) => {
  const { finishOffer, clock, makeRequestId, onError, signal, reachableFor, randomHex, personOf, views } = options
  const recordNow = makeRecordNow(options)
  const run = (command: RequestCommand) => recordNow(requestDecider, REQUESTS_STREAM, command)
  const runBatches = makeRunBatches(signal)

  const finish = (requests: Queue): Promise<void> =>
    runBatches(requests.filter(hasOffer), async (request) => {
      if (clock.mayRecord()) await finishOffer(request, makeRequestId()).catch(onError)
    })

  /** Ends what has waited too long or in vain. */
  const expire = async (queue: Queue, suts: KnownSuts): Promise<void> => {
    const moment = { now: clock.now(), reachableFor: reachableFor() }
    const unknown = queue.flatMap(({ sut_id }) =>
      sut_id === undefined || suts.find(sut_id) !== undefined ? [] : [sut_id],
    )
    const retired = new Set(unknown.filter((sutId) => views.newest('sut', sutId)?.ended === 'retired'))
    if (queue.some((request) => expiryOf(request, moment, retired) !== undefined))
      await run({ type: 'ExpireRequests', retired, reachableFor: moment.reachableFor })
  }

  return {
    /** Offers SUTs to those who wait, and ends each offer. The requests that were offered one; undefined if refused. */
    offer: async (sutIds: readonly string[], grants: Grants): Promise<ReadonlySet<string> | undefined> => {
      const random = (): string => randomHex(8)
      const outcome = await run({ type: 'OfferSuts', sutIds, grants, reachableFor: reachableFor(), random })
      if (outcome === undefined) return undefined
      const ids = new Set(outcome.kind === 'recorded' ? outcome.events.map(subjectId) : [])
      await finish(outcome.state.queue.filter(({ _id }) => ids.has(_id)))
      return ids
    },
    /** Ends the offers that a crash has left, what has waited too long, and what nobody may wait for. */
    tidy: async (queue: Queue, suts: KnownSuts): Promise<void> => {
      const now = clock.now()
      await finish(queue.filter(({ offer }) => offer !== undefined && Math.abs(now - offer.time) > LEFT_AFTER_MS))
      await expire(queue, suts)
      const gone = queue.filter(({ offer, user_id }) => offer === undefined && !mayHold(personOf(user_id)))
      for (const user_id of new Set(gone.map((request) => request.user_id))) await run({ type: 'WithdrawAll', user_id })
    },
  }
}

/** Grants SUTs to requests that wait, whatever made them free, until the signal aborts. */
export const runGranting = async (options: GrantingOptions): Promise<void> => {
  const { requests, suts, quotas, personOf, reachableFor, usersSettled, clock, isServing, onError, wake, signal } =
    options
  const triggers = followTriggers({ ...options, clock: clock.now, isLimited: quotas.isLimited })
  const { offer, tidy } = makeRecords(options)

  /** Looks at what is due in one turn of the event loop: at SUTs first, since they can be had at once. */
  const lookAtDue = async (followed: FollowedQueue): Promise<void> => {
    const { queue } = followed
    const known = await suts()
    const useOf = await quotas.usesOf(queue.map(({ user_id }) => user_id))
    // What is due is compared with those who wait now.
    if (followed.queue !== queue) return
    const grants = makeGrants({ suts: known, personOf, useOf })
    const moment = { open: offersIn(queue), now: clock.now(), reachableFor: reachableFor() }
    const offered = new Set(moment.open.map(({ sut_id }) => sut_id))
    const look = { queue, suts: known, grants, moment, offered, personOf }
    if (!triggers.suts.isDue(moment.now)) return lookAtRequests(triggers, look)
    const wanted = lookAtSuts(triggers, look)
    if (wanted.length === 0) return
    const ids = await offer(wanted, grants)
    if (ids === undefined) for (const sutId of wanted) triggers.suts.note(sutId, clock.now() + LOOK_INTERVAL_MS)
    // What becomes of their offers is another trigger. While the views are behind, they would be offered others in vain.
    else for (const id of ids) triggers.requests.forget(id)
  }

  const tick = async (): Promise<void> => {
    if (!isServing() || !clock.mayRecord()) return
    const followed = await requests.get()
    if (followed.queue.length === 0) return triggers.drop()
    await usersSettled()
    if (triggers.takeTidying(clock.now())) await tidy(followed.queue, await suts())
    for (;;) {
      const now = clock.now()
      triggers.spread(followed.queue, now)
      if (signal.aborted || !(triggers.suts.isDue(now) || triggers.requests.isDue(now))) return
      await lookAtDue(followed)
      await turn()
    }
  }

  const grant = async (): Promise<void> => {
    for (; !signal.aborted; await triggers.next()) {
      try {
        await tick()
      } catch (error) {
        triggers.lookAtAll(clock.now() + LOOK_INTERVAL_MS)
        onError(error)
      }
    }
  }
  const watchClock = async (): Promise<void> => {
    for (; !signal.aborted; triggers.poke()) await wake(signal)
    triggers.poke()
  }
  await Promise.all([grant(), watchClock()])
  triggers.close()
}
