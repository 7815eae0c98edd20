import type { SutRequest } from '../../../projections/sut-request.ts'
import { isEmpty } from '../../domain/matching/slot-set.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { Followed } from '../followed.ts'
import type { KnownSuts } from '../matching/suts.ts'
import type { Views } from '../views.ts'

/** Which requests users with a scope see: those that a SUT in it fits. */
export const makeRequestSight = (views: Pick<Views, 'newest'>, followed: Followed<KnownSuts>['get']) => {
  let suts: KnownSuts | undefined
  return {
    /** Reads the SUTs. Nothing is in sight before. @throws StoreUnavailable */
    prepare: async (): Promise<void> => {
      suts = await followed()
    },
    isIn: (requestId: string, scope: Scope): boolean => {
      const version = views.newest('sut_request', requestId)
      if (suts === undefined || version === undefined) return false
      const { match, sut_id } = JSON.parse(version.document) as SutRequest
      return !isEmpty(suts.fitting({ criteria: match, sut_id, scopes: [scope] }))
    },
  }
}
