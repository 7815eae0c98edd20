import { type KeepaliveOptions, runKeepalive } from './keepalive.ts'
import { makeUnbroken, type UnbrokenOptions } from './unbroken.ts'
import { makeUnused, type Unused, type UnusedOptions } from './unused.ts'

export type KeepingOptions = Omit<KeepaliveOptions & UnusedOptions, 'unbroken'> & UnbrokenOptions

/** Keeps reservations, and releases those that nobody keeps alive or uses. */
export interface Keeping {
  /** When a reservation is released unless somebody connects, in Unix milliseconds; undefined if it is not. */
  readonly unusedDue: Unused['dueOf']
  /** Runs until the signal aborts. */
  readonly run: () => Promise<void>
}

export const makeKeeping = (options: KeepingOptions): Keeping => {
  const { wake, signal } = options
  const unbroken = makeUnbroken(options)
  const unused = makeUnused({ ...options, unbroken })
  /** Beside the others, which may wait for the store. */
  const watch = async (): Promise<void> => {
    for (; !signal.aborted; await wake(signal)) unbroken.check()
  }
  return {
    unusedDue: unused.dueOf,
    run: async () => {
      await Promise.all([watch(), runKeepalive({ ...options, unbroken }), unused.run()])
    },
  }
}
