import type { Sut } from '../../../projections/sut.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import type { Quotas } from '../../commands/quotas.ts'
import { type Attend, makeAttend } from '../../commands/requests/attend.ts'
import { makeChangeRequest } from '../../commands/requests/change-request.ts'
import { makeFinishOffer } from '../../commands/requests/finish-offer.ts'
import { type MakeRequestOptions, makeMakeRequest } from '../../commands/requests/make-request.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { isPassedOver } from '../../domain/request/ending.ts'
import { findOpenOffers, firstFor, type Grants } from '../../domain/request/rank.ts'
import { allIn } from '../../domain/request/waiting.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type GrantingOptions, runGranting } from '../../processes/granting/granting.ts'
import type { Matching } from '../../read-models/matching/candidates.ts'
import { type Endings, followEndings } from '../../read-models/requests/endings.ts'
import { makeExplain } from '../../read-models/requests/explain.ts'
import { followRequests } from '../../read-models/requests/followed-requests.ts'
import { makeGrants } from '../../read-models/requests/grants.ts'
import { makeHoldersOf } from '../../read-models/requests/holders.ts'
import { makeIndexed, makeRequestSight, type RequestSight } from '../../read-models/requests/indexed-suts.ts'
import type { Views } from '../../read-models/views.ts'
import type { Users } from '../../users/users.ts'

interface OpenRequestsOptions extends Omit<MakeRequestOptions, 'search' | 'grantsFor' | 'finishOffer'> {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly quotas: Quotas
  readonly users: Users
  readonly views: Views
  readonly matching: Matching
  readonly log: { readonly error: (facts: object, sentence: string) => void }
}

/** What the clock triggers. */
export type GrantingTimes = Pick<
  GrantingOptions,
  'clock' | 'isServing' | 'isShared' | 'makeRequestId' | 'wake' | 'signal' | 'isOwn'
>

/** Requests for SUTs that wait until one is free. */
export interface Requests {
  readonly makeRequest: ReturnType<typeof makeMakeRequest>
  readonly changeRequest: ReturnType<typeof makeChangeRequest>
  readonly attend: Attend
  /** Finds out whether a SUT that is free now is for a request with a priority of 0 or more. */
  readonly awaited: () => Promise<(sutId: string) => boolean>
  /** Finds out which requests wait that nobody has asked for, for their `keepalive`. @throws StoreUnavailable */
  readonly passedOver: () => Promise<(id: string) => boolean>
  /** Says why a request waits. */
  readonly explain: ReturnType<typeof makeExplain>
  readonly endings: Endings
  readonly sight: RequestSight
  /** Grants SUTs until the signal aborts. */
  readonly runGranting: (times: GrantingTimes) => Promise<void>
  readonly close: () => void
}

export const openRequests = (options: OpenRequestsOptions): Requests => {
  const { runner, quotas, users, views, matching, limits, reachableFor, clock, randomHex, log } = options
  const followed = followRequests(views, () =>
    runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue, revision }) => ({
      requests: [...allIn(queue)],
      revision,
    })),
  )
  const personOf = users.byId
  const endings = followEndings(views)
  const indexed = makeIndexed(matching.suts)
  const waitForViews = views.waitForStorePosition
  const finishOffer = makeFinishOffer({ runner, quotas, limits, personOf, waitForViews, clock, randomHex })
  /** What is known of users who wait, and of one more. */
  const grantsFor = async (...userIds: readonly string[]): Promise<Grants> => {
    const waiting = await followed.get()
    const useOf = await quotas.usesOf([...userIds, ...waiting.users()])
    return makeGrants({ suts: await matching.suts(), personOf, useOf })
  }
  return {
    makeRequest: makeMakeRequest({ ...options, search: matching.search, finishOffer, grantsFor }),
    changeRequest: makeChangeRequest({ runner, finishOffer, reachableFor }),
    attend: makeAttend({ runner, find: async (id) => (await followed.get()).get(id), reachableFor, clock }),
    awaited: async () => {
      const waiting = await followed.get()
      if (waiting.size() === 0) return () => false
      const grants = await grantsFor()
      return (sutId) => {
        const moment = {
          now: clock(),
          reachableFor: reachableFor(),
          open: findOpenOffers(waiting.offered().map(({ offer }) => offer)),
        }
        const first = firstFor(waiting.ranked(), sutId, grants, moment)
        return moment.open.hasSut(sutId) || (first !== undefined && first.request.priority >= 0)
      }
    },
    passedOver: async () => {
      const waiting = await followed.get()
      const moment = { now: clock(), reachableFor: reachableFor() }
      return (id) => {
        const request = waiting.get(id)
        return request !== undefined && isPassedOver(request, moment)
      }
    },
    explain: makeExplain({
      ...{ indexed, waiting: followed.get, personOf, reachableFor, clock },
      useOf: async (userId) => (await quotas.usesOf([userId]))(userId),
      nameOfSut: (sutId) => {
        const version = views.newest('sut', sutId)
        return version === undefined ? sutId : (JSON.parse(version.document) as Sut).name
      },
      holdersOf: makeHoldersOf(views),
      nameOfUser: (userId) => users.member(userId)?.name ?? userId,
    }),
    endings,
    sight: makeRequestSight(views, indexed),
    runGranting: (times) =>
      runGranting({
        ...{ ...times, runner, views, requests: followed, suts: matching.suts },
        ...{ quotas, personOf, finishOffer, randomHex, reachableFor },
        usersSettled: users.settled,
        random: () => Number.parseInt(randomHex(4), 16) / 2 ** 32,
        onError: (error) => log.error({ err: error }, 'requests that wait were not granted; retrying'),
      }),
    close: () => {
      endings.close()
      followed.close()
    },
  }
}
