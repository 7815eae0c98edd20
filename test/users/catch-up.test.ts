/** Reading what other instances have recorded, before somebody is said to be unknown. */

import test from 'ava'
import { makeCatchUpUsers } from '../../src/users/catch-up.ts'

const NEVER = new Promise<never>(() => undefined)

test('callers share the next reading, and get one that begins after they ask', async (t) => {
  let readings = 0
  const ends: (() => void)[] = []
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const catchUp = makeCatchUpUsers(() => {
    begun[readings++]?.resolve()
    return new Promise<void>((resolve) => ends.push(resolve))
  })
  const first = Promise.all([catchUp(), catchUp()])
  await begun[0]?.promise
  const others = Promise.all([catchUp(), catchUp()])
  ends[0]?.()
  await begun[1]?.promise
  ends[1]?.()
  await Promise.all([first, others])
  t.is(readings, 2)
})

test('however many names are unknown, readings begin no more often than agreed', async (t) => {
  const EVERY = 50
  const begun: number[] = []
  const catchUp = makeCatchUpUsers(async () => begun.push(performance.now()), EVERY)
  for (let n = 0; n < 3; n++) await Promise.all([catchUp(), catchUp(), catchUp()])
  t.is(begun.length, 3)
  const gaps = begun.slice(1).map((at, n) => at - (begun[n] ?? 0))
  // Timers count whole milliseconds.
  for (const gap of gaps) t.true(gap > EVERY - 2, `${gap} ms`)
})

test('a reading that fails or does not end holds nobody up', async (t) => {
  await t.notThrowsAsync(makeCatchUpUsers(() => Promise.reject(new Error('no store')))())
  await t.notThrowsAsync(makeCatchUpUsers(() => NEVER, 0, 1)())
})
