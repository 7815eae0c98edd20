import type { ServerResponse } from 'node:http'
import { BEFORE_FIRST, type PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type Follow, makeWakeUpSignal, type Pace } from './call-queue.ts'
import type { EndReason, Frames } from './events/frames.ts'

/** Before reading again after a failure. */
const RETRY_DELAY_MS = 250
/** Positions after which a reader who continues live, and to whom none of them mattered, gets a checkpoint event. */
const SKIPPED_MAX = 1_024

/** What a reader is sent at once. */
export interface Piece {
  readonly bytes: string | Buffer
  /** The position that the reader has come to with it. */
  readonly to: PublicPosition
  /** The last position that the reader is told; undefined if none is in it. */
  readonly told: PublicPosition | undefined
}

/**
 * Finds the position after which to begin, or why the stream ends; undefined if it is to be tried again. A stream is kept
 * open with heartbeats meanwhile, because a browser never retries a refused one.
 */
export type FindStart = () => Promise<PublicPosition | EndReason | undefined>

/** What is sent to one reader, by position in the log, and how. */
export interface Sending<A> {
  /** The position after which to begin. */
  readonly after: PublicPosition | FindStart
  /** The last position to send; undefined to continue live. */
  readonly end: PublicPosition | undefined
  readonly format: Frames
  /**
   * What follows a position, at most up to `end`; empty if there is nothing yet.
   *
   * @throws StoreUnavailable when the log cannot be read; the caller may retry
   */
  readonly readAfter: (position: PublicPosition, end?: PublicPosition) => Promise<readonly A[]>
  /** For a reader that goes on at the end of the log. */
  readonly follow: Follow
  /** What the reader is told first. */
  readonly opening?: (after: PublicPosition) => Piece
  /** Encodes the first of these, up to a size limit, but at least one. */
  readonly encode: (next: readonly A[]) => Piece
}

export interface StreamOptions<A> extends Sending<A> {
  /** Milliseconds between heartbeats. */
  readonly heartbeat: number
  /** Milliseconds a slow consumer has to drain its buffer. */
  readonly stallTimeout: number
  /** Reconnection delay for the reader, in milliseconds. */
  readonly retry: number
  /** Shared by all streams that are written to. */
  readonly pace: Pace
  readonly onFailed: (error: unknown) => void
}

export type StreamEnd = EndReason | 'left' | 'done'

export interface SubscriberStream {
  /** Resolves when the stream has ended for any reason. */
  readonly ended: Promise<StreamEnd>
  /** Whether it waits for where to begin. */
  readonly isHeld: () => boolean
  /** Ends the stream with a last event that gives the reason. */
  readonly end: (why: EndReason) => void
  /** Sends a heartbeat if due and disconnects a slow consumer. `now` is `performance.now()`. */
  readonly check: (now: number) => void
}

/** Writes to one reader, and keeps the position that it has come to. */
const makeSender = (response: ServerResponse, { format, end }: Pick<Sending<never>, 'format' | 'end'>) => {
  let position = BEFORE_FIRST
  /** The last position that the reader was told. */
  let told = position
  const write = (bytes: string | Buffer): void => {
    if (bytes.length > 0) response.write(bytes)
  }
  const writeCheckpoint = (): void => {
    if (position !== told) write(format.checkpoint(position))
    told = position
  }
  return {
    position: () => position,
    write,
    writeCheckpoint,
    begin: (after: PublicPosition): void => {
      position = after
      told = after
    },
    send: (piece: Piece): void => {
      write(piece.bytes)
      position = piece.to
      told = piece.told ?? told
      if (end === undefined && position - told >= SKIPPED_MAX) writeCheckpoint()
    },
  }
}

interface Run {
  readonly sender: ReturnType<typeof makeSender>
  readonly wakeUp: ReturnType<typeof makeWakeUpSignal>
  readonly isFull: () => boolean
  readonly isOver: () => boolean
}

