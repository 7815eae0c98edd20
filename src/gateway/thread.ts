import { Worker } from 'node:worker_threads'
import type { Order, Report, WorkerOptions } from './messages.ts'

/** Milliseconds before a failed thread is restarted. */
const RESTART_MS = 1_000
/** Milliseconds allowed for the thread to stop. */
const STOP_MS = 5_000

/** Berth's own variables may have the vault's keys. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))

export interface ThreadHooks {
  readonly onReport: (report: Report) => void
  /** The thread has failed. Orders are dropped until it is restarted. */
  readonly onFailed: (error: Error) => void
  readonly onRestarted: () => void
}

export interface Thread {
  readonly order: (order: Order) => void
  readonly stop: () => Promise<void>
}

/** Runs the worker thread and restarts it after a failure. */
export const startThread = (workerData: WorkerOptions, { onReport, onFailed, onRestarted }: ThreadHooks): Thread => {
  let worker: Worker | undefined
  let isStopping = false
  let restart: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const started = new Worker(new URL('./worker/gateway-worker.ts', import.meta.url), {
      name: 'gateway',
      workerData,
      env: environmentWithoutSecrets(),
    })
    let error = new Error('the thread has ended')
    started.unref()
    started.on('message', (reports: readonly Report[]) => {
      for (const report of reports) onReport(report)
    })
    started.on('error', (thrown) => {
      error = thrown as Error
    })
    started.on('exit', () => {
      worker = undefined
      if (isStopping) return
      onFailed(error)
      restart = setTimeout(() => {
        worker = start()
        onRestarted()
      }, RESTART_MS)
    })
    return started
  }
  worker = start()

  return {
    order: (order) => worker?.postMessage(order, order.kind === 'attach' ? [order.port] : []),
    stop: async () => {
      isStopping = true
      clearTimeout(restart)
      const stopping = worker
      if (stopping === undefined) return
      const ended = new Promise((resolve) => stopping.once('exit', resolve))
      stopping.ref()
      stopping.postMessage({ kind: 'stop' } satisfies Order)
      const overdue = setTimeout(() => stopping.terminate(), STOP_MS)
      await ended
      clearTimeout(overdue)
    },
  }
}
