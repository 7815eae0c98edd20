import { Worker } from 'node:worker_threads'

/** Cost of a hash; `memory` in KiB. */
export interface HashCost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

export interface Argon2Job extends HashCost {
  readonly password: string
  readonly salt: Uint8Array
  /** In bytes. */
  readonly tagLength: number
}

export interface DerivedTag {
  readonly tag: Uint8Array
  /** CPU time that it took, in milliseconds. */
  readonly cpu: number
}

export type Argon2Result = DerivedTag | { readonly failed: string }

interface Thread {
  readonly worker: Worker
  /** Jobs that it has not finished, in order. */
  readonly jobs: PromiseWithResolvers<DerivedTag>[]
}

/** Threads at most. Each takes a core, and the memory of a hash. */
export const THREADS_MAX = 2

const threads = new Set<Thread>()

/**
 * A thread gets one variable only, the folder of compiled code: without it, each would strip types again when it starts,
 * which takes 35 ms. Berth's own variables may have the vault's keys.
 */
const threadEnvironment = ({ NODE_COMPILE_CACHE: folder }: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }

const startThread = (): Thread => {
  const thread: Thread = {
    worker: new Worker(new URL('./argon2-thread.ts', import.meta.url), {
      name: 'argon2',
      env: threadEnvironment(process.env),
    }),
    jobs: [],
  }
  const { worker, jobs } = thread
  const end = (error: Error): void => {
    threads.delete(thread)
    for (const { reject } of jobs.splice(0)) reject(error)
  }
  worker.on('message', (result: Argon2Result) => {
    const job = jobs.shift()
    // A thread with nothing to do does not keep the process alive.
    if (jobs.length === 0) worker.unref()
    if ('tag' in result) job?.resolve(result)
    else job?.reject(new Error(result.failed))
  })
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the thread that derives password hashes has ended')))
  threads.add(thread)
  return thread
}

/** An idle thread, or a new one, or else the one with the fewest jobs. */
const chooseThread = (): Thread => {
  const [least] = [...threads].sort((one, other) => one.jobs.length - other.jobs.length)
  return least !== undefined && (least.jobs.length === 0 || threads.size === THREADS_MAX) ? least : startThread()
}

/**
 * Derives a tag with argon2id (RFC 9106) in a thread of low priority: whoever signs in does not slow down the requests
 * of others. Threads are started when they are needed. How many jobs wait is bounded by the callers.
 *
 * @throws Error for a cost that OpenSSL refuses, and if the thread ends
 */
export const argon2id = (job: Argon2Job): Promise<DerivedTag> => {
  const { worker, jobs } = chooseThread()
  const waiting = Promise.withResolvers<DerivedTag>()
  jobs.push(waiting)
  worker.ref()
  worker.postMessage(job)
  return waiting.promise
}
