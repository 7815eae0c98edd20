import { type KeepaliveOptions, runKeepalive } from './keepalive.ts'
import { makeUnbroken, type UnbrokenOptions } from './unbroken.ts'

export type KeepingOptions = Omit<KeepaliveOptions, 'unbroken'> & UnbrokenOptions

/** Keeps reservations, and releases those that nobody keeps. */
export interface Keeping {
  /** Runs until the signal aborts. */
  readonly run: () => Promise<void>
}

export const makeKeeping = (options: KeepingOptions): Keeping => {
  const { wake, signal } = options
  const unbroken = makeUnbroken(options)
  /** Beside the others, which may wait for the store. */
  const watch = async (): Promise<void> => {
    for (; !signal.aborted; await wake(signal)) unbroken.check()
  }
  return {
    run: async () => {
      await Promise.all([watch(), runKeepalive({ ...options, unbroken })])
    },
  }
}
