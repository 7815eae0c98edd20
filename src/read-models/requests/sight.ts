import type { SutRequest } from '../../../projections/sut-request.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { Views } from '../views.ts'
import type { IndexedSuts } from './indexed-suts.ts'

/** Which requests users with a scope see: those that a SUT in it fits. */
export interface RequestSight {
  /** Reads the SUTs. Nothing is in sight before. @throws StoreUnavailable */
  readonly prepare: () => Promise<void>
  readonly isIn: (requestId: string, scope: Scope) => boolean
}

export const makeRequestSight = (views: Pick<Views, 'newest'>, indexed: () => Promise<IndexedSuts>): RequestSight => {
  let suts: IndexedSuts | undefined
  return {
    prepare: async () => {
      suts = await indexed()
    },
    isIn: (requestId, scope) => {
      const version = views.newest('sut_request', requestId)
      if (suts === undefined || version === undefined) return false
      suts.refresh()
      return suts.isOneFitting(suts.inScopes([scope]), JSON.parse(version.document) as SutRequest, [])
    },
  }
}
