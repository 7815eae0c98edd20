import { setImmediate as turn } from 'node:timers/promises'
import type { Outcome, Runner } from '../../commands/command-envelope.ts'
import type { Quotas } from '../../commands/quotas.ts'
import type { FinishOffer } from '../../commands/requests/finish-offer.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { NEVER, openingAt } from '../../domain/matching/openings.ts'
import { type RequestCommand, requestDecider } from '../../domain/request/decide.ts'
import { expiryOf } from '../../domain/request/ending.ts'
import { findOpenOffers, firstFor, type Grants, type Moment } from '../../domain/request/rank.ts'
import type { RequestsState } from '../../domain/request/state.ts'
import { findWaiting, hasOffer, type OfferedRequest } from '../../domain/request/waiting.ts'
import { type RandomHex, REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { Followed } from '../../read-models/followed.ts'
import type { KnownSut, KnownSuts } from '../../read-models/matching/suts.ts'
import { type GrantsOptions, makeGrants, mayHold } from '../../read-models/requests/grants.ts'
import type { WaitingRequests } from '../../read-models/requests/waiting-requests.ts'
import type { Views } from '../../read-models/views.ts'
import { makeRecordNow, makeRunBatches, type RecordingOptions } from '../process.ts'
import { type Due, followTriggers, type TriggersOptions } from './triggers.ts'

export interface GrantingOptions
  extends RecordingOptions,
    Omit<TriggersOptions, 'clock' | 'isHeldBack' | 'keepaliveOf'> {
  readonly views: Pick<Views, 'watch' | 'newest'>
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly requests: Pick<Followed<WaitingRequests>, 'get'>
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
/** Milliseconds of comparing after which others get their turn. */
const TURN_MS = 5

/** The SUTs that are free for a while at least, of all or of some. */
const freeAmong = function* (ids: ReadonlySet<string> | 'all', suts: KnownSuts, now: number): Generator<string> {
  const isFree = (sut: KnownSut | undefined): sut is KnownSut =>
    sut?.isBookable === true && openingAt(sut.windows, quarterAt(now), sut.turnaround).begins !== NEVER
  if (ids !== 'all') return yield* [...ids].filter((sutId) => isFree(suts.find(sutId)))
  for (let slot = 0; slot < suts.size(); slot++) {
    const sut = suts.at(slot)
    if (isFree(sut)) yield sut._id
  }
}

/** Finds the SUTs, of those that are due, that somebody who waits could be granted. */
const findWanted = async (
  waiting: WaitingRequests,
  due: Due,
  known: KnownSuts,
  grants: Grants,
  moment: Moment,
): Promise<{ readonly wanted: readonly string[]; readonly isCertain: boolean }> => {
  const requests = due.requests.flatMap((id) => waiting.get(id) ?? []).filter((request) => !hasOffer(request))
  const isDue = (sutId: string): boolean =>
    due.suts === 'all' ||
    due.suts.has(sutId) ||
    requests.some((request) => grants.windowFor(request, sutId, moment) !== undefined)
  const wanted: string[] = []
  let isCertain = true
  let began = performance.now()
  for (const sutId of freeAmong(requests.length > 0 ? 'all' : due.suts, known, moment.now)) {
    const isLeft = moment.open.hasSut(sutId) || !isDue(sutId)
    const first = isLeft ? undefined : firstFor(waiting.ranked(), sutId, grants, moment)
    if (first !== undefined) {
      wanted.push(sutId)
      isCertain &&= first.window !== 'unknown'
    }
    if (performance.now() - began > TURN_MS) {
      await turn()
      began = performance.now()
    }
  }
  return { wanted, isCertain }
}

/** Offers SUTs that are free to those who wait, and sees to it that each offer ends. */
const makeOffer = (options: GrantingOptions, run: Run, finish: (request: OfferedRequest) => Promise<void>) => {
  const { runner, suts, quotas, personOf, reachableFor, clock, randomHex, signal } = options
  const runBatches = makeRunBatches(signal)

  const finishNew = async ({ kind, ...outcome }: Outcome<RequestsState>): Promise<void> => {
    if (kind !== 'recorded' || !('events' in outcome)) return
    const ids = outcome.events.flatMap(({ type, data }) => (type === 'RequestOffered' ? [data._id] : []))
    const offered = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) =>
      ids.flatMap((id) => findWaiting(queue, id) ?? []),
    )
    await runBatches(offered.filter(hasOffer), finish)
  }

  /** False if it could not be known what some may have. */
  return async (waiting: WaitingRequests, due: Due): Promise<boolean> => {
    const known = await suts()
    const useOf = await quotas.usesOf(waiting.users())
    const newGrants = (): Grants => makeGrants({ suts: known, personOf, useOf })
    const open = findOpenOffers(waiting.offered().map(({ offer }) => offer))
    const moment = { open, now: clock.now(), reachableFor: reachableFor() }
    const { wanted, isCertain } = await findWanted(waiting, due, known, newGrants(), moment)
    for (let n = 0; n < wanted.length && !signal.aborted; n += SUTS_AT_ONCE) {
      const offering = wanted.slice(n, n + SUTS_AT_ONCE)
      const outcome = await run({
        ...{ type: 'OfferSuts', sutIds: offering, grants: newGrants(), reachableFor: reachableFor() },
        random: () => randomHex(8),
      })
      if (outcome === undefined) return false
      await finishNew(outcome)
    }
    return isCertain
  }
}

