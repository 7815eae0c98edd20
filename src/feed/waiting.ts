import { makeCallQueue } from './call-queue.ts'

/** Callbacks that wait until there is more; each is called once. */
export const makeWaiting = () => {
  const callSoon = makeCallQueue()
  let waiting = new Set<() => void>()
  return {
    add: (call: () => void): void => void waiting.add(call),
    forget: (call: () => void): void => void waiting.delete(call),
    wake: (): void => {
      const calls = waiting
      waiting = new Set()
      callSoon(calls)
    },
  }
}
