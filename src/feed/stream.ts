import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { type EventWriter, makeEventWriter, type StreamRequest } from './event-writer.ts'
import type { EndReason } from './events/frames.ts'
import { type Hold, makeHolding } from './hold.ts'
import { type Bell, makeBell, makeOutlet, type Outlet } from './outlet.ts'
import type { Source } from './source.ts'

/** Milliseconds before reading again after a failure. */
const RETRY_AFTER = 250

export interface StreamOptions extends StreamRequest {
  /** Absent if the stream begins at once. */
  readonly hold?: Hold | undefined
  readonly source: Pick<Source, 'readAfter' | 'encode' | 'onChange' | 'forget'>
  /** Called when the stream is no longer held. */
  readonly onBegun?: () => void
  /** Milliseconds between heartbeats. */
  readonly heartbeat: number
  /** Milliseconds a slow consumer has to drain its buffer. */
  readonly stallTimeout: number
  /** Reconnection delay for the reader, in milliseconds. */
  readonly retry: number
  /** Called on an unexpected error. */
  readonly onFailed: (error: unknown) => void
}

export type Ended = EndReason | 'left' | 'done'

/** One subscriber's stream on its connection. */
export interface Stream {
  /** Resolves when the stream has ended for any reason. */
  readonly ended: Promise<Ended>
  /** Whether the stream has not begun yet. */
  readonly isHeld: () => boolean
  /** Ends the stream with a last event that gives the reason. */
  readonly end: (why: EndReason) => void
  /** Sends a heartbeat if due and disconnects a slow consumer. `now` is `performance.now()`. */
  readonly check: (now: number) => void
}

interface Run extends Pick<StreamOptions, 'source' | 'end'> {
  readonly outlet: Outlet
  readonly bell: Bell
  readonly writer: EventWriter
  readonly isOver: () => boolean
}

/** Sends events as fast as the reader takes them, up to the end, or indefinitely if there is none. */
const streamEvents = async ({ source, end, outlet, bell, writer, isOver }: Run): Promise<void> => {
  let hasCaughtUp = false
  const step = async (): Promise<void> => {
    if (outlet.fullSince() !== undefined) return bell.wait()
    let entries = await source.readAfter(writer.position(), end)
    if (entries.length === 0) {
      source.onChange(bell.ring)
      // Read again: events may have arrived before the listener was added.
      entries = await source.readAfter(writer.position(), end)
    }
    if (isOver()) return source.forget(bell.ring)
    if (entries.length === 0) {
      if (!hasCaughtUp) writer.writeCheckpoint()
      hasCaughtUp = true
      return bell.wait()
    }
    writer.write(entries)
    // Yield to other readers, however fast this one is.
    return turn()
  }
  while (!isOver() && (end === undefined || writer.position() < end)) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      setTimeout(bell.ring, RETRY_AFTER)
      await bell.wait()
    }
  }
}

/** Sends heartbeats. Returns true if the reader has taken nothing for too long. */
const makeHeartbeat = ({ format, end, heartbeat, stallTimeout }: StreamOptions, outlet: Outlet, bell: Bell) => {
  let lastBeat = performance.now()
  return (now: number, writeCheckpoint: () => void): boolean => {
    const fullSince = outlet.fullSince()
    if (fullSince !== undefined && now - fullSince >= stallTimeout) return true
    if (end !== undefined || fullSince !== undefined || now - lastBeat < heartbeat) return false
    lastBeat = now
    writeCheckpoint()
    outlet.write(format.heartbeat)
    bell.ring()
    return false
  }
}

/** Starts streaming to a reader. The response head must have been written. */
export const startStream = (response: ServerResponse, options: StreamOptions): Stream => {
  const { source, format, end: last, retry, onFailed, hold, onBegun } = options
  const over = Promise.withResolvers<Ended>()
  const bell = makeBell()
  const outlet = makeOutlet(response, bell.ring)
  const isTooSlow = makeHeartbeat(options, outlet, bell)
  const holding = makeHolding(hold, onBegun)
  let writer = makeEventWriter(outlet, options)
  let isOver = false

  const finish = (how: Ended): void => {
    isOver = true
    holding.release()
    source.forget(bell.ring)
    bell.ring()
    over.resolve(how)
  }
  const end = (why: EndReason): void => {
    if (isOver) return
    // A held stream has no position: the reader keeps the one it sent.
    const ending = format.ending(why, holding.isHeld() ? -1 : writer.position())
    // A stream with an end is cut off, so that the reader can see it is incomplete.
    if (last === undefined) response.end(ending)
    else response.write(ending, () => response.destroy())
    finish(why)
  }
  const run = async (): Promise<void> => {
    await streamEvents({ source, end: last, outlet, bell, writer, isOver: () => isOver })
    if (isOver) return
    response.end(format.checkpoint(writer.position()))
    finish('done')
  }
  const begin = async (): Promise<void> => {
    const after = await holding.tryToBegin()
    if (isOver || after === undefined) return
    if (typeof after !== 'number') return end(after)
    holding.release()
    writer = makeEventWriter(outlet, { ...options, after })
    await run()
  }
  const safely = (running: Promise<void>): Promise<void> =>
    running.catch((error) => {
      onFailed(error)
      end('failed')
    })

  response.on('close', () => finish('left')).on('error', () => undefined)
  if (response.destroyed) finish('left')
  else {
    outlet.write(format.opening(retry) + (holding.isHeld() ? format.heartbeat : ''))
    if (!holding.isHeld()) void safely(run())
  }
  const check = (now: number): void => {
    if (isOver) return
    if (holding.isHeld()) void safely(begin())
    if (isTooSlow(now, () => holding.isHeld() || writer.writeCheckpoint())) end('too_slow')
  }
  return { isHeld: holding.isHeld, ended: over.promise, end, check }
}
