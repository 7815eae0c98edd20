import type { DeliveryFailure } from '../../domain/events/webhook.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { Sent } from './send.ts'

/** DeliveryAttempts of a webhook that are remembered. */
const ATTEMPTS_MAX = 100

/** An attempt to deliver an event, as it is shown. */
export interface DeliveryAttempt {
  /** The id of the event. */
  readonly event: string
  readonly type: string
  /** Null of an event that is in no log. */
  readonly position: PublicPosition | null
  readonly attempted_at: string
  /** From 1. */
  readonly attempt: number
  readonly milliseconds: Milliseconds
  readonly status: number | null
  /** Null where it was delivered. */
  readonly cause: DeliveryFailure['cause'] | null
}

type Attempted = Pick<DeliveryAttempt, 'event' | 'type' | 'position' | 'attempted_at' | 'attempt'>

/** What this instance has sent to webhooks since its start. */
export const makeDeliveryAttempts = (onAttempt: (webhookId: string, outcome: 'delivered' | 'failed') => void) => {
  const attempts = new Map<string, DeliveryAttempt[]>()
  const failures = new Map<string, DeliveryAttempt>()
  return {
    add: (webhookId: string, attempted: Attempted, { status, milliseconds, failure }: Sent): DeliveryAttempt => {
      const attempt = { ...attempted, milliseconds, status: status ?? null, cause: failure?.cause ?? null }
      attempts.set(webhookId, [attempt, ...(attempts.get(webhookId) ?? [])].slice(0, ATTEMPTS_MAX))
      if (failure !== undefined) failures.set(webhookId, attempt)
      onAttempt(webhookId, failure === undefined ? 'delivered' : 'failed')
      return attempt
    },
    /** The newest first. */
    of: (webhookId: string): readonly DeliveryAttempt[] => attempts.get(webhookId) ?? [],
    lastFailureOf: (webhookId: string): DeliveryAttempt | undefined => failures.get(webhookId),
    forget: (webhookId: string): void => {
      attempts.delete(webhookId)
      failures.delete(webhookId)
    },
  }
}
export type DeliveryAttempts = ReturnType<typeof makeDeliveryAttempts>
