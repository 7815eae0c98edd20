import type { PendingCalls } from '../../concurrency/calls.ts'
import type { ConnectionFailure } from '../connections/causes.ts'
import type { GatewayOwner } from '../messages.ts'

const REPORT_INTERVAL_MS = 100

/**
 * Counts refusals by reservation and reason, and keeps a reservation's last failure, so that a flood of connections
 * does not become a flood of messages. Bounded by reservations times reasons.
 */
export const makeConnectionRefusals = (tell: PendingCalls<GatewayOwner>['tell']) => {
  const refused = new Map<string, { readonly reservationId: string; readonly reason: string; count: number }>()
  const failed = new Map<string, ConnectionFailure>()
  let timer: NodeJS.Timeout | undefined

  /** Reports the counts now. */
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const { reservationId, reason, count } of refused.values()) tell('onRefused', [reservationId, reason, count])
    for (const [reservationId, failure] of failed) tell('onFailed', [reservationId, failure])
    refused.clear()
    failed.clear()
  }
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, REPORT_INTERVAL_MS)
  }

  return {
    refused: (reservationId: string, reason: string): void => {
      const key = `${reservationId} ${reason}`
      const counted = refused.get(key)
      if (counted === undefined) refused.set(key, { reservationId, reason, count: 1 })
      else counted.count++
      flushSoon()
    },
    failed: (reservationId: string, failure: ConnectionFailure): void => {
      failed.set(reservationId, failure)
      flushSoon()
    },
    flush,
  }
}

export type ConnectionRefusals = ReturnType<typeof makeConnectionRefusals>
