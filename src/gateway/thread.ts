import { openThread, type Thread } from '../concurrency/thread.ts'
import type { GatewayOwner, GatewayThread, GatewayWorkerOptions } from './messages.ts'

const RESTART_DELAY_MS = 1_000
const STOP_TIMEOUT_MS = 5_000
/** More than there are ports and connections. */
const CALLS_MAX = 100_000

/** Berth's own variables may have the vault's keys. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))

/** The worker thread, and another one after a failure. */
export const openThreads = (
  workerData: GatewayWorkerOptions,
  local: GatewayOwner,
  hooks: {
    /** The thread has failed. There is none until it is restarted. */
    readonly onFailed: (error: Error) => void
    readonly onRestarted: () => void
  },
) => {
  let restart: NodeJS.Timeout | undefined

  const open = (): Thread<GatewayThread> =>
    openThread({
      module: new URL('./worker/gateway-worker.ts', import.meta.url),
      start: { name: 'gateway', workerData, env: environmentWithoutSecrets() },
      local,
      callsMax: CALLS_MAX,
      closeTimeoutMs: STOP_TIMEOUT_MS,
      onEnded: (error) => {
        thread = undefined
        hooks.onFailed(error.cause instanceof Error ? error.cause : error)
        restart = setTimeout(() => {
          thread = open()
          hooks.onRestarted()
        }, RESTART_DELAY_MS)
      },
    })
  let thread: Thread<GatewayThread> | undefined = open()

  return {
    /** Undefined between a failure and the restart. */
    current: () => thread,
    stop: async (): Promise<void> => {
      clearTimeout(restart)
      await thread?.close()
    },
  }
}
