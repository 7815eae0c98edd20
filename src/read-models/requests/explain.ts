import { setImmediate as turn } from 'node:timers/promises'
import { startOfWeek, weekOf } from '../../domain/calendar/week.ts'
import { criteriaIn, subjectOf } from '../../domain/matching/fit.ts'
import {
  emptySet,
  hasSlot,
  haveCommonSlot,
  intersect,
  type SlotSet,
  sizeOf,
  slotsIn,
} from '../../domain/matching/slot-set.ts'
import { compareRequests, findWaiting, offersIn, type Queue, type Waiting } from '../../domain/request/queue.ts'
import { isPassedOver, type LifeMoment } from '../../domain/request/rank.ts'
import { type QuotaUse, quartersOf, refuseExceeding } from '../../domain/reservation/quota.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { formatMilliseconds, formatWithOffset } from '../../domain/values/instant.ts'
import { type Kept, lostFrom } from '../../domain/values/keepalive.ts'
import type { Clock } from '../../domain/values/units.ts'
import type { Followed } from '../followed.ts'
import type { KnownSuts } from '../matching/suts.ts'
import { makeEstimate } from './estimate.ts'
import type { FollowedQueue } from './follow-queue.ts'
import { scopesOf } from './grants.ts'

/** Who reads why a request waits, as far as it decides on what is named. */
export interface Reader {
  readonly _id: string
  /** Of the SUTs that it sees; undefined if it sees all. */
  readonly scope: Scope | undefined
  /** Whether it may read the quotas of others. */
  readonly seesQuotas: boolean
}

export interface Explained {
  /** How many rank before it that share a SUT with it that fits both. */
  readonly position: number
  readonly waits_for: readonly string[]
  readonly expected_at: string | null
}

export interface ExplainOptions {
  /** @throws StoreUnavailable */
  readonly suts: Followed<KnownSuts>['get']
  readonly requests: Followed<FollowedQueue>['get']
  /** A user who has not been removed. */
  readonly personOf: (userId: string) => { readonly scope?: Scope } | undefined
  /** The quota of a user and what is used of it; undefined if nothing limits it, `unknown` if that cannot be read. */
  readonly useOf: (userId: string) => Promise<QuotaUse | 'unknown' | undefined>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
  readonly clock: Clock
}

/** More requests before one make an estimate worthless. */
const RIVALS_MAX = 100
/** SUTs looked at for an estimate, of all requests together: some milliseconds. More than that is not estimated. */
const LOOKS_MAX = 100_000
/** Requests compared in one turn of the event loop, whose criteria may be looked for anew. */
const TURN_SIZE = 128

const time = (seconds: number): string => formatWithOffset(Math.floor(seconds), 0)

const describeFit = (fitting: number, offered: string | null | undefined): string => {
  if (offered !== undefined) return `${offered ?? 'A machine'} is being reserved for it.`
  if (fitting === 0) return 'No machine that its user may reserve fits now.'
  return fitting === 1 ? '1 machine fits.' : `${fitting} machines fit.`
}

const describeRivals = (count: number): string | undefined => {
  if (count === 0) return undefined
  return count === 1 ? '1 request is before it.' : `${count} requests are before it.`
}

const describeSilence = (life: Kept): string => {
  const [since, until] = [time((life.kept || life.began) / 1000), time(lostFrom(life) / 1000)]
  return `Nobody has asked for it since ${since}: it is passed over, and expires at ${until}.`
}

