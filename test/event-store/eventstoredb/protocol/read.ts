import { randomUUID } from 'node:crypto'
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { status } from '@grpc/grpc-js'
import type { Log, LogEvent } from './log.ts'
import type { SwitchState } from './switches.ts'
import { asError, type Failure, failure, identifierOf, nameOf, uuidOf } from './wire.ts'

interface ReadParts {
  readonly log: Log
  readonly switches: SwitchState
  /** Whether to behave like 23.10, which disconnects slow consumers. */
  readonly isOld: boolean
}

type Call = Parameters<IStreamsServer['read']>[0]
type Options = streams.ReadReq.Options

/** The events to read, and the number that orders them. */
interface Source {
  /** The stream; absent for the whole log. */
  readonly stream?: string
  readonly events: () => readonly LogEvent[] | undefined
  readonly place: (event: LogEvent) => number
  readonly from: number | 'start' | 'end'
  readonly isWanted: (event: LogEvent) => boolean
}

const filterOf = (options: Options): Source['isWanted'] => {
  const expression = options.getFilter()?.getStreamIdentifier()
  if (expression === undefined) return () => true
  const prefixes = expression.getPrefixList()
  const regex = new RegExp(expression.getRegex())
  return ({ stream }) =>
    prefixes.length > 0 ? prefixes.some((prefix) => stream.startsWith(prefix)) : regex.test(stream)
}

const sourceOf = (options: Options, log: Log): Source => {
  const isWanted = filterOf(options)
  const all = options.getAll()
  if (all !== undefined) {
    const from = all.hasStart() ? 'start' : all.hasEnd() ? 'end' : Number(all.getPosition()?.getCommitPosition())
    return { events: log.all, place: ({ position }) => position, from, isWanted }
  }
  const one = options.getStream() ?? new streams.ReadReq.Options.StreamOptions()
  const stream = nameOf(one.getStreamIdentifier())
  const from = one.hasStart() ? 'start' : one.hasEnd() ? 'end' : Number(one.getRevision())
  return { stream, events: () => log.readable(stream), place: ({ revision }) => revision, from, isWanted }
}

/** The index of the first event at or after a place. */
const indexFrom = (events: readonly LogEvent[], { place }: Source, at: number): number => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (place(events[middle] as LogEvent) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The wanted events of one read, in its direction, at most `count`. */
const select = (source: Source, events: readonly LogEvent[], isBackwards: boolean, count: number) => {
  const { from, isWanted } = source
  const start = from === 'start' ? 0 : from === 'end' ? events.length - 1 : indexFrom(events, source, from)
  const selected: LogEvent[] = []
  for (let at = start; selected.length < count; at += isBackwards ? -1 : 1) {
    const event = events[at]
    if (event === undefined) break
    if (isWanted(event)) selected.push(event)
  }
  return selected
}

/** Whether the read starts at a log position where no event starts. */
const isInvalidPosition = (source: Source, events: readonly LogEvent[] = []): boolean => {
  const { from, stream, place } = source
  if (stream !== undefined || typeof from !== 'number') return false
  const next = events[indexFrom(events, source, from)]
  return next !== undefined && place(next) !== from
}

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
  facts.set('content-type', 'application/json')
  // In ticks of 100 ns.
  facts.set('created', String(BigInt(event.written) * 10_000n))
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  )
}

/** The client's side of one call: sending waits for the client, and the call may end. */
const makeLine = (call: Call, switches: SwitchState) => {
  let happened = Promise.withResolvers<void>()
  let isOver = false
  const tell = (): void => happened.resolve()
  const finish = (): void => {
    isOver = true
    tell()
  }
  /** Waits for an event of the call, or for `tell`. */
  const news = async (): Promise<void> => {
    await happened.promise
    happened = Promise.withResolvers()
  }
  call.on('drain', tell)
  call.on('cancelled', finish)
  return {
    send: async (response: streams.ReadResp): Promise<void> => {
      if (switches.isFrozen()) await switches.thawed()
      if (isOver) return
      if (response.hasEvent()) switches.counters.eventsSent++
      if (call.write(response)) return
      while (call.writableNeedDrain && !isOver) await news()
    },
    news,
    tell,
    isOver: () => isOver || call.cancelled,
    /** Whether the client has not yet taken the last response. */
    isFull: () => call.writableNeedDrain,
    finish,
  }
}

type Line = ReturnType<typeof makeLine>

/** The failure for a position where no event starts. */
const nowhere = (isOld: boolean): Failure =>
  isOld
    ? failure(status.UNKNOWN, 'Unexpected ReadAllResult: Error')
    : failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')

const readOnce = async (call: Call, options: Options, line: Line, { log, isOld }: ReadParts): Promise<void> => {
  const source = sourceOf(options, log)
  const events = source.events()
  if (isInvalidPosition(source, events)) {
    call.emit('error', asError(nowhere(isOld)))
    return
  }
  if (events === undefined) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(source.stream ?? ''))
    await line.send(new streams.ReadResp().setStreamNotFound(missing))
  } else {
    for (const event of select(source, events, options.getReadDirection() === 1, Number(options.getCount()))) {
      if (line.isOver()) return
      await line.send(responseOf(event))
    }
  }
  call.end()
}

/** Number of examined events per checkpoint, and new events that a node buffers for a slow consumer. */
const [CHECKPOINT_EVERY, LIVE_MAX] = [32, 64]

const checkpoint = ({ position }: LogEvent): streams.ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )

const TOO_SLOW = failure(
  status.ABORTED,
  'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
)

const subscribe = async (call: Call, options: Options, line: Line, parts: ReadParts): Promise<void> => {
  const { log, switches, isOld } = parts
  const source = sourceOf(options, log)
  const { from, events, place, isWanted } = source
  /** The place of the last event examined. */
  let at = from === 'start' ? -1 : from === 'end' ? Number(events()?.map(place).at(-1) ?? -1) : from
  let [examined, isBehind, isLive] = [0, true, false]
  const fail = (failure: Failure): void => {
    line.finish()
    call.emit('error', asError(failure))
  }
  const unwatch = log.watch(() => {
    line.tell()
    if (!isOld || !isLive || !line.isFull() || line.isOver()) return
    const all = events() ?? []
    if (all.length - indexFrom(all, source, at + 1) > LIVE_MAX) fail(TOO_SLOW)
  })
  const forget = switches.onEnd(fail)
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID())
  await line.send(new streams.ReadResp().setConfirmation(confirmation))
  const filter = options.getFilter()
  const checkpointEvery = (filter?.getMax() || CHECKPOINT_EVERY) * (filter?.getCheckpointintervalmultiplier() || 1)
  while (!line.isOver()) {
    const all = events() ?? []
    const event = all[indexFrom(all, source, at + 1)]
    if (event !== undefined) {
      at = place(event)
      isBehind = true
      if (isWanted(event)) {
        await line.send(responseOf(event))
        switches.sent()
      }
      if (++examined % checkpointEvery === 0 && filter !== undefined) await line.send(checkpoint(event))
    } else if (isBehind) {
      isBehind = false
      // Check again for new events before waiting.
      await line.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()))
    } else {
      isLive = true
      await line.news()
    }
  }
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
    else await (isSubscription ? subscribe : readOnce)(call, options, line, parts)
  }
