import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import { makeTurns, type TurnsOptions, type Wait } from '../../src/concurrency/turns.ts'

/** Turns, and the names of those who have got one or were refused, in that order. */
const given = (options?: TurnsOptions) => {
  const turns = makeTurns(options)
  const log: string[] = []
  const come = async (name: string, wait?: Wait, key = 'a'): Promise<void> => {
    const waiting = turns.acquire(key, wait)
    if (waiting === undefined) log.push(name)
    else log.push((await waiting) ? name : `not ${name}`)
  }
  return { ...turns, log, come }
}

test('whoever waits for a key gets it in order of arrival, each after a release', async (t) => {
  const { come, release, isFree, log } = given()
  const all = ['1', '2', '3', '4'].map((name) => come(name))
  for (const expected of ['1', '12', '123', '1234']) {
    await turn()
    t.is(log.join(''), expected)
    release('a')
  }
  await Promise.all(all)
  t.true(isFree('a'))
})

test('a turn that is passed on is not taken by one who comes between', async (t) => {
  const { come, acquire, release, log } = given()
  const all = [come('1'), come('2')]
  release('a')
  t.true(acquire('a') instanceof Promise)
  await Promise.all(all)
  t.deepEqual(log, ['1', '2'])
})

test('whoever waits too long is refused, and the others keep their order', async (t) => {
  const { come, release, log } = given()
  const [, late, next] = [come('1'), come('late', { timeoutMs: 1 }), come('2', { timeoutMs: 60_000 })]
  await late
  release('a')
  await next
  t.deepEqual(log, ['1', 'not late', '2'])
})

test('of too many who wait the last is refused, and lower ranks go first', async (t) => {
  const { come, release, log } = given({ waitingMax: () => 2 })
  const all = [come('1'), come('b', { rank: 1 }), come('c', { rank: 2 })]
  all.push(come('d', { rank: 2 }), come('a', { rank: 0 }))
  for (const _ of all) release('a')
  await Promise.all(all)
  t.deepEqual(log, ['1', 'not d', 'not c', 'a', 'b'])
})

test('after a release with a pause nobody has a turn until it is over', async (t) => {
  const { come, acquire, isFree, release } = given()
  acquire('a')
  const began = performance.now()
  release('a', 20)
  t.false(isFree('a'))
  await come('1')
  // Timers are in whole milliseconds.
  t.true(performance.now() - began >= 19)
})

test('all who wait can be refused, and those who have a turn keep it', async (t) => {
  const { come, refuseAll, isFree, log } = given()
  const all = [come('1'), come('2'), come('3', { timeoutMs: 60_000 })]
  refuseAll()
  await Promise.all(all)
  t.deepEqual([log, isFree('a')], [['1', 'not 2', 'not 3'], false])
})

test('property: no more hold a key or wait for it than allowed, and each gets a turn or is refused', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 4 }), { maxLength: 40 }), async (ranks) => {
      const { acquire, release, isFree } = makeTurns({ limit: 2, waitingMax: () => 8 })
      let holders = 0
      let most = 0
      const come = async (rank: number): Promise<boolean> => {
        if (!((await acquire('a', { rank })) ?? true)) return false
        most = Math.max(most, ++holders)
        await turn()
        holders--
        release('a')
        return true
      }
      const served = (await Promise.all(ranks.map(come))).filter((isServed) => isServed).length
      return most <= 2 && served === Math.min(ranks.length, 10) && isFree('a')
    }),
  )
  t.pass()
})
