import * as E from 'fp-ts/lib/Either.js'
import { LARGE_APPEND, type Logged } from '../../domain/event.ts'
import { type StorePosition, toStorePosition } from '../../domain/values/position.ts'
import type { Appended, AppendFailure } from '../event-store.ts'
import type { Append, Write, Written } from './append.ts'
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
  readonly write: Write
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
 * Runs `flush` after an event loop turn without new appends, or when there are enough. Measured as the best policy at
 * 256 connections, and no slower than any other at one.
 */
const flushWhenQuiet = (queued: () => number, enough: number, flush: () => void): void => {
  let seen = queued()
  let turns = 0
  const turn = (): void => {
    turns++
    const isTime = queued() === seen || queued() >= enough || turns === TURNS_MAX
    seen = queued()
    if (isTime) flush()
    else setImmediate(turn)
  }
  setImmediate(turn)
}

/** Encodes a batch in one loop, which takes half the time of encoding each append during its request. */
const encodeAll = (batch: readonly Waiting[]): readonly Ready[] =>
  batch.flatMap(({ encode, resolve, reject }) => {
    try {
      return [{ append: encode(), resolve, reject }]
    } catch (error) {
      reject(error as Error)
      return []
    }
  })

const answer = ({ resolve, reject }: Ready, outcome: E.Either<Error, Written>): void => {
  if (E.isLeft(outcome)) reject(outcome.left)
  else resolve(outcome.right === 'moved' ? E.left('moved') : E.right(outcome.right.appended))
}

/** Writes a batch inside a transaction. */
const makeBatchWriter = ({ transactions, write, heads, last: lastOfLog }: BatchOptions) => {
  const { inSavepoint } = transactions

  const writeAll = (batch: readonly Ready[], each: Transactions['inSavepoint']) => {
    let last = lastOfLog()
    const recorded: Logged[] = []
    const outcomes = batch.map(({ append }) => {
      const written = each(() => write(append, last))
      if (E.isRight(written) && written.right !== 'moved') {
        last = toStorePosition(last + written.right.recorded.length)
        for (const event of written.right.recorded) recorded.push(event)
      }
      return written
    })
    return { last, recorded, outcomes }
  }

  const writeSeparately = (batch: readonly Ready[]) => {
    heads.forget()
    return writeAll(batch, inSavepoint)
  }

  // Use a savepoint per append only after one has failed, since each costs time.
  return (batch: readonly Ready[]) => {
    const together = inSavepoint(() => writeAll(batch, (work) => E.right(work())))
    const { last, ...written } = E.isRight(together) ? together.right : writeSeparately(batch)
    heads.write(last)
    return written
  }
}

/**
 * Group commit: concurrent appends share one transaction and one sync. Any result, even a conflict or a repetition, may
 * depend on another append in the batch. Nothing is answered before the commit, and if it fails all appends fail. Only
 * an append that is itself invalid (a bug; its promise rejects) fails alone.
 */
export const makeBatches = (options: BatchOptions) => {
  const { transactions, heads, onCommitted, onCommit, sync, batchMax, queueMax } = options
  const queue: Waiting[] = []
  let isScheduled = false
  let whenIdle = Promise.withResolvers<void>()

  const writeBatch = makeBatchWriter(options)

  const unlessBlocked = (work: () => void): void => {
    const blocked = options.blocked?.()
    if (blocked === undefined) work()
    else void blocked.then(() => unlessBlocked(work))
  }

  const flush = (): void => {
    const batch = encodeAll(queue.splice(0, batchMax))
    const events = batch.reduce((count, { append }) => count + append.rows.length, 0)
    if (events < LARGE_APPEND) commit(batch)
    else setImmediate(() => unlessBlocked(() => commit(batch)))
  }

  const commit = (batch: readonly Ready[]): void => {
    isScheduled = false
    const began = performance.now()
    const committed = transactions.run(() => writeBatch(batch))
    if (E.isLeft(committed)) {
      heads.forget()
      for (const { resolve } of batch) resolve(committed)
    } else {
      heads.committed()
      const tell = (): void => onCommit?.(batch.length, performance.now() - began)
      if (sync === undefined) tell()
      else sync().then(tell, () => undefined)
      const { recorded, outcomes } = committed.right
      onCommitted(recorded)
      for (const [index, outcome] of outcomes.entries()) answer(batch[index] as Ready, outcome)
    }
    if (queue.length > 0) schedule()
    else {
      whenIdle.resolve()
      whenIdle = Promise.withResolvers<void>()
    }
  }

  const schedule = (): void => {
    isScheduled = true
    flushWhenQuiet(
      () => queue.length,
      batchMax,
      () => unlessBlocked(flush),
    )
  }

  return {
    /** Rejects with encoding errors. */
    enqueue: (encode: () => Append): Promise<E.Either<AppendFailure, Appended>> =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueMax) return resolve(E.left('unavailable'))
        queue.push({ encode, resolve, reject })
        if (!isScheduled) schedule()
      }),
    /** Resolves when the queue is empty. */
    idle: (): Promise<void> => (isScheduled ? whenIdle.promise : Promise.resolve()),
  }
}
