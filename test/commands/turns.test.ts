import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makePauses, makeRunExclusive } from '../../src/commands/turns.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { anInstance } from './setting.ts'

/** Tasks that end on demand. */
const tasks = () => {
  const ends = new Map<string, () => void>()
  return {
    task: (name: string) => async () => {
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return E.right(name)
    },
    end: async (name: string): Promise<void> => {
      while (!ends.has(name)) await new Promise(setImmediate)
      ends.get(name)?.()
    },
  }
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
}

test('requests that name the same keys in another order do not wait for each other', async (t) => {
  const runExclusive = makeRunExclusive()
  const { task, end } = tasks()
  const all = [
    runExclusive(['a'], task('1')),
    runExclusive(['b'], task('2')),
    runExclusive(['a', 'b'], async () => E.right('3')),
    runExclusive(['b', 'a'], async () => E.right('4')),
  ]
  await end('1')
  await turns()
  await end('2')
  t.deepEqual(await Promise.all(all), ['1', '2', '3', '4'].map(E.right))
})

test('a failed task releases its key', async (t) => {
  const runExclusive = makeRunExclusive()
  const failed = runExclusive(['a'], () => Promise.reject(new Error('it failed')))
  await t.throwsAsync(failed, { message: 'it failed' })
  t.deepEqual(await runExclusive(['a'], async () => E.right(1)), E.right(1))
})

/** The pause after a command that takes so many milliseconds, and begins so many after the last one. */
const pauses = () => {
  let now = 1_000
  const pauseAfter = makePauses(() => now)
  return (took: number, { stream = 'sut-1', idle = 0 } = {}): number => {
    const began = now + idle
    now = began + took
    return pauseAfter(stream, began)
  }
}

test('an instance that keeps a stream busy leaves it to the others for 25 ms after each 200', (t) => {
  const pauseAfter = pauses()
  let idle = 0
  const made = [199, 1, 199, 1, 120, 80].map((took) => {
    idle = pauseAfter(took, { idle })
    return idle
  })
  t.deepEqual(made, [0, 25, 0, 25, 0, 25])
  t.is(pauseAfter(150, { stream: 'sut-2' }), 0, 'each stream has its own time')
})

test('a stream that was free for 25 ms needs no pause', (t) => {
  const pauseAfter = pauses()
  t.is(pauseAfter(180), 0)
  t.is(pauseAfter(20, { idle: 24 }), 25)
  t.is(pauseAfter(180, { idle: 25 }), 0)
  t.is(pauseAfter(180, { idle: 25 }), 0)
})

test('of more streams than are remembered, the least recently used begins to be busy anew', (t) => {
  const pauseAfter = pauses()
  for (let n = 0; n <= 1_024; n++) pauseAfter(n === 0 ? 199 : 0, { stream: `sut-${n}` })
  t.is(pauseAfter(1, { stream: 'sut-0' }), 0)
})

/** Milliseconds without an append of the others after which the slow instance is no longer late. */
const QUIET = 10

/**
 * Two stores on one log. An append of the slow one arrives when the fast one has appended once more, or has been quiet.
 */
const fastAndSlow = async (t: ExecutionContext) => {
  const truth = openStore(t, await aPath(t))
  let appended = Promise.withResolvers<void>()
  const fast: EventStore = {
    ...truth,
    append: async (...given) => {
      const result = await truth.append(...given)
      appended.resolve()
      appended = Promise.withResolvers()
      return result
    },
  }
  const slow: EventStore = {
    ...truth,
    append: async (...given) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, QUIET)
      await Promise.race([promise, appended.promise])
      clearTimeout(timer)
      return truth.append(...given)
    },
  }
  return {
    fast: anInstance(fast, { isShared: true }),
    slow: anInstance(slow, { isShared: true, retryTimeout: 30_000, commandTimeout: 60_000 }),
  }
}

test('thorough: a slow instance is not locked out by a fast one', async (t) => {
  const { fast, slow } = await fastAndSlow(t)
  const sut = await fast.aSut()
  let isOver = false
  const busy = Array.from({ length: 4 }, async (_, loop) => {
    for (let n = 0; !isOver; n++) await fast.update(sut, { description: `fast ${loop} ${n}` })
  })
  t.is(await slow.update(sut, { description: 'slow' }), 'recorded')
  isOver = true
  await Promise.all(busy)
})
