import { type KeepaliveOptions, runKeepalive } from './keepalive.ts'
import { makeUnbroken, type UnbrokenOptions } from './unbroken.ts'
import { makeUnused, type UnusedOptions } from './unused.ts'

export type KeepingOptions = Omit<KeepaliveOptions & UnusedOptions, 'unbroken'> & UnbrokenOptions

/** Keeps reservations, and releases those that nobody keeps alive or uses. */
export const makeKeeping = (options: KeepingOptions) => {
  const { wake, signal } = options
  const unbroken = makeUnbroken(options)
  const unused = makeUnused({ ...options, unbroken })
  /** Beside the others, which may wait for the store. */
  const watch = async (): Promise<void> => {
    for (; !signal.aborted; await wake(signal)) unbroken.check()
  }
  return {
    unusedDue: unused.dueOf,
    /** Runs until the signal aborts. */
    run: async (): Promise<void> => {
      await Promise.all([watch(), runKeepalive({ ...options, unbroken }), unused.run()])
    },
  }
}
