import type { Sut } from '../../../projections/sut.ts'
import { DELIVERED_TYPES, type EventType } from '../../domain/event.ts'
import type { WebhookFilter } from '../../domain/events/webhook.ts'
import { makeFit, profileOf } from '../../domain/matching/fit.ts'
import { type FeedEntry, isWanted } from '../../feed/events/entry.ts'
import type { Views } from '../../read-models/views.ts'

const ALL = new Set(DELIVERED_TYPES)

/** Makes the function that says which events a webhook wants. A SUT is compared with criteria as it is at that moment. */
export const makeIsWanted = (
  views: Pick<Views, 'newest'>,
  { types, sut_id: sutId, user_id: userId, match }: WebhookFilter,
): ((entry: FeedEntry) => boolean) => {
  const filter = { types: types === undefined ? ALL : new Set(types as readonly EventType[]), sutId, userId }
  const fits = match && makeFit(match)
  const isOfFitting = ({ sutId }: FeedEntry): boolean => {
    if (fits === undefined) return true
    const version = sutId === undefined ? undefined : views.newest('sut', sutId)
    if (version === undefined) return false
    const sut = JSON.parse(version.document) as Sut
    return fits(profileOf(sut, sut.tags))
  }
  return (entry) => isWanted(filter, entry) && isOfFitting(entry)
}
