import { readAll } from './lists.ts'
import type { SutRequest } from './objects.ts'
import { ofKinds, type Query } from './query.ts'

interface OwnRequests {
  /** The oldest first. */
  readonly waiting: readonly SutRequest[]
  /** Those that were granted while the page was open. */
  readonly granted: readonly SutRequest[]
}

export const OWN_REQUESTS = 'own requests'

export const ownRequests = (userId: string): Query<OwnRequests> => ({
  ...{ key: OWN_REQUESTS, isKept: true, ...ofKinds('sut_request') },
  read: async (source, _ids, before = { waiting: [], granted: [] }) => {
    const path = `/api/sut_request?user_id=${userId}&status=waiting`
    const waiting = (await readAll<SutRequest>(source, path, 'sut_requests')).toReversed()
    const gone = before.waiting.filter(({ _id }) => !waiting.some((each) => each._id === _id))
    const ended = await Promise.all(gone.map(async ({ _id }) => (await source.get(`/api/sut_request/${_id}`)).value))
    return { waiting, granted: [...before.granted, ...ended.filter(({ status }) => status === 'granted')] }
  },
})
