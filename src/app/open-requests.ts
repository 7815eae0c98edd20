import type { Quotas } from '../commands/quotas.ts'
import { makeChangeRequest } from '../commands/requests/change-request.ts'
import { makeCreateMatched } from '../commands/requests/create-matched.ts'
import { makeFinishOffer } from '../commands/requests/finish-offer.ts'
import { makeMakeRequest } from '../commands/requests/make-request.ts'
import type { RequestParts } from '../commands/requests/search.ts'
import { requestDecider } from '../domain/request/decide.ts'
import { findWaiting } from '../domain/request/queue.ts'
import { type Grants, isPassedOver } from '../domain/request/rank.ts'
import { REQUESTS_STREAM } from '../domain/values/ids.ts'
import { type GrantingOptions, runGranting } from '../processes/granting.ts'
import type { Matching } from '../read-models/matching/matching.ts'
import { followEndings } from '../read-models/requests/endings.ts'
import { makeExplain } from '../read-models/requests/explain.ts'
import { followQueue } from '../read-models/requests/follow-queue.ts'
import { makeGrants } from '../read-models/requests/grants.ts'
import type { Views } from '../read-models/views.ts'
import type { Users } from '../users/users.ts'

interface OpenRequestsOptions extends Omit<RequestParts, 'search' | 'grantsFor' | 'personOf' | 'waitForViews'> {
  readonly quotas: Quotas
  readonly users: Users
  readonly views: Views
  readonly matching: Matching
  readonly log: { readonly error: (facts: object, sentence: string) => void }
}

type GrantingTimes = Pick<GrantingOptions, 'clock' | 'isServing' | 'makeRequestId' | 'wake' | 'signal'>

/** Requests for SUTs that wait until one is free. */
export const openRequests = (options: OpenRequestsOptions) => {
  const { runner, quotas, users, views, matching, reachableFor, clock, randomHex, log } = options
  const followed = followQueue(views, () =>
    runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue, revision }) => ({ queue, revision })),
  )
  const personOf = users.byId
  const endings = followEndings(views)
  /** What is known of users who wait, and of one more. */
  const grantsFor = async (...userIds: readonly string[]): Promise<Grants> => {
    const { queue } = await followed.get()
    const useOf = await quotas.usesOf([...userIds, ...queue.map(({ user_id }) => user_id)])
    return makeGrants({ suts: await matching.suts(), personOf, useOf })
  }
  const known = { search: matching.search, grantsFor, personOf, waitForViews: views.waitForStorePosition }
  const finishOffer = makeFinishOffer({ ...options, ...known })
  const parts = { ...options, ...known, finishOffer }
  return {
    makeRequest: makeMakeRequest(parts),
    /** Reserves any SUT that fits, without waiting. */
    createMatched: makeCreateMatched(parts),
    changeRequest: makeChangeRequest({
      ...parts,
      find: async (id) => findWaiting((await followed.get()).queue, id),
    }),
    /** Finds out which requests wait that nobody has asked for, for their `keepalive`. @throws StoreUnavailable */
    passedOver: async (): Promise<(id: string) => boolean> => {
      const { queue } = await followed.get()
      const moment = { now: clock(), reachableFor: reachableFor() }
      const passedOver = queue.filter((request) => isPassedOver(request, moment))
      const ids = new Set(passedOver.map(({ _id }) => _id))
      return (id) => ids.has(id)
    },
    explain: makeExplain({
      ...{ suts: matching.suts, requests: followed.get, personOf, reachableFor, clock },
      useOf: async (userId) => (await quotas.usesOf([userId]))(userId),
    }),
    endings,
    runGranting: (times: GrantingTimes): Promise<void> =>
      runGranting({
        ...{ ...times, runner, views, requests: followed, suts: matching.suts },
        ...{ quotas, personOf, finishOffer, randomHex, reachableFor },
        usersSettled: users.settled,
        onError: (error) => log.error({ err: error }, 'requests that wait were not granted; retrying'),
      }),
    close: (): void => {
      endings.close()
      followed.close()
    },
  }
}
