import { Worker } from 'node:worker_threads'

/** Checkpoint phase, shared by both threads. */
export const PHASE = {
  idle: 0,
  /** Pages are being copied. Others may write, which is detected. */
  copying: 1,
  /** Another connection has written since. */
  interrupted: 2,
  /** The WAL is being restarted. Nobody else may write. */
  restarting: 3,
} as const

/** Worker data. */
export interface WorkerOptions {
  readonly path: string
  readonly phase: Int32Array
}

/** `ready` once the file is open, then the end of each checkpoint with the error of a failed restart. */
export type WorkerMessage = 'ready' | { readonly failed: string | undefined }

/** The worker thread that runs the checkpoints, started on first use. */
export const makeThread = (begin: WorkerOptions, onEnd: (failed: string | undefined) => void, onGone: () => void) => {
  let worker: Worker | undefined
  let isReady = false

  const onExit = (): void => {
    worker = undefined
    isReady = false
    onGone()
  }

  return {
    isReady: () => isReady,
    start: (): void => {
      if (worker !== undefined) return
      const started = new Worker(new URL('./wal-checkpoints-worker.ts', import.meta.url), { workerData: begin })
      worker = started
      started.unref()
      started.on('message', (told: WorkerMessage) => {
        if (told === 'ready') isReady = true
        else onEnd(told.failed)
      })
      started.on('error', onExit)
      started.on('exit', () => worker === started && onExit())
    },
    begin: () => worker?.postMessage('begin'),
    close: async () => {
      const closing = worker
      worker = undefined
      if (closing === undefined) return
      const closed = new Promise((resolve) => closing.once('exit', resolve))
      closing.ref()
      closing.postMessage('close')
      await closed
    },
  }
}
