import type { Sut } from '../../projections/sut.ts'
import { fits, type Scope } from '../domain/user/scope.ts'
import type { Views } from '../read-models/views.ts'

/** How to reach a SUT. */
export interface SutTarget {
  readonly host: string
  readonly port: number
  readonly protocol: 'vnc' | 'rdp' | 'tcp'
  /** Whether this instance forwards and probes it. */
  readonly isOurs: boolean
}

/** The target of a SUT, from its document; undefined if there is none. */
export const makeTargetOf =
  (views: Pick<Views, 'newest'>, selector: Scope) =>
  (sutId: string): SutTarget | undefined => {
    const version = views.newest('sut', sutId)
    if (version === undefined) return undefined
    const { address, port, sut_type, tags } = JSON.parse(version.document) as Sut
    return { host: address, port, protocol: sut_type, isOurs: fits(tags, selector) }
  }
