import { setImmediate as turn } from 'node:timers/promises'
import type { ReservationInternal } from '../../projections/reservation.ts'
import type { Quotas } from '../commands/quotas.ts'
import type { MakingParts } from '../commands/requests/search.ts'
import { quarterAt } from '../domain/calendar/window.ts'
import { subjectId } from '../domain/idempotency-records.ts'
import { haveCommonSlot, intersect, isEmpty, type SlotSet, setSlot, slotsIn } from '../domain/matching/slot-set.ts'
import { type RequestCommand, requestDecider } from '../domain/request/decide.ts'
import { hasOffer, type OfferedRequest, offersIn, type Queue, type Waiting } from '../domain/request/queue.ts'
import { expiryOf, firstFor, type Grants, type Moment, mayBeOffered } from '../domain/request/rank.ts'
import { REQUESTS_STREAM } from '../domain/values/ids.ts'
import type { StorePosition } from '../domain/values/position.ts'
import type { Followed } from '../read-models/followed.ts'
import { type KnownSut, type KnownSuts, openingOf } from '../read-models/matching/suts.ts'
import type { FollowedQueue } from '../read-models/requests/follow-queue.ts'
import { type GrantsOptions, makeGrants, mayHold, scopesOf, windowNow } from '../read-models/requests/grants.ts'
import type { RowChange } from '../read-models/tables/version.ts'
import type { Views } from '../read-models/views.ts'
import { type BatchOptions, makeRecordNow, type RecordingOptions, runBatches } from './process.ts'