/** Sends as fast as the reader takes them, up to the end, or indefinitely if there is none. */
const sendAll = async <A>(
  { readAfter, encode, end, pace }: StreamOptions<A>,
  { sender, wakeUp, isFull, isOver }: Run,
): Promise<void> => {
  let hasCaughtUp = false
  const step = async (): Promise<void> => {
    if (isFull()) return wakeUp.wait()
    const next = await readAfter(sender.position(), end)
    if (isOver()) return
    if (next.length === 0) {
      if (!hasCaughtUp) sender.writeCheckpoint()
      hasCaughtUp = true
      return wakeUp.wait()
    }
    // A few streams write in one turn, however many have something to write and however fast their readers are.
    await pace()
    if (!isOver()) sender.send(encode(next))
  }
  while (!isOver() && (end === undefined || sender.position() < end)) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      setTimeout(wakeUp.signal, RETRY_DELAY_MS)
      await wakeUp.wait()
    }
  }
}

/** Where a stream begins, or why it ends. It tries whenever it is woken, until it is over. */
const findStart = async (
  { after }: Pick<Sending<never>, 'after'>,
  { wakeUp, isOver }: Run,
): Promise<PublicPosition | EndReason | undefined> => {
  if (typeof after === 'number') return after
  for (;;) {
    const begun = await after()
    if (begun !== undefined || isOver()) return begun
    await wakeUp.wait()
  }
}

/** Starts streaming to a reader. The response head must have been written. */
export const startStream = <A>(response: ServerResponse, options: StreamOptions<A>): SubscriberStream => {
  const { format, opening, end: last } = options
  const isLive = last === undefined
  const over = Promise.withResolvers<StreamEnd>()
  const wakeUp = makeWakeUpSignal()
  const sender = makeSender(response, options)
  let isHeld = typeof options.after !== 'number'
  let lastBeat = performance.now()
  /** Since when the reader has taken nothing. */
  let fullSince: number | undefined
  let isOver = false

  const finish = (how: StreamEnd): void => {
    isOver = true
    wakeUp.signal()
    over.resolve(how)
  }
  const end = (why: EndReason): void => {
    if (isOver) return
    // A held stream has no position: the reader keeps the one it sent.
    const ending = format.ending(why, sender.position())
    // A stream with an end is cut off, so that the reader can see it is incomplete.
    if (isLive) response.end(ending)
    else response.write(ending, () => response.destroy())
    finish(why)
  }
  const run = async (): Promise<void> => {
    const parts: Run = { sender, wakeUp, isFull: () => response.writableNeedDrain, isOver: () => isOver }
    const after = await findStart(options, parts)
    if (isOver || after === undefined) return
    if (typeof after !== 'number') return end(after)
    isHeld = false
    sender.begin(after)
    if (opening !== undefined) sender.send(opening(after))
    // Before the first read, so that nothing comes between the two unnoticed.
    const leave = isLive ? options.follow(wakeUp.signal) : () => undefined
    await sendAll(options, parts).finally(leave)
    if (isOver) return
    response.end(format.checkpoint(sender.position()))
    finish('done')
  }
  const check = (now: number): void => {
    if (isOver) return
    if (isHeld) wakeUp.signal()
    if (response.writableNeedDrain) fullSince ??= now
    if (fullSince !== undefined && now - fullSince >= options.stallTimeout) end('too_slow')
    if (!isLive || fullSince !== undefined || now - lastBeat < options.heartbeat) return
    lastBeat = now
    sender.writeCheckpoint()
    sender.write(format.heartbeat)
    wakeUp.signal()
  }

  response.on('close', () => finish('left')).on('error', () => undefined)
  response.on('drain', () => {
    fullSince = undefined
    wakeUp.signal()
  })
  if (response.destroyed) finish('left')
  else {
    sender.write(format.opening(options.retry) + (isHeld ? format.heartbeat : ''))
    run().catch((error) => {
      options.onFailed(error)
      end('failed')
    })
  }
  return { ended: over.promise, isHeld: () => isHeld, end, check }
}
