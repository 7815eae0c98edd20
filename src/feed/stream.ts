import type { ServerResponse } from 'node:http'
import { BEFORE_FIRST, type PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type Follow, makeWakeUpSignal, type Pace } from './call-queue.ts'
import type { EndReason, Frames } from './events/frames.ts'

/** Before reading again after a failure. */
const RETRY_DELAY_MS = 250

/** What a stream sends, by position in the log. */
export interface Supply<A> {
  /**
   * What follows a position, at most up to `end`; empty if there is nothing yet.
   *
   * @throws StoreUnavailable when the log cannot be read; the caller may retry
   */
  readonly readAfter: (position: PublicPosition, end?: PublicPosition) => Promise<readonly A[]>
  /** For a reader that goes on at the end of the log. */
  readonly follow: Follow
}

/** Keeps a stream open with heartbeats until it can begin, because a browser never retries a refused stream. */
export interface DelayedStart {
  /** Whether the stream may try to begin. */
  readonly isReady: () => boolean
  /** The position after which to begin, or why the stream ends; undefined to keep waiting. */
  readonly begin: () => Promise<PublicPosition | EndReason | undefined>
}

/** Writes to a connection. */
type Write = (bytes: string | Buffer) => void

/** Writes to one reader and tracks its position. */
export interface StreamWriter<A> {
  readonly position: () => PublicPosition
  /** Writes the first of these, up to a size limit. */
  readonly write: (next: readonly A[]) => void
  /** Sends the current position, unless the reader knows it. */
  readonly writeCheckpoint: () => void
}

/** What is sent to one reader, and how. */
export interface Sending<A> {
  /** The position after which to begin; of no meaning while the stream is held. */
  readonly after: PublicPosition
  /** The last position to send; undefined to continue live. */
  readonly end: PublicPosition | undefined
  readonly format: Frames
  readonly source: Supply<A>
  /** Called once the stream begins. */
  readonly makeWriter: (write: Write, after: PublicPosition) => StreamWriter<A>
}

export interface StreamOptions<A> extends Sending<A> {
  /** Absent if the stream begins at once. */
  readonly delayedStart?: DelayedStart | undefined
  /** Called when the stream is no longer held. */
  readonly onBegun?: () => void
  /** Milliseconds between heartbeats. */
  readonly heartbeat: number
  /** Milliseconds a slow consumer has to drain its buffer. */
  readonly stallTimeout: number
  /** Reconnection delay for the reader, in milliseconds. */
  readonly retry: number
  /** Shared by all streams that are written to. */
  readonly pace: Pace
  /** Called on an unexpected error. */
  readonly onFailed: (error: unknown) => void
}

export type StreamEnd = EndReason | 'left' | 'done'

/** One subscriber's stream on its connection. */
export interface SubscriberStream {
  /** Resolves when the stream has ended for any reason. */
  readonly ended: Promise<StreamEnd>
  /** Ends the stream with a last event that gives the reason. */
  readonly end: (why: EndReason) => void
  /** Sends a heartbeat if due and disconnects a slow consumer. `now` is `performance.now()`. */
  readonly check: (now: number) => void
}

/** Writes to a connection, and knows for how long it has taken nothing. */
const makeSink = (response: ServerResponse, onRoom: () => void) => {
  let fullSince: number | undefined
  response.on('drain', () => {
    fullSince = undefined
    onRoom()
  })
  return {
    /** When the buffer filled up, as `performance.now()`; undefined while there is room. */
    fullSince: (): number | undefined => fullSince,
    write: (bytes: string | Buffer): void => {
      if (bytes.length > 0 && !response.write(bytes)) fullSince ??= performance.now()
    },
  }
}

interface Run<A> extends Pick<StreamOptions<A>, 'source' | 'end' | 'pace'> {
  readonly isFull: () => boolean
  readonly wakeUp: ReturnType<typeof makeWakeUpSignal>
  readonly writer: StreamWriter<A>
  readonly isOver: () => boolean
}

