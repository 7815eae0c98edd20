/** Those who wait. */

import { useRef } from 'preact/hooks'
import { ownRequests, readAll } from '../../data/lists.ts'
import type { SutRequest } from '../../data/objects.ts'
import { type About, ofKinds } from '../../data/query.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import type { Schemas } from '../../service/api.ts'
import type { Queued } from '../schedule/calendar.ts'
import { ranked } from './wants.ts'

export type WaitingRequest = Schemas['SutRequestRead']

export const queuedBySut = (queue: readonly SutRequest[] | undefined): ReadonlyMap<string, readonly Queued[]> => {
  const all = (queue ?? []).flatMap(({ _id, user_id: userId, user_name: name, duration, sut_id }) =>
    sut_id === undefined ? [] : [{ sutId: sut_id, queued: { _id, userId, name, length: duration * 1_000 } }],
  )
  const bySut = Map.groupBy(all, ({ sutId }) => sutId)
  return new Map([...bySut].map(([sutId, those]) => [sutId, those.map(({ queued }) => queued)]))
}

/** Those who wait that are read again at once when something has changed: a longer queue takes several requests. */
const SHORT = 1_000

/** Everybody who waits and is not passed over, as far as one sees them, by rank. Where it is only counted, it is read some time after a change. */
export const useQueue = (isInView: boolean): Reading<readonly SutRequest[]> => {
  const isShort = useRef(true)
  return useReading({
    key: 'queue',
    read: async (source) => {
      const all = await readAll<SutRequest>(source, '/api/sut_request?status=waiting', 'sut_requests')
      isShort.current = all.length <= SHORT
      return ranked(all)
    },
    ...{ ...ofKinds('sut_request'), isInView: () => isInView && isShort.current },
  })
}

/** Own requests whose places are read again at once when others come and go. */
const FEW = 10

/**
 * What a request is read again for: itself, and others that wait, which move its place; with many own ones some time
 * later. So are reservations and machines, which change only why it waits.
 */
export const aboutRequest = (id: string, own: () => number): About => ({
  of: ({ kind, _id }) => {
    if (kind === 'sut_request') return own() <= FEW ? id : _id
    return kind === 'sut_reservation' || kind === 'sut' ? _id : undefined
  },
  isInView: (changed) => changed === id,
})

export const useRequest = (id: string): Reading<WaitingRequest> => {
  const own = useReading(ownRequests(meOf(usePage())._id)).value?.waiting.length ?? 0
  return useReading({
    ...{ key: `request ${id}`, ...aboutRequest(id, () => own) },
    read: async (source) => (await source.get(`/api/sut_request/${encodeURIComponent(id)}`)).value,
  })
}
