import test from 'ava'
import fc from 'fast-check'
import { makeFairQueue } from '../../src/users/fair-queue.ts'

/** Tasks that end when they are told to, and the order in which they began. */
const makeTasks = () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const task = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  return { begun, ends, task }
}

const endAll = async (ends: (() => void)[], results: readonly Promise<unknown>[]): Promise<readonly unknown[]> => {
  let settled = false
  const all = Promise.all(results).finally(() => {
    settled = true
  })
  while (!settled) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return all
}

test('a crowd under one key does not keep another key waiting', async (t) => {
  const { run } = makeFairQueue({ runningMax: 1, waitingOfKeyMax: 5, waitingMax: 100 })
  const { begun, ends, task } = makeTasks()
  const crowd = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', task(name)))
  const others = [run('b', task('b')), run('c', task('c'))]
  await endAll(ends, [...crowd, ...others])
  t.deepEqual(begun, ['a1', 'a2', 'b', 'c', 'a3', 'a4'])
})

test('what finds no room under its key is refused and not begun', async (t) => {
  const { run } = makeFairQueue({ runningMax: 1, waitingOfKeyMax: 2, waitingMax: 100 })
  const { begun, ends, task } = makeTasks()
  const crowd = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', task(name)))
  const other = run('b', task('b'))
  t.deepEqual(await endAll(ends, [...crowd, other]), ['a1', 'a2', 'a3', 'full', 'b'])
  t.false(begun.includes('a4'))
})

test('when there is no room at all the longest line gives way to a shorter one', async (t) => {
  const { run } = makeFairQueue({ runningMax: 1, waitingOfKeyMax: 3, waitingMax: 4 })
  const { ends, task } = makeTasks()
  const names = ['x', 'a1', 'a2', 'a3', 'b1', 'c', 'b2', 'd', 'e']
  const results = names.map((name) => run(name[0] as string, task(name)))
  // c takes a3's place and d takes a2's; b2 and e find no line longer than theirs would be.
  t.deepEqual(await endAll(ends, results), ['x', 'a1', 'full', 'full', 'b1', 'c', 'full', 'd', 'full'])
})

test('a task that fails makes room like any other', async (t) => {
  const { run } = makeFairQueue({ runningMax: 1, waitingOfKeyMax: 1, waitingMax: 1 })
  await t.throwsAsync(
    run('a', () => Promise.reject(new Error('failed'))),
    { message: 'failed' },
  )
  await t.throwsAsync(
    run('a', () => {
      throw new Error('at once')
    }),
    { message: 'at once' },
  )
  t.is(await run('a', async () => 'ran'), 'ran')
})

test('whatever comes, no more run or wait than may, and each is run or refused', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }), async (keys) => {
      const { run } = makeFairQueue({ runningMax: 2, waitingOfKeyMax: 3, waitingMax: 6 })
      const { begun, ends, task } = makeTasks()
      let running = 0
      let most = 0
      const counted = (name: string) => async () => {
        most = Math.max(most, ++running)
        return task(name)().finally(() => running--)
      }
      const results = await endAll(
        ends,
        keys.map((key, i) => run(key, counted(`${key}${i}`))),
      )
      const ran = results.filter((result) => result !== 'full')
      const enough = ran.length <= 8 && ran.length >= Math.min(keys.length, 2)
      return most <= 2 && enough && ran.length === begun.length && running === 0
    }),
  )
  t.pass()
})
