import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads'
import { type Callable, type CallsOptions, makePendingCalls, type PendingCalls } from './calls.ts'

/** The thread has ended: by an error of its own, which is the cause, or because it was closed. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

export interface ThreadOptions extends Pick<CallsOptions, 'callsMax'> {
  /** The module of the thread, which calls `answerCalls`. */
  readonly module: URL
  readonly start?: Pick<WorkerOptions, 'name' | 'env' | 'workerData' | 'execArgv'>
  /** Functions that the thread may call. */
  readonly local?: object
  /** Whether a call starts another thread after one has ended by itself. Not for a thread that has state. */
  readonly isReplaced?: boolean
  /** Called when the thread has ended by itself. */
  readonly onEnded?: (error: ThreadEnded) => void
  /** Milliseconds within which it must close, or it is terminated. */
  readonly closeTimeoutMs?: number
}

/**
 * Functions of a worker thread. The thread starts with the first call, and keeps the process alive only while a call
 * waits for its answer. When it ends, all waiting calls reject with ThreadEnded.
 */
export interface Thread<Remote extends Callable<Remote>>
  extends Pick<PendingCalls<Remote>, 'call' | 'tell' | 'underWay'> {
  /** Lets the thread close what it has open, after everything that was sent before. Later calls reject. */
  readonly close: () => Promise<void>
  /** Ends the thread at once. Calls under way and later ones reject. */
  readonly terminate: () => Promise<void>
}

/** Node strips no types in an installed archive. A thread inherits what does so only by its arguments. */
const PRELOADED = import.meta.url.includes('/node_modules/')
  ? [`--import=${new URL('../command-line/strip-types.js', import.meta.url).href}`]
  : []

export const openThread = <Remote extends Callable<Remote>>(options: ThreadOptions): Thread<Remote> => {
  const { module, start, local = {}, callsMax, isReplaced = false, onEnded, closeTimeoutMs } = options
  let worker: Worker | undefined
  let ended: ThreadEnded | undefined

  const startWorker = (): Worker => {
    const execArgv = [...PRELOADED, ...(start?.execArgv ?? [])]
    const started = new Worker(module, PRELOADED.length === 0 ? start : { ...start, execArgv })
    let cause: unknown
    started.unref()
    started.on('message', (message) => {
      calls.receive(message, (answer) => started.postMessage(answer))
      if (calls.underWay() === 0 && ended === undefined) started.unref()
    })
    started.on('error', (error) => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      const isClosed = ended !== undefined
      const why = cause instanceof Error ? cause.message : 'the thread has ended'
      const error = ended ?? new ThreadEnded(why, { cause })
      if (!isReplaced) ended = error
      calls.fail(error)
      if (!isClosed) onEnded?.(error)
    })
    return started
  }

  const post: CallsOptions['post'] = (message, transfer: readonly Transferable[] = []) => {
    if (ended !== undefined) throw ended
    worker ??= startWorker()
    worker.postMessage(message, transfer)
  }
  const calls = makePendingCalls<Remote>(local, { post, callsMax })

  /** Ends the thread in one of two ways. From now on it does not end by itself. */
  const end = async (how: (ending: Worker) => void): Promise<void> => {
    ended ??= new ThreadEnded('the thread has been closed')
    const ending = worker
    if (ending === undefined) return
    const gone = new Promise((resolve) => ending.once('exit', resolve))
    ending.ref()
    how(ending)
    await gone
  }

  return {
    ...calls,
    call: (name, args, transfer) => {
      const answer = calls.call(name, args, transfer)
      if (calls.underWay() > 0) worker?.ref()
      return answer
    },
    close: () =>
      end((ending) => {
        ending.postMessage('close')
        const overdue = closeTimeoutMs === undefined ? undefined : setTimeout(() => ending.terminate(), closeTimeoutMs)
        ending.once('exit', () => clearTimeout(overdue))
      }),
    terminate: () => end((ending) => ending.terminate()),
  }
}
