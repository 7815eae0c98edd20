import * as E from 'fp-ts/lib/Either.js'
import type { OfflineCause } from '../../../domain/events/monitoring.ts'
import { invalid } from '../../../domain/failure.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { BEFORE_FIRST } from '../../../domain/values/position.ts'
import type { Outages, SutOutages } from '../../../read-models/lists/outages.ts'
import type { ListResult } from '../../../read-models/long-reads.ts'
import type { User } from '../../../users/user.ts'
import type { OutagesOfOneQuery, OutagesQuery } from '../../codecs/outages.ts'
import { inQuery } from '../../codecs/query.ts'
import type { Refusal } from '../../protocol/problem.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { ifReaching } from '../../response/objects.ts'
import { notFound, visibleTo } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'

/** Outages of a SUT in a span, as responses show them. */
export interface ShownOutages {
  /** Those that overlap the span, each as a whole. `to` is null while it lasts. */
  readonly outages: readonly { readonly from: string; readonly to: string | null; readonly cause: OfflineCause }[]
  /** The parts of the span in which the SUT was not monitored, or not probed yet. */
  readonly unknown: readonly { readonly from: string; readonly to: string }[]
}

/** Changes of status per response. */
const CHANGES_MAX = 10_000

const show = ({ outages, unknown }: Outages): ShownOutages => ({
  outages: outages.map(({ from, to, cause }) => ({
    from: formatMilliseconds(from),
    to: to === null ? null : formatMilliseconds(to),
    cause,
  })),
  unknown: unknown.map(({ from, to }) => ({ from: formatMilliseconds(from), to: formatMilliseconds(to) })),
})

const tooMany = (): Refusal =>
  invalid([
    inQuery('to', `leaves more than ${CHANGES_MAX.toLocaleString('en')} changes; ask for less time or fewer SUTs`),
  ])

export const makeOutageHandlers = ({ objects, clock }: Pick<Parts, 'objects' | 'clock'>) => {
  const read = async (
    { sut_ids, from, to }: OutagesQuery,
    user: User,
  ): Promise<E.Either<Refusal, ListResult<readonly SutOutages[]>>> => {
    const now = clock()
    if (from >= now) return E.left(invalid([inQuery('from', 'is in the future')]))
    const asked = { sut_ids, scope: user.scope, from, to: Math.min(to, now), max: CHANGES_MAX }
    const answered = await objects.showList('outages', asked)
    if (E.isLeft(answered)) return answered
    const { position, listed } = answered.right
    return listed === undefined ? E.left(tooMany()) : E.right({ position, listed })
  }

  return {
    ofOne: async ({ params, query, user }: Call<unknown, OutagesOfOneQuery>): RouteResult => {
      const id = params.id ?? ''
      const found = await visibleTo(objects, user).newest('sut', id)
      if (E.isLeft(found)) return found
      const answered = ifReaching(found.right?.created ?? BEFORE_FIRST, await read({ ...query, sut_ids: [id] }, user))
      if (E.isLeft(answered)) return answered
      const { position, listed } = answered.right
      const [only] = found.right === undefined ? [] : listed
      if (only === undefined) return E.left(notFound('sut'))
      return E.right({ status: 200, body: JSON.stringify(show(only)), position })
    },
    list: async ({ query, user }: Call<unknown, OutagesQuery>): RouteResult => {
      const answered = await read(query, user)
      if (E.isLeft(answered)) return answered
      const { position, listed } = answered.right
      const suts = listed.map((one) => ({ sut_id: one.sut_id, ...show(one) }))
      return E.right({ status: 200, body: JSON.stringify({ suts }), position })
    },
  }
}
