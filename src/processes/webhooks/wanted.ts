import { LRUCache } from 'lru-cache'
import type { Sut } from '../../../projections/sut.ts'
import { DELIVERED_TYPES, type EventType } from '../../domain/event.ts'
import type { WebhookFilter } from '../../domain/events/webhook.ts'
import { makeFit, type Profile, profileOf } from '../../domain/matching/fit.ts'
import { type FeedEntry, isWanted } from '../../feed/events/entry.ts'
import type { Views } from '../../read-models/views.ts'

const ALL = new Set(DELIVERED_TYPES)
/** SUTs that events have been about lately. */
const PROFILES_MAX = 1_000

/** What criteria compare of a SUT, as it is now, retired or not; undefined if there is none. */
export type ReadProfile = (sutId: string) => Profile | undefined

/** Parses each document once for all webhooks. */
export const makeReadProfile = (views: Pick<Views, 'newest'>): ReadProfile => {
  const known = new LRUCache<string, { readonly document: string; readonly profile: Profile }>({ max: PROFILES_MAX })
  return (sutId) => {
    const document = views.newest('sut', sutId)?.document
    const before = known.get(sutId)
    if (document === undefined || before?.document === document) return before?.profile
    const sut = JSON.parse(document) as Sut
    const profile = profileOf(sut, sut.tags)
    known.set(sutId, { document, profile })
    return profile
  }
}

/** Makes the function that says which events a webhook wants. */
export const makeIsWanted = (
  readProfile: ReadProfile,
  { types, sut_id: sutId, user_id: userId, match }: WebhookFilter,
): ((entry: FeedEntry) => boolean) => {
  const filter = { types: types === undefined ? ALL : new Set(types as readonly EventType[]), sutId, userId }
  const fits = match && makeFit(match)
  const isOfFitting = (id: string | undefined): boolean => {
    const profile = id === undefined ? undefined : readProfile(id)
    return profile !== undefined && fits?.(profile) === true
  }
  return (entry) => isWanted(filter, entry) && (fits === undefined || isOfFitting(entry.sutId))
}
