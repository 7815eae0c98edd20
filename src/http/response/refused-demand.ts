import type { SutRequest } from '../../../projections/sut-request.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { DEMAND_CODES } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import type { Views } from '../../read-models/views.ts'
import type { Call } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'

/** What somebody wanted and did not get. */
interface Demand {
  readonly user_id: string
  readonly sut_id?: string
  readonly match?: Criteria
}

/** A request, as far as it decides on what was wanted. */
export type RefusedCall = Pick<Call<unknown>, 'user' | 'id' | 'body'> & { readonly path: string }

/** The documents of objects that concern a SUT or criteria, by the beginning of the paths of their routes. */
const DOCUMENTS = [
  ['/api/sut_reservation/:id', 'reservation'],
  ['/api/sut_reservation_series/:id', 'series'],
  ['/api/sut_request/:id', 'sut_request'],
] as const

const makeDemandOf =
  ({ newest }: Pick<Views, 'newest'>) =>
  ({ user, id, body, path }: RefusedCall): Demand | undefined => {
    const { user_id = user._id, match, sut_id } = (body ?? {}) as Partial<Demand>
    if (match !== undefined) return { user_id, match }
    if (sut_id !== undefined) return { user_id, sut_id }
    if (path.startsWith('/api/sut/:id')) return { user_id: user._id, sut_id: id }
    const kind = DOCUMENTS.find(([beginning]) => path.startsWith(beginning))?.[1]
    const version = kind && newest(kind, id)
    if (version === undefined) return undefined
    const { user_id: holder, ...wanted } = JSON.parse(version.document) as SutRequest
    return { user_id: holder, ...(wanted.match ? { match: wanted.match } : { sut_id: wanted.sut_id ?? '' }) }
  }

/** Counts refusals for what is reserved already, for the state of a SUT and for a quota: demand that was denied. */
export const makeCountDemand = (views: Pick<Views, 'newest'>, count: (refused: Demand & { code: string }) => void) => {
  const demandOf = makeDemandOf(views)
  return ({ code }: Refusal, call: RefusedCall): void => {
    if (!DEMAND_CODES.has(code)) return
    const demand = demandOf(call)
    if (demand === undefined || (demand.match === undefined && !isAssignedId(demand.sut_id ?? ''))) return
    count({ ...demand, code })
  }
}
