import { randomUUID } from 'node:crypto'
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { status } from '@grpc/grpc-js'
import type { LogEvent } from './append-rules.ts'
import type { Log } from './log.ts'
import { beginning, indexFrom, isInvalidPosition, type Options, type Source, select, sourceOf } from './read-source.ts'
import type { SwitchState } from './switches.ts'
import { asError, type Failure, failure, identifierOf, uuidOf } from './wire.ts'

export interface ReadParts {
  readonly log: Log
  readonly switches: SwitchState
  /** Whether to behave like 23.10, which disconnects slow consumers and sends fewer `caughtUp` messages. */
  readonly isOld: boolean
}

type Call = Parameters<IStreamsServer['read']>[0]

/** Number of examined events per checkpoint. */
const CHECKPOINT_EVERY = 32

const responseOf = (event: LogEvent): streams.ReadResp => {
  const position = String(event.position)
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidOf(event.id))
    .setStreamIdentifier(identifierOf(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata)
  const facts = recorded.getMetadataMap()
  facts.set('type', event.type)
  facts.set('content-type', event.contentType)
  facts.set('created', String(event.created))
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  )
}

/** The client's side of one call: sending waits for the client, and the call may end. */
interface Line {
  readonly send: (response: streams.ReadResp) => Promise<void>
  /** Waits for an event of the call, or for `tell`. */
  readonly news: () => Promise<void>
  readonly tell: () => void
  readonly isOver: () => boolean
  /** Whether the client has not yet taken the last response. */
  readonly isFull: () => boolean
  readonly finish: () => void
}

const makeLine = (call: Call, switches: SwitchState): Line => {
  let happened = Promise.withResolvers<void>()
  let isOver = false
  const tell = (): void => happened.resolve()
  const finish = (): void => {
    isOver = true
    tell()
  }
  const news = async (): Promise<void> => {
    await happened.promise
    happened = Promise.withResolvers()
  }
  call.on('drain', tell)
  call.on('cancelled', finish)
  return {
    send: async (response) => {
      if (switches.isFrozen()) await switches.thawed()
      if (isOver) return
      if (response.hasEvent()) switches.counters.eventsSent++
      if (call.write(response)) return
      while (call.writableNeedDrain && !isOver) await news()
    },
    news,
    tell,
    isOver: () => isOver || call.cancelled,
    isFull: () => call.writableNeedDrain,
    finish,
  }
}

/** The failure for a position where no event starts. */
const nowhere = (isOld: boolean): Failure =>
  isOld
    ? failure(status.UNKNOWN, 'Unexpected ReadAllResult: Error')
    : failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')

const readOnce = async (
  call: Call,
  options: Options,
  source: Source,
  line: Line,
  { isOld }: ReadParts,
): Promise<void> => {
  const events = source.events()
  if (isInvalidPosition(source)) {
    call.emit('error', asError(nowhere(isOld)))
    return
  }
  if (events === undefined) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(source.stream ?? ''))
    await line.send(new streams.ReadResp().setStreamNotFound(missing))
  } else {
    const isBackwards = options.getReadDirection() === 1
    for (const event of select(source, events, isBackwards, Number(options.getCount()))) {
      if (line.isOver()) return
      await line.send(responseOf(event))
    }
  }
  call.end()
}

const checkpoint = ({ position }: LogEvent): streams.ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )

/** New events that a node buffers for a slow consumer. */
const LIVE_MAX = 64

const tooSlow = failure(
  status.ABORTED,
  'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
)

/** A subscriber's place, and whether it receives live events. */
interface Progress {
  at: number
  isLive: boolean
}

interface Subscriber {
  readonly progress: Progress
  readonly source: Source
  readonly line: Line
  readonly parts: ReadParts
  readonly checkpointEvery: number
}

const follow = async ({ progress, source, line, parts, checkpointEvery }: Subscriber): Promise<void> => {
  const caughtUp = new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())
  let [examined, isBehind] = [0, true]
  while (!line.isOver()) {
    const events = source.events()
    const event = events?.[indexFrom(events, source, progress.at + 1)]
    if (event !== undefined) {
      progress.at = source.place(event)
      isBehind = true
      if (source.isWanted(event)) {
        await line.send(responseOf(event))
        parts.switches.sent()
      }
      if (++examined % checkpointEvery === 0) await line.send(checkpoint(event))
    } else if (isBehind) {
      isBehind = false
      // Check again for new events before waiting.
      if (events !== undefined || !parts.isOld) await line.send(caughtUp)
    } else {
      progress.isLive = true
      await line.news()
    }
  }
}

const subscribe = async (call: Call, options: Options, parts: ReadParts, line: Line): Promise<void> => {
  const source = sourceOf(options, parts.log)
  const progress = { at: beginning(source), isLive: false }
  const fail = (failure: Failure): void => {
    line.finish()
    call.emit('error', asError(failure))
  }
  const cutOff = (): void => {
    const events = source.events() ?? []
    if (events.length - indexFrom(events, source, progress.at + 1) > LIVE_MAX) fail(tooSlow)
  }
  const unwatch = parts.log.watch(() => {
    line.tell()
    if (parts.isOld && progress.isLive && line.isFull() && !line.isOver()) cutOff()
  })
  const forget = parts.switches.onEnd(fail)
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID())
  await line.send(new streams.ReadResp().setConfirmation(confirmation))
  const filter = options.getFilter()
  const window = (filter?.getMax() || CHECKPOINT_EVERY) * (filter?.getCheckpointintervalmultiplier() || 1)
  const checkpointEvery = filter === undefined ? Number.POSITIVE_INFINITY : window
  await follow({ progress, source, line, parts, checkpointEvery })
  unwatch()
  forget()
}

export const makeRead =
  (parts: ReadParts): IStreamsServer['read'] =>
  async (call) => {
    const line = makeLine(call, parts.switches)
    call.on('error', () => undefined)
    const options = call.request.getOptions() ?? new streams.ReadReq.Options()
    const isSubscription = options.hasSubscription()
    const refused = await parts.switches.admit(isSubscription ? 'subscription' : 'read', call.metadata)
    if (line.isOver()) return
    if (refused !== undefined) call.emit('error', asError(refused))
    else if (isSubscription) await subscribe(call, options, parts, line)
    else await readOnce(call, options, sourceOf(options, parts.log), line, parts)
  }
