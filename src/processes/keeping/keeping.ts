import { type KeepaliveOptions, runKeepalive } from './keepalive.ts'
import type { Unbroken } from './unbroken.ts'
import { makeUnused, type UnusedOptions } from './unused.ts'

export type KeepingOptions = KeepaliveOptions & UnusedOptions & { readonly unbroken: Unbroken }

/** Keeps reservations, and releases those that nobody keeps alive or uses. */
export const makeKeeping = (options: KeepingOptions) => {
  const { unbroken, wake, signal } = options
  const unused = makeUnused(options)
  /** Beside the others, which may wait for the store. */
  const watch = async (): Promise<void> => {
    for (; !signal.aborted; await wake(signal)) unbroken.check()
  }
  return {
    unusedDue: unused.dueOf,
    /** Runs until the signal aborts. */
    run: async (): Promise<void> => {
      await Promise.all([watch(), runKeepalive(options), unused.run()])
    },
  }
}
