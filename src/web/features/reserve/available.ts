/** What could be had of several machines, as `GET /api/availability` says it. */

import type { Match } from '../../data/objects.ts'
import { QUARTER, toIso } from '../../format/format.ts'
import type { Readable } from '../../service/api.ts'
import { ceilQuarter, type Stretch } from '../schedule/calendar.ts'
import { type Asked, beginOf, windowOf } from '../schedule/draft.ts'

export interface Offer extends Stretch {
  readonly sutId: string
  readonly name: string
}

export interface Available {
  readonly window: Stretch
  /** The machines that are free in it, in the order in which the service takes them. */
  readonly free: readonly Offer[]
  readonly hasMore: boolean
  /** Where none is free: the first time as long as asked for. */
  readonly next: Offer | undefined
  /** Where none is free: a long time from the same start. */
  readonly shorter: Offer | undefined
}

/** What was released becomes free with the next full second, and is offered before: nobody presses as fast. */
const RELEASE_MS = 1_000

const PAGE = 100
const SPAN_MS = 31 * 86_400_000

export interface Sought {
  readonly match: Match
  readonly userId: string
}

/** `after` is the `next` of the page before. */
const read = async (
  api: Readable,
  { match, userId: user_id }: Sought,
  { from, to }: Stretch,
  length: number,
  limit = PAGE,
  after?: string,
) => {
  const asked = { match: JSON.stringify(match), user_id, from: toIso(from), to: toIso(to), limit: String(limit) }
  const duration = String(Math.ceil(length / 1_000))
  const query = new URLSearchParams({ ...asked, duration, ...(after !== undefined && { after }) })
  const { next, suts } = (await api.get(`/api/availability?${query}`)).value
  const offers = suts.flatMap(({ _id: sutId, name, free: [first] }): readonly Offer[] =>
    first === undefined ? [] : [{ sutId, name, from: Date.parse(first.start_time), to: Date.parse(first.end_time) }],
  )
  return { offers, next }
}

/** The earliest free time of the length asked for, on any machine that is sought or, given `sutIds`, on one of those. */
export const readLater = async (
  api: Readable,
  sought: Sought,
  asked: Asked,
  now: number,
  sutIds?: ReadonlySet<string>,
): Promise<Offer | undefined> => {
  const length = ceilQuarter(asked.length)
  const since = ceilQuarter(beginOf(asked, now))
  const limit = sutIds === undefined ? 1 : PAGE
  for (let after: string | undefined; ; ) {
    const span = { from: since, to: since + SPAN_MS }
    const { offers, next } = await read(api, sought, span, length, limit, after)
    // The earliest is first.
    const found = offers.find(({ sutId }) => sutIds?.has(sutId) ?? true)
    if (found !== undefined) return { ...found, to: found.from + length }
    if (next === null) return undefined
    after = next
  }
}

export const readAvailable = async (api: Readable, sought: Sought, asked: Asked, now: number): Promise<Available> => {
  const window = windowOf(asked, now, [])
  const begin = beginOf(asked, now)
  // A machine that was given back in the quarter of now is free from then on.
  const { offers, next: more } = await read(api, sought, window, window.to - Math.max(begin, window.from))
  const free = offers.filter(({ from }) => from <= begin + RELEASE_MS)
  if (free.length > 0) return { window, free, hasMore: more !== null, next: undefined, shorter: undefined }
  const next = await readLater(api, sought, asked, now)
  const some = await read(api, sought, window, QUARTER)
  const shorter = some.offers
    .filter(({ from, to }) => from <= begin && to - begin >= QUARTER)
    .reduce<Offer | undefined>((best, offer) => (best !== undefined && best.to >= offer.to ? best : offer), undefined)
  return { window, free, hasMore: false, next, shorter }
}
