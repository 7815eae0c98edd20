import test from 'ava'
import { type Done, makeFairQueue } from '../../../src/users/passwords/fair-queue.ts'

/** Tasks that end on demand, and the order in which they began. */
const makeTasks = () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const task = (name: string) => () => {
    begun.push(name)
    return new Promise<Done<string>>((resolve) => ends.push(() => resolve({ result: name, wasted: 0 })))
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

/** Eight waiting places. */
const ONE = { runningMax: 1, rest: 0, waitMax: 60_000, waitingMax: 8 }

/** A queue that has measured its tasks. */
const given = async (limits = ONE) => {
  const queue = makeFairQueue(limits)
  const { begun, ends, task } = makeTasks()
  await endAll(ends, [queue.run(0, task('first'))])
  begun.length = 0
  return { ...queue, begun, ends, task }
}

test('the caller with fewest attempts goes first, then the one who came first', async (t) => {
  const { run, begun, ends, task } = await given()
  const crowd = [0, 1, 2, 3].map((rank) => run(rank, task(`a${rank}`)))
  const others = [run(0, task('b')), run(1, task('c'))]
  await endAll(ends, [...crowd, ...others])
  t.deepEqual(begun, ['a0', 'b', 'a1', 'c', 'a2', 'a3'])
})

test('in a full queue the caller with most attempts makes way for one with fewer', async (t) => {
  const { run, ends, task } = await given()
  const crowd = Array.from({ length: 9 }, (_, rank) => run(rank, task(`a${rank}`)))
  const results = await endAll(ends, [...crowd, run(0, task('b'))])
  t.deepEqual(results, ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'full', 'b'])
})

test('the queue holds as many tasks as can begin within the maximum wait', async (t) => {
  const { run, ends, task } = await given({ ...ONE, waitingMax: 200 })
  const crowd = Array.from({ length: 250 }, (_, n) => run(0, task(`a${n}`)))
  const results = await endAll(ends, crowd)
  t.is(results.filter((result) => result !== 'full').length, 201, 'and never more than two hundred')
})

test('a task that no slot takes in time is refused and never begun', async (t) => {
  const { run, begun, ends, task } = await given({ ...ONE, waitMax: 10 })
  const running = run(0, task('long'))
  t.is(await run(0, task('waiting')), 'full')
  await endAll(ends, [running, run(0, task('next'))])
  t.deepEqual(begun, ['long', 'next'])
})

test('after wasted work its slot rests for a multiple of it', async (t) => {
  const { run } = makeFairQueue({ ...ONE, rest: 3 })
  const began: number[] = []
  const waste = async (): Promise<Done<string>> => {
    began.push(performance.now())
    return { result: 'wasted', wasted: 10 }
  }
  await Promise.all([run(0, waste), run(0, waste), run(0, waste)])
  const [first = 0, second = 0, third = 0] = began
  // Timers are in whole milliseconds.
  t.true(second - first >= 29)
  t.true(third - second >= 29)
})

test('a failed task frees its slot like any other', async (t) => {
  const { run } = makeFairQueue({ ...ONE, rest: 3 })
  await t.throwsAsync(
    run(0, () => Promise.reject(new Error('failed'))),
    { message: 'failed' },
  )
  await t.throwsAsync(
    run(0, () => {
      throw new Error('at once')
    }),
    { message: 'at once' },
  )
  t.is(await run(0, async () => ({ result: 'ran', wasted: 0 })), 'ran')
})
