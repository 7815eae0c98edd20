import { openThread, type Thread } from '../../concurrency/thread.ts'
import { makeTurns } from '../../concurrency/turns.ts'

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

export interface Argon2Thread {
  readonly derive: (job: Argon2Job) => DerivedTag
}

/** Threads at most. Each takes a core, and the memory of a hash. */
const THREADS_MAX = 2

/**
 * A thread gets one variable only, the folder of compiled code: without it, each would strip types again when it starts,
 * which takes 35 ms. Berth's own variables may have the vault's keys.
 */
const threadEnvironment = ({ NODE_COMPILE_CACHE: folder }: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }

const openArgon2Thread = (): Thread<Argon2Thread> =>
  openThread({
    module: new URL('./argon2-thread.ts', import.meta.url),
    start: { name: 'argon2', env: threadEnvironment(process.env) },
    callsMax: 1,
    isReplaced: true,
  })

/** Started when they are needed. */
const threads = Array.from({ length: THREADS_MAX }, openArgon2Thread)
const turns = makeTurns({ limit: THREADS_MAX })
const THREADS = 'threads'

/**
 * Derives a tag with argon2id (RFC 9106) in a thread of low priority: signing in does not slow down the requests
 * of others. Threads are started when they are needed. How many jobs wait is bounded by the callers.
 *
 * @throws Error for a cost that OpenSSL refuses, and if the thread ends
 */
export const argon2id = async (job: Argon2Job): Promise<DerivedTag> => {
  await turns.acquire(THREADS)
  try {
    // Of as many threads as there are turns, one is idle.
    const idle = threads.find((thread) => thread.underWay() === 0) as Thread<Argon2Thread>
    return await idle.call('derive', [job])
  } finally {
    turns.release(THREADS)
  }
}
