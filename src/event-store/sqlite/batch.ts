import * as E from 'fp-ts/lib/Either.js'
import type { Logged } from '../../domain/event.ts'
import type { Appended, AppendFailure } from '../event-store.ts'
import type { Append, Write, Written } from './append.ts'
import type { Heads } from './heads.ts'
import type { Transactions } from './transaction.ts'

/** How many turns of the event loop a batch waits for further appends, at most. */
const TURNS_MAX = 4

interface Waiting {
  /** Throws for what cannot be appended, whatever the state of the log. */
  readonly encode: () => Append
  readonly resolve: (outcome: E.Either<AppendFailure, Appended>) => void
  readonly reject: (error: Error) => void
}

interface Ready extends Omit<Waiting, 'encode'> {
  readonly append: Append
}

export interface Batches {
  /** Rejects with what encoding throws. */
  readonly enqueue: (encode: () => Append) => Promise<E.Either<AppendFailure, Appended>>
  /** Resolves when nothing is queued. */
  readonly idle: () => Promise<void>
}

export interface BatchOptions {
  readonly transactions: Transactions
  readonly write: Write
  readonly heads: Heads
  /** The position of the log's last event, as the file has it. */
  readonly last: () => number
  readonly onCommitted: (events: readonly Logged[]) => void
  /** Told of every commit: how many appends it held and how many milliseconds it took, with its sync. */
  readonly onCommit?: ((appends: number, milliseconds: number) => void) | undefined
  /** Resolves when the journal may be written again; undefined when it may be now. */
  readonly blocked?: (() => Promise<void> | undefined) | undefined
  /** Begins to sync what has been committed, where commits are not synced by themselves. */
  readonly sync?: (() => Promise<void>) | undefined
  readonly batchMax: number
  readonly queueMax: number
}

/**
 * Runs `flush` when a turn of the event loop has brought nothing new, or there is enough: the cheapest policy at 256
 * connections, and at one no slower than any other.
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

/** All of a batch in a row, which takes half of the time of each among the other work of its request. */
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

/** Writes a batch, inside a transaction. */
const makeBatchWriter = ({ transactions, write, heads, last: lastOfLog }: BatchOptions) => {
  const { inSavepoint } = transactions

  const writeAll = (batch: readonly Ready[], each: Transactions['inSavepoint']) => {
    let last = lastOfLog()
    const recorded: Logged[] = []
    const outcomes = batch.map(({ append }) => {
      const written = each(() => write(append, last))
      if (E.isRight(written) && written.right !== 'moved') {
        last += written.right.recorded.length
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

  // They are confined one by one only where one has turned out to be at fault: that costs each of them.
  return (batch: readonly Ready[]) => {
    const together = inSavepoint(() => writeAll(batch, (work) => E.right(work())))
    const { last, ...written } = E.isRight(together) ? together.right : writeSeparately(batch)
    heads.write(last)
    return written
  }
}

/**
 * Group commit: appends that arrive together share one transaction and one sync. Whatever an append is answered, even
 * that the stream has moved or that it was there already, may rest on another of its batch: so nothing leaves a batch
 * before its commit, and if that fails they all fail with it. Only an append at fault itself (a bug, its promise
 * rejects) fails alone.
 */
export const makeBatches = (options: BatchOptions): Batches => {
  const { transactions, heads, onCommitted, onCommit, sync, batchMax, queueMax } = options
  const queue: Waiting[] = []
  let isScheduled = false
  let whenIdle = Promise.withResolvers<void>()

  const writeBatch = makeBatchWriter(options)

  const flush = (): void => {
    const blocked = options.blocked?.()
    if (blocked !== undefined) return void blocked.then(flush)
    isScheduled = false
    const batch = encodeAll(queue.splice(0, batchMax))
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
    flushWhenQuiet(() => queue.length, batchMax, flush)
  }

  return {
    enqueue: (encode) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueMax) return resolve(E.left('unavailable'))
        queue.push({ encode, resolve, reject })
        if (!isScheduled) schedule()
      }),
    idle: () => (queue.length === 0 ? Promise.resolve() : whenIdle.promise),
  }
}
