import type { Sut } from '../../projections/sut.ts'
import type { Runner } from '../commands/command-envelope.ts'
import { findHeld } from '../commands/find-held.ts'
import { fits, type Scope } from '../domain/user/scope.ts'
import type { Decisions } from '../gateway/gateway.ts'
import type { Views } from '../read-models/views.ts'
import type { Upcoming } from './upcoming.ts'

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

export interface AdmissionOptions {
  /** The reservation with this id, if it is forwarded here. */
  readonly get: (id: string) => Upcoming | undefined
  readonly targetOf: (sutId: string) => SutTarget | undefined
  readonly runner: Pick<Runner, 'inspect'>
  readonly clientPseudonyms: {
    readonly matches: (pseudonym: string, address: string) => boolean
    /** False once the key of a pseudonym is gone: it then belongs to no address. */
    readonly isKnown: (pseudonym: string) => boolean
  }
  /** The password of a SUT; undefined if it has none. */
  readonly passwordOf: (sutId: string) => Promise<string | undefined>
  readonly clients: 'holder' | 'any'
}

/** Makes the function that decides who may connect. The log says to which client a reservation is bound. */
export const makeAdmit =
  ({ get, targetOf, runner, clientPseudonyms, passwordOf, clients }: AdmissionOptions): Decisions['admit'] =>
  async (id, address) => {
    const reservation = get(id)
    if (reservation === undefined) return { admitted: false, reason: 'over' }
    const { sut_id } = reservation
    const target = targetOf(sut_id)
    if (target?.isOurs !== true) return { admitted: false, reason: 'not_here' }
    if (clients === 'any') return { admitted: true, isBound: false, hasPassword: false }
    const pseudonym = (await findHeld(runner, sut_id, id))?.client ?? undefined
    if (pseudonym === undefined || !clientPseudonyms.isKnown(pseudonym)) return { admitted: false, reason: 'not_bound' }
    if (!clientPseudonyms.matches(pseudonym, address)) return { admitted: false, reason: 'not_holder' }
    // Other types do not depend on the vault.
    const hasPassword = target.protocol === 'vnc' && (await passwordOf(sut_id)) !== undefined
    return { admitted: true, isBound: true, hasPassword }
  }
