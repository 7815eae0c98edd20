import { Worker } from 'node:worker_threads'
import type { Judge, Judged, Placed } from '../../audit/verify/judge.ts'

/** Pages that may be on their way, so that one who reads faster than the other judges fills no memory. */
const PAGES_MAX = 64

/** What the other thread is given: pages, and at the end nothing. */
export type Given = readonly Placed[] | undefined
/** What it gives back: nothing for each page, at the end what it found. */
export type Answer = Judged | undefined

/** A judge that has to be dismissed, or the process waits for it. */
export interface JudgeBeside extends Judge {
  readonly close: () => Promise<unknown>
}

/** What comes out of another thread is no instance of this one's classes; by its name and code it is told to the user. */
const ofThisThread = (error: NodeJS.ErrnoException): Error => {
  const { name, message, code } = error
  return Object.assign(new Error(message, { cause: error }), { name, ...(code !== undefined && { code }) })
}

/**
 * Holds events against the rules in a thread of its own, on another core, while this one reads and hashes them.
 *
 * @param path of an embedded log, whose links are held against the events
 */
export const judgeBeside = (path: string): JudgeBeside => {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { workerData: path })
  const ended = Promise.withResolvers<Judged>()
  let room = Promise.withResolvers<void>()
  let onTheirWay = 0
  // Whoever waits is told; nobody has to.
  ended.promise.catch(() => undefined)
  worker.on('message', (answer: Answer) => {
    if (answer !== undefined) {
      ended.resolve(answer)
      return
    }
    onTheirWay--
    room.resolve()
  })
  const fail = (error: unknown): void => {
    ended.reject(error)
    room.resolve()
  }
  worker.on('error', (error: Error) => fail(ofThisThread(error)))
  worker.on('exit', () => fail(new Error('the thread that judges has ended')))
  const send = (given: Given): void => worker.postMessage(given)

  const waited = async (): Promise<void> => {
    while (onTheirWay >= PAGES_MAX) {
      room = Promise.withResolvers()
      await Promise.race([room.promise, ended.promise])
    }
  }
  return {
    take: (page) => {
      send(page)
      onTheirWay++
      return onTheirWay < PAGES_MAX ? undefined : waited()
    },
    end: async () => {
      send(undefined)
      return ended.promise
    },
    close: () => worker.terminate(),
  }
}
