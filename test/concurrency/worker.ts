/** A thread for tests of thread.ts. */

import { threadId, workerData } from 'node:worker_threads'
import { answerCalls } from '../../src/concurrency/answer-calls.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'

export interface TestThread {
  /** The thread's id, and what it was started with. */
  readonly who: () => readonly [id: number, given: unknown]
  readonly later: (milliseconds: number, value: string) => Promise<string>
  readonly refuse: (kind: 'class' | 'members' | 'type' | 'value' | 'function') => unknown
  /** Ends the thread. */
  readonly die: (how: 'error' | 'exit') => void
  /** Calls back, then returns. */
  readonly twice: (value: number) => Promise<number>
  readonly note: (value: string) => void
  readonly notes: () => readonly string[]
}

/** Functions that the thread calls. */
export interface TestCaller {
  readonly double: (value: number) => number
}

const { isFatal = false, closed } = (workerData ?? {}) as { isFatal?: boolean; closed?: Int32Array }
const noted: string[] = []

const functions: TestThread = {
  who: () => [threadId, workerData],
  later: (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value)),
  refuse: (kind) => {
    if (kind === 'class') throw new StoreUnavailable('not now', { cause: new Error('why') })
    if (kind === 'members') throw Object.assign(new Error('broken'), { errcode: 11 })
    if (kind === 'type') throw new TypeError('wrong')
    if (kind === 'value') throw 'text'
    return () => undefined
  },
  die: (how) => {
    if (how === 'exit') process.exit()
    setImmediate(() => {
      throw new StoreUnavailable('the thread is broken')
    })
  },
  twice: (value) => calls.call('double', [value]),
  note: (value) => {
    noted.push(value)
    if (value === 'fatal') throw new Error('not noted')
  },
  notes: () => noted,
}

const calls = answerCalls<TestCaller>(functions, {
  isFatal,
  close: () => {
    if (closed !== undefined) Atomics.store(closed, 0, 1)
  },
})