export interface GrantingOptions
  extends RecordingOptions,
    BatchOptions,
    Pick<MakingParts, 'finishOffer' | 'reachableFor' | 'randomHex'> {
  readonly views: Pick<Views, 'watch' | 'newest' | 'waitForStorePosition'>
  readonly requests: Pick<Followed<FollowedQueue>, 'get'>
  /** @throws StoreUnavailable */
  readonly suts: () => KnownSuts | Promise<KnownSuts>
  readonly quotas: Pick<Quotas, 'usesOf'>
  readonly personOf: GrantsOptions['personOf']
  /** Resolves when what the views show of users is known; undefined when it is. */
  readonly usersSettled: () => Promise<void> | undefined
  readonly isServing: () => boolean
  /** Resolves when it is time to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
}

/** SUTs offered in one append: each is compared with all that wait, in one turn of the event loop. */
const SUTS_AT_ONCE = 8
/** An offer that is older has been left by whoever made it; so has one that is as far ahead, by a wrong clock. */
const LEFT_AFTER_MS = 2_000
/** Milliseconds of comparing after which others get their turn. */
const TURN_MS = 5

/** Whether a SUT may have become free for somebody who waits, or somebody fit for a SUT. */
const isTrigger = ({ projection, before, after }: RowChange): boolean => {
  if (projection !== 'reservation') return projection === 'sut' || projection === 'user'
  if (before === undefined) return false
  // A start frees nothing, nor does a sign of life. They change what is internal, as an end does.
  const isShown = before.document !== after.document || before.ended !== after.ended
  return isShown || (JSON.parse(after.internal) as ReservationInternal).recorded === 'end'
}

/** What those who wait and the SUTs are compared by. */
interface Look {
  readonly queue: Queue
  readonly suts: KnownSuts
  readonly grants: Grants
  readonly moment: Moment
  readonly personOf: GrantsOptions['personOf']
  readonly freeUntil: ReturnType<typeof makeFreeUntil>
}

/** Makes the function that says until when a SUT is free that is free now: for most requests, the same SUTs are looked at. */
const makeFreeUntil = (now: number) => {
  const moments = new Map<number, number>()
  return (sut: KnownSut): number => {
    const until = moments.get(sut.slot) ?? openingOf(sut, quarterAt(now)).until
    moments.set(sut.slot, until)
    return until
  }
}

/** The first SUT of a set that a request could be granted now, but for those who go before it. */
const findFor = (request: Waiting, free: SlotSet, look: Look): KnownSut | undefined => {
  const { suts, grants, moment, personOf, freeUntil } = look
  if (!mayBeOffered(request, moment)) return undefined
  const { match: criteria, sut_id } = request
  const fitting = suts.fitting({ criteria, sut_id, scopes: scopesOf(request, personOf) })
  if (!haveCommonSlot(fitting, free) || grants.mayHave(request, moment) === false) return undefined
  const { end } = windowNow(request, moment.now)
  for (const slot of slotsIn(intersect(fitting, free))) {
    const sut = suts.at(slot)
    if (sut !== undefined && end <= freeUntil(sut)) return sut
  }
  return undefined
}

/**
 * A few SUTs that are free and that somebody who waits could be granted now: one for each request, in their order. Others
 * get their turn after some milliseconds, and what has been found by then is not held up by the rest.
 */
const chooseSuts = async (look: Look): Promise<readonly string[]> => {
  const { queue, suts, grants, moment } = look
  const free = suts.free(quarterAt(moment.now)).slice()
  for (const { sut_id } of moment.open) {
    const offered = suts.find(sut_id)
    if (offered !== undefined) setSlot(free, offered.slot, false)
  }
  if (isEmpty(free)) return []
  const wanted: string[] = []
  let until = performance.now() + TURN_MS
  for (const request of queue) {
    if (performance.now() > until) {
      if (wanted.length > 0) break
      await turn()
      until = performance.now() + TURN_MS
    }
    const sut = findFor(request, free, look)
    if (sut === undefined) continue
    setSlot(free, sut.slot, false)
    if (firstFor(queue, sut._id, grants, moment)?.isCertain === true) wanted.push(sut._id)
    if (wanted.length === SUTS_AT_ONCE || isEmpty(free)) break
  }
  return wanted
}

const makeRecords = (options: GrantingOptions) => {
  const { finishOffer, clock, makeRequestId, reachableFor, randomHex, personOf, views } = options
  const recordNow = makeRecordNow(options)
  const run = (command: RequestCommand) => recordNow(requestDecider, REQUESTS_STREAM, command)

  const finish = (requests: Queue): Promise<boolean> => {
    const finishOne = async (request: OfferedRequest): Promise<unknown> =>
      clock.mayRecord() && finishOffer(request, makeRequestId())
    return runBatches(requests.filter(hasOffer), finishOne, options)
  }

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
    /** Offers SUTs to those who wait, and ends each offer. Where the offers are in the log; undefined if there are none. */
    offer: async (sutIds: readonly string[], grants: Grants): Promise<StorePosition | undefined> => {
      const random = (): string => randomHex(8)
      const outcome = await run({ type: 'OfferSuts', sutIds, grants, reachableFor: reachableFor(), random })
      if (outcome?.kind !== 'recorded') return undefined
      const ids = new Set(outcome.events.map(subjectId))
      await finish(outcome.state.queue.filter(({ _id }) => ids.has(_id)))
      return outcome.storePosition
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

/**
 * Grants SUTs to requests that wait, until the signal aborts. Compares all of them with what is free: at once when
 * something may have become free or fit, and whenever it is time to look at the clock, for what time and failures leave.
 */
export const runGranting = async (options: GrantingOptions): Promise<void> => {
  const { views, requests, suts, quotas, personOf, reachableFor, usersSettled } = options
  const { clock, isServing, onError, wake, signal } = options
  const { offer, tidy } = makeRecords(options)
  let alarm = Promise.withResolvers<void>()
  let isTidyDue = true
  /** By views that do not show the last offers, the same SUTs would be offered to others in vain. */
  let lastOffers: StorePosition | undefined

  const unwatch = views.watch((events, changes) => {
    if (changes.some(({ projection }) => projection === 'user')) isTidyDue = true
    if (changes.some(isTrigger) || events.some(({ stream }) => stream === REQUESTS_STREAM)) alarm.resolve()
  })

  /** Resolves to whether there may be more to grant. */
  const grantSome = async (): Promise<boolean> => {
    if (lastOffers !== undefined && !(await views.waitForStorePosition(lastOffers))) return false
    const { queue } = await requests.get()
    const known = await suts()
    const grants = makeGrants({ suts: known, personOf, useOf: await quotas.usesOf(queue.map((each) => each.user_id)) })
    const moment = { open: offersIn(queue), now: clock.now(), reachableFor: reachableFor() }
    const freeUntil = makeFreeUntil(moment.now)
    const wanted = await chooseSuts({ queue, suts: known, grants, moment, personOf, freeUntil })
    const offers = wanted.length === 0 ? undefined : await offer(wanted, grants)
    lastOffers = offers ?? lastOffers
    return offers !== undefined
  }

  const tick = async (): Promise<void> => {
    if (!isServing() || !clock.mayRecord()) return
    const { queue } = await requests.get()
    if (queue.length === 0) return
    await usersSettled()
    if (isTidyDue) {
      isTidyDue = false
      await tidy(queue, await suts())
    }
    while (!signal.aborted && (await grantSome())) await turn()
  }

  const grant = async (): Promise<void> => {
    while (!signal.aborted) {
      await tick().catch(onError)
      await alarm.promise
      alarm = Promise.withResolvers()
    }
  }
  const watchClock = async (): Promise<void> => {
    while (!signal.aborted) {
      await wake(signal)
      isTidyDue = true
      alarm.resolve()
    }
  }
  await Promise.all([grant(), watchClock()])
  unwatch()
}