const NONE: ReadonlySet<string> = new Set()

type Run = (command: RequestCommand) => Promise<Outcome<RequestsState> | undefined>

/** Ends what has waited too long, what nobody may wait for any more, and the offers that a crash has left. */
const makeTidy = (options: GrantingOptions, run: Run, finish: (request: OfferedRequest) => Promise<void>) => {
  const { clock, personOf, usersSettled, reachableFor, views, signal } = options
  const runBatches = makeRunBatches(signal)
  return {
    /** The SUTs that new requests name, or that may have changed, and that have been retired. */
    findRetired: (waiting: WaitingRequests, due: Due): ReadonlySet<string> => {
      if (due.suts !== 'all' && due.suts.size === 0 && due.requests.length === 0) return NONE
      const isDue = (sutId: string): boolean => due.suts === 'all' || due.suts.has(sutId)
      const named = new Set(due.requests.flatMap((id) => waiting.get(id)?.sut_id ?? []))
      for (const { sut_id } of waiting.ranked()) if (sut_id !== undefined && isDue(sut_id)) named.add(sut_id)
      return new Set([...named].filter((sutId) => views.newest('sut', sutId)?.ended === 'retired'))
    },
    /** False if nothing could be recorded. */
    expired: async (waiting: WaitingRequests, retired: ReadonlySet<string>): Promise<boolean> => {
      const moment = { now: clock.now(), reachableFor: reachableFor() }
      const isOne = waiting.ranked().some((request) => expiryOf(request, moment, retired) !== undefined)
      if (!isOne) return true
      const command = { type: 'ExpireRequests', retired, reachableFor: moment.reachableFor } as const
      return (await run(command)) !== undefined
    },
    left: async (waiting: WaitingRequests): Promise<void> => {
      const now = clock.now()
      const left = waiting.offered().filter(({ offer }) => Math.abs(now - offer.time) > LEFT_AFTER_MS)
      await runBatches([...left], finish)
    },
    /** False if some have an open offer, which ends first, or nothing could be recorded. */
    withdrawn: async (waiting: WaitingRequests, users: Iterable<string>): Promise<boolean> => {
      await usersSettled()
      const gone = new Set([...users].filter((userId) => !mayHold(personOf(userId))))
      let isDone = !waiting.offered().some(({ user_id }) => gone.has(user_id))
      for (const user_id of gone) if ((await run({ type: 'WithdrawAll', user_id })) === undefined) isDone = false
      return isDone
    },
  }
}

/** Grants SUTs to requests that wait, whatever made them free, until the signal aborts. */
export const runGranting = async (options: GrantingOptions): Promise<void> => {
  const { requests, quotas, finishOffer, clock, isServing, makeRequestId, onError, wake, signal } = options
  let known: WaitingRequests | undefined
  const isHeldBack = (userId: string): boolean => quotas.isLimited(userId) && known?.isWaiting(userId) === true
  const keepaliveOf = (requestId: string): number | undefined => known?.get(requestId)?.keepalive
  const triggers = followTriggers({ ...options, clock: clock.now, isHeldBack, keepaliveOf })

  const recordNow = makeRecordNow(options)
  const run: Run = (command) => recordNow(requestDecider, REQUESTS_STREAM, command)
  const finish = async (request: OfferedRequest): Promise<void> => {
    if (clock.mayRecord()) await finishOffer(request, makeRequestId()).catch(onError)
  }
  const offer = makeOffer(options, run, finish)
  const tidy = makeTidy(options, run, finish)

  const lookAgain = ({ atUsers } = { atUsers: false }): void =>
    triggers.lookAgain(clock.now() + LOOK_INTERVAL_MS, atUsers)

  let lookAt = 0
  const tick = async (): Promise<void> => {
    if (!isServing() || !clock.mayRecord()) return
    const waiting = await requests.get()
    known = waiting
    const due = triggers.take(clock.now())
    if (waiting.size() === 0) return
    try {
      const ofNew = due.requests.flatMap((id) => waiting.get(id)?.user_id ?? [])
      const users = due.hasNewUsers ? waiting.users() : ofNew
      if (!(await tidy.withdrawn(waiting, users))) lookAgain({ atUsers: true })
      const retired = tidy.findRetired(waiting, due)
      const isLookDue = Math.abs(clock.now() - lookAt) >= LOOK_INTERVAL_MS
      if (isLookDue) {
        lookAt = clock.now()
        await tidy.left(waiting)
      }
      if ((isLookDue || retired.size > 0) && !(await tidy.expired(waiting, retired))) lookAgain()
      const isDue = due.suts === 'all' || due.suts.size > 0 || due.requests.length > 0
      if (isDue && !(await offer(waiting, due))) lookAgain()
    } catch (error) {
      lookAgain({ atUsers: due.hasNewUsers })
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
