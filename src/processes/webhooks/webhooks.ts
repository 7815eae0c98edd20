import type { Runner } from '../../commands/command-envelope.ts'
import { makeJoined } from '../../concurrency/once.ts'
import { webhookOwner } from '../../domain/sealed-secret.ts'
import { WEBHOOKS_STREAM } from '../../domain/values/ids.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { type WebhookState, webhookDecider } from '../../domain/webhook/decide.ts'
import { makePace } from '../../feed/call-queue.ts'
import type { LogReader } from '../../feed/log-reader.ts'
import type { Views } from '../../read-models/views.ts'
import type { WebhookSecrets } from '../../vault/vault.ts'
import { type DeliveryAttempt, makeDeliveryAttempts } from './attempts.ts'
import { makeReceiver } from './receiver.ts'
import { makeWebhookRun, type RunOptions, type WebhookRun } from './run.ts'
import type { SendOptions } from './send.ts'
import { makeReadProfile } from './wanted.ts'

export interface WebhooksOptions extends Omit<RunOptions, 'receiverOf' | 'attempts' | 'readProfile' | 'pace'> {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly views: Pick<Views, 'watch' | 'position' | 'newest'>
  readonly reader: LogReader
  readonly sending: SendOptions
  readonly readSecrets: (webhookId: string) => Promise<WebhookSecrets>
  readonly eraseSecrets: (owner: string) => Promise<void>
  /** The name of the log. */
  readonly origin: string
  readonly onAttempt: (webhookId: string, outcome: 'delivered' | 'failed') => void
  /** Called with how many webhooks are disabled, whenever that may have changed. */
  readonly onDisabled: (count: number) => void
}

/** Keeps the runs of the webhooks that are enabled, by what the log says of them. */
const makeRuns = (options: RunOptions & WebhooksOptions) => {
  const { runner, views, reader, attempts, eraseSecrets, onDisabled, onError } = options
  const runs = new Map<string, WebhookRun>()
  const erased = new Set<string>()
  let [isStale, isOver] = [true, false]
  let unfollow: (() => void) | undefined

  const act = (): void => {
    for (const run of runs.values()) run.act()
  }
  const keep = (webhooks: readonly WebhookState[]): void => {
    const enabled = new Map(webhooks.filter(({ disabled }) => disabled === null).map((each) => [each._id, each]))
    for (const [id, run] of [...runs]) {
      const webhook = enabled.get(id)
      if (webhook !== undefined && webhook.begun === run.begun) run.update(webhook)
      else {
        run.stop()
        runs.delete(id)
      }
    }
    for (const [id, webhook] of enabled) if (!isOver && !runs.has(id)) runs.set(id, makeWebhookRun(options, webhook))
    // Without a webhook nothing is kept of what the views fold.
    if (runs.size > 0) unfollow ??= reader.follow(act)
    else {
      unfollow?.()
      unfollow = undefined
    }
    onDisabled(webhooks.length - enabled.size)
  }
  /** A crash may have left them. Where it has not, this only reads. */
  const erase = async (id: string): Promise<void> => {
    await eraseSecrets(webhookOwner(id))
    attempts.forget(id)
    erased.add(id)
  }
  const refresh = makeJoined(async (): Promise<void> => {
    while (isStale) {
      isStale = false
      try {
        const { webhooks, removed } = await runner.inspect(webhookDecider, WEBHOOKS_STREAM, (state) => state)
        keep(webhooks)
        for (const id of removed) if (!erased.has(id)) await erase(id)
      } catch (error) {
        isStale = true
        throw error
      }
    }
    act()
  })
  const unwatch = views.watch((events) => {
    if (!events.some(({ stream }) => stream === WEBHOOKS_STREAM)) return
    isStale = true
    refresh().catch(onError)
  })

  return {
    runs,
    refresh,
    close: (): void => {
      isOver = true
      unwatch()
      unfollow?.()
    },
  }
}

/**
 * Delivers the log to webhooks. Where several instances share a log, the one that last recorded its progress delivers; what
 * it leaves for half a minute another takes over. So what was delivered in that time may be delivered twice, and nothing is
 * left out.
 */
export const makeWebhooks = (options: WebhooksOptions) => {
  const { views, clock, makeRequestId, origin, readSecrets, sending } = options
  const attempts = makeDeliveryAttempts(options.onAttempt)
  const receiverOf = ({ _id, replacedAt }: WebhookState) =>
    makeReceiver({ clock, sending, replacedAt, readSecrets: () => readSecrets(_id) })
  const { runs, refresh, close } = makeRuns({
    ...{ ...options, attempts, receiverOf },
    ...{ readProfile: makeReadProfile(views), pace: makePace() },
  })

  /** Sends one event that is in no log. */
  const test = async (webhook: WebhookState, signal: AbortSignal): Promise<DeliveryAttempt> => {
    const [id, time, type] = [makeRequestId(), formatMilliseconds(clock.now()), 'berth.Test']
    const event = {
      ...{ specversion: '1.0', id, source: origin, type, time, datacontenttype: 'application/json' },
      data: { webhook_id: webhook._id },
    }
    const receiver = receiverOf(webhook)
    signal.addEventListener('abort', receiver.close)
    try {
      const sent = await receiver.send({ id, body: JSON.stringify(event) })
      return attempts.add(webhook, { event: id, type, position: null, attempted_at: time, attempt: 1 }, sent)
    } finally {
      receiver.close()
    }
  }

  return {
    failure: 'webhooks were not delivered; retrying',
    tick: async (): Promise<void> => {
      await refresh()
      await Promise.all([...runs.values()].map((run) => run.record()))
    },
    /** Records what was delivered, and sends nothing more. */
    finish: async (): Promise<void> => {
      close()
      await Promise.all([...runs.values()].map((run) => run.record(true).finally(run.stop)))
    },
    test,
    attemptsOf: attempts.of,
    lastFailureOf: attempts.lastFailureOf,
    /** Up to where a webhook has come, as far as this instance knows. */
    positionOf: ({ _id, position, begun }: WebhookState): PublicPosition => {
      const run = runs.get(_id)
      return toPublicPosition(Math.max(position, run?.begun === begun ? run.position() : position))
    },
    /** How many events of the log each webhook has not passed. */
    lags: (): Readonly<Record<string, number>> =>
      Object.fromEntries([...runs].map(([id, run]) => [id, Math.max(0, views.position() - run.position())])),
  }
}
export type Webhooks = ReturnType<typeof makeWebhooks>
