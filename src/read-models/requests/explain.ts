import { setImmediate as turn } from 'node:timers/promises'
import { startOfWeek, weekOf } from '../../domain/calendar/week.ts'
import { hasSlot, type SlotSet, sizeOf } from '../../domain/matching/fit-index.ts'
import { isPassedOver, lifeOf } from '../../domain/request/ending.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import { type QuotaUse, quartersOf, refuseExceeding } from '../../domain/reservation/quota.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { lostFrom } from '../../domain/values/keepalive.ts'
import type { Followed } from '../followed.ts'
import type { KnownSuts } from '../matching/suts.ts'
import { makeEstimate } from './estimate.ts'
import type { IndexedSuts } from './indexed-suts.ts'
import { findRivals, type Rivals } from './rivals.ts'
import { type HoldersOf, type Noted, surveySuts } from './survey.ts'
import type { WaitingRequests } from './waiting-requests.ts'
import { explainWaiting, type QuotaNote } from './words.ts'

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

interface ExplainOptions {
  /** @throws StoreUnavailable */
  readonly indexed: () => Promise<IndexedSuts>
  readonly waiting: Followed<WaitingRequests>['get']
  /** A user who has not been removed. */
  readonly personOf: (userId: string) => { readonly scope?: Scope } | undefined
  /** The quota of a user and what is used of it; undefined if nothing limits it, `unknown` if that cannot be read. */
  readonly useOf: (userId: string) => Promise<QuotaUse | 'unknown' | undefined>
  readonly nameOfSut: (sutId: string) => string
  readonly nameOfUser: (userId: string) => string
  /** The users who have SUTs from a moment in Unix seconds on. */
  readonly holdersOf: (suts: readonly Noted[], now: number) => Promise<ReadonlyMap<string, readonly string[]>>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** SUTs looked at for an estimate, of all requests together: some 30 ms. More than that is not estimated. */
const LOOKS_MAX = 250_000
/** Of them in one turn of the event loop. */
const TURN_SIZE = 2_000

/** The scopes of the holder of a request and of who made it; undefined if the holder has been removed. */
const scopesOf = (
  { user_id, asker }: Pick<Waiting, 'user_id' | 'asker'>,
  personOf: ExplainOptions['personOf'],
): readonly Scope[] | undefined => {
  const holder = personOf(user_id)
  if (holder === undefined) return undefined
  const scopes = [holder, ...(asker._id === user_id ? [] : [personOf(asker._id)])]
  return scopes.flatMap((person) => (person?.scope === undefined ? [] : [person.scope]))
}

const noteQuota = (
  { duration }: Waiting,
  use: QuotaUse | 'unknown' | undefined,
  now: number,
  isOwn: boolean,
): QuotaNote | undefined => {
  if (use === undefined || use === 'unknown') return undefined
  const start = Math.floor(now / 1000)
  const refused = refuseExceeding(use, [{ start, quarters: quartersOf(duration), reservations: 1 }], now)
  if (refused === undefined || refused._tag === 'Right') return undefined
  const { hours_per_week, reservations_max } = use.quota
  return refused.left.help?.week == null
    ? { is: 'reservations', most: isOwn ? (reservations_max ?? undefined) : undefined }
    : { is: 'hours', most: isOwn ? (hours_per_week ?? undefined) : undefined, until: startOfWeek(weekOf(start) + 1) }
}

/** When a request is expected to be granted, in Unix milliseconds; null if never, undefined if that is not known. */
const estimate = async (
  request: Waiting,
  own: SlotSet,
  { ranked }: Rivals,
  {
    suts,
    waiting,
    fittingOf,
    now,
  }: {
    readonly suts: KnownSuts
    readonly waiting: WaitingRequests
    readonly fittingOf: (request: Waiting) => SlotSet
    readonly now: number
  },
): Promise<number | null | undefined> => {
  if (ranked === undefined) return undefined
  const estimated = makeEstimate(suts, now)
  for (const { offer } of waiting.offered()) estimated.book(offer.sut_id, offer)
  let [looks, next] = [0, TURN_SIZE]
  for (const rival of ranked) {
    if (rival.offer !== undefined) continue
    const fitting = fittingOf(rival)
    looks += sizeOf(fitting)
    if (looks > LOOKS_MAX) return undefined
    estimated.take({ suts: fitting, duration: rival.duration, expiresAt: rival.expiresAt })
    if (looks < next) continue
    next = looks + TURN_SIZE
    await turn()
  }
  const taken = estimated.take({ suts: own, duration: request.duration, expiresAt: request.expiresAt })
  return taken === undefined ? null : Math.max(now, taken.start * 1000)
}

const NOTHING: SlotSet = new Uint32Array(0)

/** Explains to readers why requests wait. */
export const makeExplain = (options: ExplainOptions) => {
  const { personOf, useOf, nameOfSut, nameOfUser, reachableFor, clock } = options

  const look = async (request: Waiting, reader: Reader, waiting: WaitingRequests, indexed: IndexedSuts) => {
    const now = clock()
    const moment = { now, reachableFor: reachableFor() }
    const { suts } = indexed
    const fittingOf = (each: Waiting): SlotSet => {
      const scopes = scopesOf(each, personOf)
      return scopes === undefined ? NOTHING : indexed.fitting(each, scopes)
    }
    const seen = indexed.inScopes(reader.scope === undefined ? [] : [reader.scope])
    const isSeen = (slot: number): boolean => hasSlot(seen, slot)
    const own = fittingOf(request)
    const rivals = await findRivals(request, own, waiting, {
      indexed,
      scopesOf: (each) => (isPassedOver(each, moment) ? undefined : scopesOf(each, personOf)),
    })
    const holdersOf: HoldersOf = async (held) =>
      new Map([...(await options.holdersOf(held, now / 1000))].map(([sutId, ids]) => [sutId, ids.map(nameOfUser)]))
    const asked = { now, duration: request.duration }
    const survey = await surveySuts(suts, own, asked, { isSeen, nameOf: nameOfSut, holdersOf })
    const expect = () => estimate(request, own, rivals, { suts, waiting, fittingOf, now })
    const isNamed = (sutId: string): boolean => isSeen(suts.place(sutId) ?? -1)
    const offered = request.offer && (isNamed(request.offer.sut_id) ? nameOfSut(request.offer.sut_id) : null)
    const life = isPassedOver(request, moment) ? lifeOf(request) : undefined
    const unattended = life && { since: life.kept || life.began, until: lostFrom(life) }
    return { now, rivals, survey, expect, offered, unattended, expires: Math.ceil(request.expiresAt / 1000) }
  }

  /** Undefined if the request does not wait. */
  return async (id: string, reader: Reader): Promise<Explained | undefined> => {
    const [waiting, indexed] = await Promise.all([options.waiting(), options.indexed()])
    const request = waiting.get(id)
    if (request === undefined) return undefined
    const use = await useOf(request.user_id)
    const { now, rivals, survey, expect, offered, unattended, expires } = await look(request, reader, waiting, indexed)
    const quota = noteQuota(request, use, now, reader.seesQuotas || reader._id === request.user_id)
    // When a quota allows more, an offer ends otherwise or somebody asks again, depends on more than the calendars.
    const isHeldBack =
      quota !== undefined || use === 'unknown' || request.offer !== undefined || unattended !== undefined
    const granted = isHeldBack ? undefined : await expect()
    // A machine that does not work may do so again.
    const isOneLeft = survey.offline.count + survey.inactive.count < survey.fitting
    const isExpected = granted === undefined || !isOneLeft ? undefined : granted !== null
    return {
      position: rivals.count,
      waits_for: explainWaiting({
        ...survey,
        offered,
        unattended,
        quota,
        before: rivals.count,
        expires,
        isExpected,
      }),
      expected_at: granted == null ? null : formatMilliseconds(granted),
    }
  }
}
