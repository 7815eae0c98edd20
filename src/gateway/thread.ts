import { openThread, type Thread } from '../concurrency/thread.ts'
import type { GatewayOwner, GatewayThread, GatewayWorkerOptions } from './messages.ts'

const RESTART_DELAY_MS = 1_000
const STOP_TIMEOUT_MS = 5_000
/** More than there are ports and connections. */
const CALLS_MAX = 100_000

/** Berth's own variables may have the vault's keys. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))

export interface ThreadHooks {
  /** The thread has failed. There is none until it is restarted. */
  readonly onFailed: (error: Error) => void
  readonly onRestarted: () => void
}

export interface GatewayThreads {
  /** Undefined between a failure and the restart. */
  readonly current: () => Pick<Thread<GatewayThread>, 'call' | 'tell'> | undefined
  readonly stop: () => Promise<void>
}

/** The worker thread, and another one after a failure. */
export const openThreads = (
  workerData: GatewayWorkerOptions,
  local: GatewayOwner,
  { onFailed, onRestarted }: ThreadHooks,
): GatewayThreads => {
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
        onFailed(error.cause instanceof Error ? error.cause : error)
        restart = setTimeout(() => {
          thread = open()
          onRestarted()
        }, RESTART_DELAY_MS)
      },
    })
  let thread: Thread<GatewayThread> | undefined = open()

  return {
    current: () => thread,
    stop: async () => {
      clearTimeout(restart)
      await thread?.close()
    },
  }
}
