import { makeCallQueue } from './call-queue.ts'

/** Callbacks that wait until there is more; each is called once. */
interface Waiting {
  readonly add: (call: () => void) => void
  readonly forget: (call: () => void) => void
  readonly wake: () => void
}

export const makeWaiting = (): Waiting => {
  const queue = makeCallQueue()
  let waiting = new Set<() => void>()
  return {
    add: (call) => void waiting.add(call),
    forget: (call) => void waiting.delete(call),
    wake: () => {
      const calls = waiting
      waiting = new Set()
      queue.add(calls)
    },
  }
}
