import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { LARGE_APPEND, type Logged } from '../../domain/event.ts'
import { type StorePosition, toStorePosition } from '../../domain/values/position.ts'
import type { Appended, AppendFailure } from '../event-store.ts'
import type { Append, WriteAppend, Written } from './append.ts'
import type { Heads } from './heads.ts'
import type { Transactions } from './transaction.ts'

/** Maximum event loop turns a batch waits for more appends. */
const TURNS_MAX = 4

interface Waiting {
  /** Throws for an append that is invalid in any state of the log. */
  readonly encode: () => Append
  readonly resolve: (outcome: E.Either<AppendFailure, Appended>) => void
  readonly reject: (error: Error) => void
}

interface Ready extends Omit<Waiting, 'encode'> {
  readonly append: Append
}

interface BatchOptions {
  readonly transactions: Transactions
  readonly write: WriteAppend
  readonly heads: Heads
  /** Position of the log's last event in the file. */
  readonly last: () => StorePosition
  readonly onCommitted: (events: readonly Logged[]) => void
  /** Called for each commit with the number of appends and the duration in milliseconds, including the sync. */
  readonly onCommit?: ((appends: number, milliseconds: number) => void) | undefined
  /** Resolves when the WAL may be written again; undefined if it may be written now. */
  readonly blocked?: (() => Promise<unknown> | undefined) | undefined
  /** Starts a sync of committed events, if commits do not sync themselves. */
  readonly sync?: (() => Promise<void>) | undefined
  readonly batchMax: number
  readonly queueMax: number
}

/**
 * Resolves after an event loop turn without new appends, or when there are enough. Measured as the best policy at 256
 * connections, and no slower than any other at one.
 */
const untilQuiet = async (queued: () => number, enough: number): Promise<void> => {
  let seen = queued()
  for (let turns = 1; ; turns++) {
    await turn()
    if (queued() === seen || queued() >= enough || turns === TURNS_MAX) return
    seen = queued()
  }
}

/** Encodes a batch in one loop, which takes half the time of encoding each append during its request. */
const encodeAll = (batch: readonly Waiting[]): readonly Ready[] => {
  const ready: Ready[] = []
  for (const { encode, resolve, reject } of batch) {
    try {
      ready.push({ append: encode(), resolve, reject })
    } catch (error) {
      reject(error as Error)
    }
  }
  return ready
}

/** Writes a batch in a transaction, and answers its appends. */
const makeWriteBatch = (options: BatchOptions) => {
  const { transactions, write, heads, last: lastOfLog, onCommitted, onCommit, sync } = options

  /** What comes of each append, and the events recorded. */
  const writeAll = (batch: readonly Ready[]) => {
    let last = lastOfLog()
    const recorded: Logged[] = []
    const outcomes = batch.map(({ append }) => {
      const written = write(append, last)
      if (written === 'moved') return written
      last = toStorePosition(last + written.recorded.length)
      for (const event of written.recorded) recorded.push(event)
      return written
    })
    heads.write(last)
    return { recorded, outcomes }
  }

  return function writeBatch(batch: readonly Ready[]): void {
    const began = performance.now()
    const committed = transactions.run(() => writeAll(batch))
    if (E.isLeft(committed)) {
      const why = committed.left
      heads.forget()
      if (!(why instanceof Error)) for (const { resolve } of batch) resolve(E.left(why))
      else if (batch.length === 1) batch[0]?.reject(why)
      // One of them is invalid.
      else for (const one of batch) writeBatch([one])
      return
    }
    heads.committed()
    const tell = (): void => onCommit?.(batch.length, performance.now() - began)
    if (sync === undefined) tell()
    else sync().then(tell, () => undefined)
    const { recorded, outcomes } = committed.right
    onCommitted(recorded)
    batch.forEach(({ resolve }, index) => {
      const outcome = outcomes[index] as Written
      resolve(outcome === 'moved' ? E.left('moved') : E.right(outcome.appended))
    })
  }
}

/**
 * Group commit: concurrent appends share one transaction and one sync. Any result, even a conflict or a repetition, may
 * depend on another append in the batch. Nothing is answered before the commit, and if it fails all appends fail. Only
 * an append that is itself invalid (a bug; its promise rejects) fails alone.
 */
export const makeBatches = (options: BatchOptions) => {
  const { batchMax, queueMax, blocked } = options
  const writeBatch = makeWriteBatch(options)
  const queue: Waiting[] = []
  let writing: Promise<void> | undefined

  const untilWritable = async (): Promise<void> => {
    for (let wait = blocked?.(); wait !== undefined; wait = blocked?.()) await wait
  }

  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      await untilQuiet(() => queue.length, batchMax)
      await untilWritable()
      const batch = encodeAll(queue.splice(0, batchMax))
      const events = batch.reduce((count, { append }) => count + append.rows.length, 0)
      if (events >= LARGE_APPEND) {
        // Encoding so many takes a turn.
        await turn()
        await untilWritable()
      }
      writeBatch(batch)
    }
    writing = undefined
  }

  return {
    /** Rejects with encoding errors. */
    enqueue: (encode: () => Append): Promise<E.Either<AppendFailure, Appended>> =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueMax) return resolve(E.left('unavailable'))
        queue.push({ encode, resolve, reject })
        writing ??= writeAll()
      }),
    /** Resolves when the queue is empty. */
    idle: (): Promise<void> => writing ?? Promise.resolve(),
  }
}
