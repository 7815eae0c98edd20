import { BERTH } from '../../commands/listen-ports.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { WEBHOOKS_STREAM } from '../../domain/values/ids.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import type { Milliseconds, UnixMilliseconds } from '../../domain/values/units.ts'
import { findWebhook, type WebhookCommand, type WebhookState, webhookDecider } from '../../domain/webhook/decide.ts'
import type { Pace } from '../../feed/call-queue.ts'
import type { FeedEntry } from '../../feed/events/entry.ts'
import type { LogReader } from '../../feed/log-reader.ts'
import { makeRecordNow, type RecordingOptions } from '../process.ts'
import type { DeliveryAttempts } from './attempts.ts'
import { makeDelivery } from './delivery.ts'
import type { Receiver } from './receiver.ts'
import { makeIsWanted, type ReadProfile } from './wanted.ts'

/** Between two records of what a webhook has delivered. */
const RECORDED_EVERY_MS = 10_000
/** Nothing more is sent while what was delivered could not be recorded for so long: a crash would repeat it. */
const UNRECORDED_MAX_MS = 20_000
/** An instance delivers what another was to deliver and has not recorded for so long. */
const TAKE_OVER_MS = 30_000

export interface RunOptions extends RecordingOptions {
  readonly readProfile: ReadProfile
  /** Shared by all webhooks: many that are sent something at once do not hold up requests. */
  readonly pace: Pace
  readonly reader: Pick<LogReader, 'readAfter'>
  readonly receiverOf: (webhook: WebhookState) => Receiver
  readonly attempts: DeliveryAttempts
  readonly instance: string
  /** Whether other instances may deliver. */
  readonly isShared: boolean
  /** Monotonic. */
  readonly sinceBoot: () => Milliseconds
  readonly onError: (error: unknown) => void
}

/** Whether this instance delivers: it recorded the last progress, or what waits was left to it for long enough. */
const makeLeading = ({ isShared, instance, sinceBoot }: RunOptions) => {
  let heldSince: Milliseconds | undefined
  let hasTakenOver = !isShared
  return {
    /** Asked when something waits. */
    leads: (webhook: WebhookState): boolean => {
      if (hasTakenOver || webhook.instance === instance) return true
      heldSince ??= sinceBoot()
      hasTakenOver = sinceBoot() - heldSince >= TAKE_OVER_MS
      return hasTakenOver
    },
    /** Another instance delivers. */
    standBack: (): void => {
      heldSince = undefined
      hasTakenOver = !isShared
    },
  }
}

/** What was delivered, and is not recorded. */
const makeProgress = (sinceBoot: () => Milliseconds, position: () => PublicPosition, recorded: () => number) => {
  let since: Milliseconds | undefined
  let recordedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds since the first delivery that is to be recorded; negative if there is none. */
  const age = (): Milliseconds => (since === undefined || position() <= recorded() ? -1 : sinceBoot() - since)
  return {
    age,
    delivered: (): void => {
      since ??= sinceBoot()
    },
    isDue: (): boolean => age() >= 0 && sinceBoot() - recordedAt >= RECORDED_EVERY_MS,
    /** Records by `act`, which resolves to whether it did. */
    record: async (act: (position: PublicPosition) => Promise<boolean>): Promise<void> => {
      const before = since
      since = undefined
      let isRecorded = false
      try {
        isRecorded = await act(position())
      } finally {
        if (isRecorded) recordedAt = sinceBoot()
        else since = before
      }
    },
    clear: (): void => {
      since = undefined
    },
  }
}

type RecordedCommand = Extract<WebhookCommand, { readonly type: 'AdvanceWebhook' | 'DisableWebhook' | 'RemoveWebhook' }>

const attemptOf = ({ id, type, position }: FeedEntry, now: UnixMilliseconds, attempt: number) => ({
  ...{ event: id, type: `berth.${type}`, position, attempted_at: formatMilliseconds(now), attempt },
})

/** Delivers the events that one webhook wants, and records how far it has come. */
export const makeWebhookRun = (options: RunOptions, first: WebhookState) => {
  const { readProfile, pace, reader, receiverOf, attempts, instance, clock, sinceBoot, onError } = options
  const { _id, begun } = first
  const recordNow = makeRecordNow(options)
  const leading = makeLeading(options)
  let [webhook, receiver, isWanted] = [first, receiverOf(first), makeIsWanted(readProfile, first.filter)]

  const send = async (entry: FeedEntry, attempt: number) => {
    await pace()
    const [to, at] = [webhook, attemptOf(entry, clock.now(), attempt)]
    const sent = await receiver.send({ id: entry.id, body: entry.json() })
    attempts.add(to, at, sent)
    return sent
  }
  const delivery = makeDelivery({
    after: toPublicPosition(first.position),
    readAfter: (position) => reader.readAfter(`webhook ${_id}`, position),
    isWanted: (entry) => isWanted(entry),
    ...{ send, sinceBoot, onError },
    maySend: () => leading.leads(webhook) && progress.age() < UNRECORDED_MAX_MS,
    onDelivered: () => progress.delivered(),
  })
  const progress = makeProgress(sinceBoot, delivery.position, () => webhook.position)

  /** Takes up what was recorded, by whomever. */
  const update = (next: WebhookState): void => {
    const before = webhook
    webhook = next
    if (canonicalJson(next.filter) !== canonicalJson(before.filter)) isWanted = makeIsWanted(readProfile, next.filter)
    const isByOther = next.instance !== instance && next.position > before.position
    if (isByOther) {
      delivery.skip(toPublicPosition(next.position))
      leading.standBack()
      progress.clear()
    }
    const isElsewhere = next.url !== before.url || next.secret !== before.secret
    if (isElsewhere) {
      receiver.close()
      receiver = receiverOf(next)
    }
    if (isByOther || isElsewhere) delivery.retry()
  }

  const record = async (command: RecordedCommand): Promise<boolean> => {
    const outcome = await recordNow(webhookDecider, WEBHOOKS_STREAM, command, BERTH)
    const next = outcome && findWebhook(outcome.state, _id)
    if (next?.begun === begun && next.disabled === null) update(next)
    return outcome !== undefined
  }

  return {
    begun,
    act: delivery.act,
    position: delivery.position,
    update,
    /** Records what came of deliveries, if it is time. */
    record: async (isLast = false): Promise<void> => {
      if (progress.isDue() || (isLast && progress.age() >= 0))
        await progress.record((position) => record({ type: 'AdvanceWebhook', _id, begun, position, instance }))
      const over = delivery.over()
      if (over === 'gone') await record({ type: 'RemoveWebhook', _id, cause: over })
      else if (over !== undefined) await record({ type: 'DisableWebhook', _id, begun, ...over })
    },
    stop: (): void => {
      delivery.stop()
      receiver.close()
    },
  }
}
export type WebhookRun = ReturnType<typeof makeWebhookRun>
