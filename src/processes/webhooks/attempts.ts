import type { DeliveryFailure } from '../../domain/events/webhook.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { WebhookState } from '../../domain/webhook/decide.ts'
import type { Sent } from './send.ts'

/** Attempts that are remembered of a webhook. */
const ATTEMPTS_MAX = 100

export interface DeliveryAttempt {
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

/** A webhook, and the change by which it has its URL. */
type Target = Pick<WebhookState, '_id' | 'url'>

/** What this instance has sent to webhooks since its start. */
export const makeDeliveryAttempts = (onAttempt: (webhookId: string, outcome: 'delivered' | 'failed') => void) => {
  const attempts = new Map<string, DeliveryAttempt[]>()
  const last = new Map<string, { readonly url: string; readonly attempt: DeliveryAttempt }>()
  return {
    add: ({ _id, url }: Target, attempted: Attempted, { status, milliseconds, failure }: Sent): DeliveryAttempt => {
      const attempt = { ...attempted, milliseconds, status: status ?? null, cause: failure?.cause ?? null }
      attempts.set(_id, [attempt, ...(attempts.get(_id) ?? [])].slice(0, ATTEMPTS_MAX))
      // A test, which is at no position, delivers nothing.
      if (attempted.position !== null) last.set(_id, { url, attempt })
      onAttempt(_id, failure === undefined ? 'delivered' : 'failed')
      return attempt
    },
    /** The newest first. */
    of: (webhookId: string): readonly DeliveryAttempt[] => attempts.get(webhookId) ?? [],
    /** Unless something was taken since, or the URL is another one now. */
    lastFailureOf: ({ _id, url }: Target): DeliveryAttempt | undefined => {
      const { attempt, url: at } = last.get(_id) ?? {}
      return at === url && attempt?.cause !== null ? attempt : undefined
    },
    forget: (webhookId: string): void => {
      attempts.delete(webhookId)
      last.delete(webhookId)
    },
  }
}
export type DeliveryAttempts = ReturnType<typeof makeDeliveryAttempts>