/** The criterion that rules out most of the SUTs in scope. */
const describeCriteria = ({ index }: KnownSuts, { match }: Waiting, inScope: SlotSet): string | undefined => {
  if (match === undefined) return undefined
  const all = sizeOf(inScope)
  const { must, mustNot } = criteriaIn(match)
  const ruledOut = [
    ...must.map((each) => ({ subject: subjectOf(each), count: all - sizeOf(intersect(index.holding(each), inScope)) })),
    ...mustNot.map((each) => ({
      subject: `not ${subjectOf(each)}`,
      count: sizeOf(intersect(index.holding(each), inScope)),
    })),
  ]
  const [most] = ruledOut.sort((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) return undefined
  return `${most.subject} rules out the most: ${most.count} of ${all} in scope.`
}

const describeQuota = (
  { duration }: Waiting,
  use: QuotaUse | 'unknown' | undefined,
  now: number,
  isShown: boolean,
): string | undefined => {
  if (use === undefined || use === 'unknown') return undefined
  const start = Math.floor(now / 1000)
  const refused = refuseExceeding(use, [{ start, quarters: quartersOf(duration), reservations: 1 }], now)
  if (refused === undefined || refused._tag === 'Right') return undefined
  if (!isShown) return 'The quota of its user is used up.'
  const { hours_per_week, reservations_max } = use.quota
  if (refused.left.help?.week == null)
    return `The quota of its user, ${reservations_max} reservations that are not over, is used up.`
  const until = time(startOfWeek(weekOf(start) + 1))
  return `The quota of its user, ${hours_per_week} hours in a week, is used up until ${until}.`
}

/** Those who wait and the SUTs, when a request is explained. */
interface Lab {
  readonly suts: KnownSuts
  readonly queue: Queue
  readonly moment: LifeMoment
  readonly personOf: ExplainOptions['personOf']
}

const NOTHING = emptySet(0)

const fittingOf = ({ suts, personOf }: Lab, request: Waiting): SlotSet =>
  personOf(request.user_id) === undefined
    ? NOTHING
    : suts.fitting({ criteria: request.match, sut_id: request.sut_id, scopes: scopesOf(request, personOf) })

/** The requests that rank before another and share a SUT with it that fits both. */
const findRivals = async (lab: Lab, request: Waiting): Promise<readonly Waiting[]> => {
  const own = fittingOf(lab, request).slice()
  const rivals: Waiting[] = []
  let n = 0
  for (const other of lab.queue) {
    if (compareRequests(other, request) >= 0) break
    if (++n % TURN_SIZE === 0) await turn()
    if (!isPassedOver(other, lab.moment) && haveCommonSlot(own, fittingOf(lab, other))) rivals.push(other)
  }
  return rivals
}

/** When a request is expected to be granted, in Unix seconds; null if never, undefined if that is not known. */
const estimate = (lab: Lab, request: Waiting, rivals: readonly Waiting[]): number | null | undefined => {
  if (rivals.length > RIVALS_MAX) return undefined
  const estimated = makeEstimate(lab.suts, lab.moment.now)
  for (const offer of offersIn(lab.queue)) estimated.book(offer.sut_id, offer)
  let looks = 0
  for (const rival of rivals) {
    if (rival.offer !== undefined) continue
    const fitting = fittingOf(lab, rival)
    looks += sizeOf(fitting)
    if (looks > LOOKS_MAX) return undefined
    estimated.take(rival, fitting)
  }
  return estimated.take(request, fittingOf(lab, request)) ?? null
}

/** The name of the SUT that is being offered; null if the reader does not see it, undefined if there is none. */
const nameOfOffered = (suts: KnownSuts, { offer }: Waiting, { scope }: Reader): string | null | undefined => {
  const sut = offer && suts.find(offer.sut_id)
  const isSeen = sut !== undefined && (scope === undefined || hasSlot(suts.index.inScope(scope), sut.slot))
  return offer && (isSeen ? sut.name : null)
}

/** Makes the function that says why a request waits, and until when that may last. */
export const makeExplain =
  ({ suts: followed, requests, personOf, useOf, reachableFor, clock }: ExplainOptions) =>
  /** Undefined if the request does not wait. */
  async (id: string, reader: Reader): Promise<Explained | undefined> => {
    const [suts, { queue }] = await Promise.all([followed(), requests()])
    const request = findWaiting(queue, id)
    if (request === undefined) return undefined
    const use = await useOf(request.user_id)
    const moment = { now: clock(), reachableFor: reachableFor() }
    const lab: Lab = { suts, queue, moment, personOf }
    const rivals = await findRivals(lab, request)
    const own = fittingOf(lab, request)
    const quota = describeQuota(request, use, moment.now, reader.seesQuotas || reader._id === request.user_id)
    const life = isPassedOver(request, moment) ? request.life : undefined
    // When a quota allows more, an offer ends otherwise or somebody asks again, depends on more than the calendars.
    const isHeldBack = quota !== undefined || use === 'unknown' || request.offer !== undefined || life !== undefined
    const granted = isHeldBack ? undefined : estimate(lab, request, rivals)
    // A machine that does not work may do so again.
    const isInVain = granted === null && slotsIn(own).some((slot) => suts.at(slot)?.isBookable === true)
    return {
      position: rivals.length,
      waits_for: [
        describeFit(sizeOf(own), nameOfOffered(suts, request, reader)),
        life && describeSilence(life),
        describeCriteria(suts, request, suts.fitting({ scopes: scopesOf(request, personOf) })),
        quota,
        describeRivals(rivals.length),
        isInVain
          ? `None is expected to be free for it before it expires at ${time(Math.ceil(request.expiresAt / 1000))}.`
          : undefined,
      ].filter((sentence) => sentence !== undefined),
      expected_at: granted == null ? null : formatMilliseconds(Math.max(moment.now, granted * 1000)),
    }
  }
