import { Worker } from 'node:worker_threads'
import type { Judge, Judged, PositionedText } from '../../audit/verify/judge.ts'

/** Maximum number of unprocessed pages, to bound memory if reading is faster than checking. */
const PAGES_MAX = 64

/** Message to the worker: a page, or undefined at the end. */
export type Given = readonly PositionedText[] | undefined
/** Message from the worker: undefined for each page, and the result at the end. */
export type Answer = Judged | undefined

/** A judge that must be closed, or the process does not exit. */
export interface JudgeThread extends Judge {
  readonly close: () => Promise<unknown>
}

/** Errors from a worker lose their class. The error report needs their name and code. */
const ofThisThread = (error: NodeJS.ErrnoException): Error => {
  const { name, message, code } = error
  return Object.assign(new Error(message, { cause: error }), { name, ...(code !== undefined && { code }) })
}

/**
 * Checks events against the rules in a worker thread, while this thread reads and hashes them.
 *
 * @param path of an embedded log, whose links are compared with the events
 */
export const startJudgeThread = (path: string): JudgeThread => {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { workerData: path })
  const ended = Promise.withResolvers<Judged>()
  let room = Promise.withResolvers<void>()
  let inFlight = 0
  // A rejection is handled where it is awaited, if at all.
  ended.promise.catch(() => undefined)
  worker.on('message', (answer: Answer) => {
    if (answer !== undefined) {
      ended.resolve(answer)
      return
    }
    inFlight--
    room.resolve()
  })
  const fail = (error: unknown): void => {
    ended.reject(error)
    room.resolve()
  }
  worker.on('error', (error: Error) => fail(ofThisThread(error)))
  worker.on('exit', () => fail(new Error('the worker thread of verify has exited')))
  const send = (given: Given): void => worker.postMessage(given)

  const waitForRoom = async (): Promise<void> => {
    while (inFlight >= PAGES_MAX) {
      room = Promise.withResolvers()
      await Promise.race([room.promise, ended.promise])
    }
  }
  return {
    take: (page) => {
      send(page)
      inFlight++
      return inFlight < PAGES_MAX ? undefined : waitForRoom()
    },
    end: async () => {
      send(undefined)
      return ended.promise
    },
    close: () => worker.terminate(),
  }
}
