import test from 'ava'
import { runLoop } from '../../src/processes/loop.ts'

test('a part that is at work when it is time to look looks again at once, and holds up no other', async (t) => {
  const [ending, wakes] = [new AbortController(), [] as (() => void)[]]
  const looks = { slow: 0, quick: 0 }
  const [begun, again, release] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as PromiseWithResolvers<void>[]
  const slow = async (): Promise<void> => {
    looks.slow++
    if (looks.slow === 2) again?.resolve()
    begun?.resolve()
    await release?.promise
  }
  const wake = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      wakes.push(resolve)
      signal.addEventListener('abort', () => resolve())
    })
  const parts = [
    { tick: slow, failure: '' },
    { tick: () => looks.quick++, failure: '' },
  ]
  const over = runLoop(parts, { wake, signal: ending.signal, log: { error: () => t.fail() } })
  const tick = async (): Promise<void> => {
    wakes.at(-1)?.()
    const { length } = wakes
    while (wakes.length === length) await new Promise(setImmediate)
  }
  await tick()
  await begun?.promise
  await tick()
  t.deepEqual(looks, { slow: 1, quick: 2 })
  release?.resolve()
  await again?.promise
  ending.abort()
  await over
  t.deepEqual(looks, { slow: 2, quick: 2 })
})
