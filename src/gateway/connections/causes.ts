import type { SessionCause } from '../../domain/events/session.ts'
import type { Cause } from '../../domain/monitoring/status.ts'

export type CutCause = 'over' | 'released' | 'barred' | 'stopped'

/** Why a connection ended: the side that ended it first, or Berth. */
export type EndCause = Exclude<SessionCause, 'lost'>

/** Why a client was not connected to its SUT. */
export type FailureCause = Cause | 'own_address'

/** Failures of a machine that another connection may be the cause of. */
const MAY_BE_IN_USE: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'refused',
  'wrong_greeting',
  'in_use',
  'refused_by_server',
])

export const mayBeInUse = ({ cause }: ConnectionFailure): boolean => MAY_BE_IN_USE.has(cause)

export interface ConnectionFailure {
  readonly cause: FailureCause
  /** What the SUT says of it, as it may be passed on. */
  readonly reason?: string
}