/** Sends as fast as the reader takes them, up to the end, or indefinitely if there is none. */
const sendAll = async <A>({ source, end, pace, isFull, wakeUp, writer, isOver }: Run<A>): Promise<void> => {
  let hasCaughtUp = false
  const step = async (): Promise<void> => {
    if (isFull()) return wakeUp.wait()
    const entries = await source.readAfter(writer.position(), end)
    if (isOver()) return
    if (entries.length === 0) {
      if (!hasCaughtUp) writer.writeCheckpoint()
      hasCaughtUp = true
      return wakeUp.wait()
    }
    // A few streams write in one turn, however many have something to write and however fast their readers are.
    await pace()
    if (!isOver()) writer.write(entries)
  }
  while (!isOver() && (end === undefined || writer.position() < end)) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      setTimeout(wakeUp.signal, RETRY_DELAY_MS)
      await wakeUp.wait()
    }
  }
}

/** The store has failed again: a held stream goes on waiting. */
const undefinedIfUnavailable = (error: unknown): undefined => {
  if (!(error instanceof StoreUnavailable)) throw error
}

/** Where a stream begins, or why it ends. One that is held tries whenever it is woken, until it is over. */
const untilBegun = async (
  { after, delayedStart }: Pick<StreamOptions<never>, 'after' | 'delayedStart'>,
  { wakeUp, isOver }: Pick<Run<never>, 'wakeUp' | 'isOver'>,
): Promise<PublicPosition | EndReason | undefined> => {
  if (delayedStart === undefined) return after
  for (;;) {
    const begun = delayedStart.isReady() ? await delayedStart.begin().catch(undefinedIfUnavailable) : undefined
    if (begun !== undefined || isOver()) return begun
    await wakeUp.wait()
  }
}

/** Starts streaming to a reader. The response head must have been written. */
export const startStream = <A>(response: ServerResponse, options: StreamOptions<A>): SubscriberStream => {
  const { source, format, end: last } = options
  const isLive = last === undefined
  const over = Promise.withResolvers<StreamEnd>()
  const wakeUp = makeWakeUpSignal()
  const { fullSince, write } = makeSink(response, wakeUp.signal)
  let isHeld = options.delayedStart !== undefined
  let lastBeat = performance.now()
  let writer: StreamWriter<A> | undefined
  let isOver = false

  const finish = (how: StreamEnd): void => {
    isOver = true
    wakeUp.signal()
    over.resolve(how)
  }
  const end = (why: EndReason): void => {
    if (isOver) return
    // A held stream has no position: the reader keeps the one it sent.
    const ending = format.ending(why, writer?.position() ?? BEFORE_FIRST)
    // A stream with an end is cut off, so that the reader can see it is incomplete.
    if (isLive) response.end(ending)
    else response.write(ending, () => response.destroy())
    finish(why)
  }
  const run = async (): Promise<void> => {
    const signals = { wakeUp, isOver: () => isOver }
    const after = await untilBegun(options, signals)
    if (isOver || after === undefined) return
    if (typeof after !== 'number') return end(after)
    isHeld = false
    options.onBegun?.()
    writer = options.makeWriter(write, after)
    // Before the first read, so that nothing comes between the two unnoticed.
    const leave = isLive ? source.follow(wakeUp.signal) : () => undefined
    try {
      await sendAll({ ...options, ...signals, writer, isFull: () => fullSince() !== undefined })
    } finally {
      leave()
    }
    if (isOver) return
    response.end(format.checkpoint(writer.position()))
    finish('done')
  }
  const check = (now: number): void => {
    if (isOver) return
    if (isHeld) wakeUp.signal()
    const since = fullSince()
    if (since !== undefined && now - since >= options.stallTimeout) end('too_slow')
    if (!isLive || since !== undefined || now - lastBeat < options.heartbeat) return
    lastBeat = now
    writer?.writeCheckpoint()
    write(format.heartbeat)
    wakeUp.signal()
  }

  response.on('close', () => finish('left')).on('error', () => undefined)
  if (response.destroyed) finish('left')
  else {
    write(format.opening(options.retry) + (isHeld ? format.heartbeat : ''))
    run().catch((error) => {
      options.onFailed(error)
      end('failed')
    })
  }
  return { ended: over.promise, end, check }
}
