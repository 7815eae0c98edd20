import type { Sut } from '../../projections/sut.ts'
import type { Views } from '../read-models/views.ts'

/** How to reach a SUT. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly protocol: 'vnc' | 'rdp' | 'tcp'
  /** Whether this instance forwards and probes it. */
  readonly isOurs: boolean
}

/** Whether tags match a selector: every name with its value. */
export const fits = (tags: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>): boolean =>
  Object.entries(selector).every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value)

/** The target of a SUT, from its document; undefined if there is none. */
export const makeTargetOf =
  (views: Pick<Views, 'newest'>, selector: Readonly<Record<string, string>>) =>
  (sutId: string): Target | undefined => {
    const version = views.newest('sut', sutId)
    if (version === undefined) return undefined
    const { address, port, sut_type, tags } = JSON.parse(version.document) as Sut
    return { host: address, port, protocol: sut_type, isOurs: fits(tags, selector) }
  }
