import test, { type ExecutionContext } from 'ava'
import { makeSharedStreams } from '../../../src/commands/turns/shared-streams.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance } from '../setting.ts'

/** Two instances that are busy with one stream. */

const given = () => {
  const time = { now: 1_000 }
  const shared = makeSharedStreams(() => time.now)
  /** After a command that takes so many milliseconds, and begins so many after the last one. */
  const pauseAfter = (took: number, { stream = 'sut-1', idle = 0 } = {}): number => {
    const began = time.now + idle
    time.now = began + took
    return shared.pauseAfter(stream, began)
  }
  return { ...shared, pauseAfter }
}

/** The pauses after commands that take so many milliseconds each, and wait for the pause of the one before. */
const pausesAfter = ({ pauseAfter }: ReturnType<typeof given>, commands: readonly number[]): readonly number[] => {
  let idle = 0
  return commands.map((took) => {
    idle = pauseAfter(took, { idle })
    return idle
  })
}

test('an instance that keeps a stream busy leaves it for 25 ms after each second', (t) => {
  t.deepEqual(pausesAfter(given(), [999, 1, 999, 1, 400, 600]), [0, 25, 0, 25, 0, 25])
})

test('an instance that was overtaken keeps the stream for 50 ms, then leaves it for 25 ms, and so on', (t) => {
  const instance = given()
  instance.overtaken('sut-1')
  t.deepEqual(pausesAfter(instance, [49, 1, 49, 1, 60]), [0, 25, 0, 25, 25])
  t.is(instance.pauseAfter(500, { stream: 'sut-2' }), 0, 'another stream is not shared')
})

test('who is overtaken again keeps the stream for 50 ms from then on', (t) => {
  const instance = given()
  instance.overtaken('sut-1')
  t.is(instance.pauseAfter(49), 0)
  instance.overtaken('sut-1')
  t.deepEqual(pausesAfter(instance, [49, 1]), [0, 25])
})

test('a stream that nobody asked for in the meantime needs no pause', (t) => {
  const { overtaken, pauseAfter } = given()
  t.is(pauseAfter(900), 0)
  t.is(pauseAfter(100, { idle: 24 }), 25)
  t.is(pauseAfter(900, { idle: 25 }), 0)
  t.is(pauseAfter(999, { idle: 25 }), 0)
  overtaken('sut-1')
  t.is(pauseAfter(10, { idle: 1_000 }), 0)
})

test('two seconds after it was overtaken last, an instance may keep the stream for a second again', (t) => {
  const { overtaken, pauseAfter } = given()
  overtaken('sut-1')
  t.is(pauseAfter(50, { idle: 1_949 }), 25)
  t.is(pauseAfter(50, { idle: 25 }), 0)
})

test('of more streams than are remembered, the least recently used begins to be busy anew', (t) => {
  const { overtaken, pauseAfter } = given()
  for (let n = 0; n <= 1_024; n++) overtaken(`sut-${n}`)
  t.is(pauseAfter(50, { stream: 'sut-0' }), 0)
  t.is(pauseAfter(50, { stream: 'sut-2', idle: -50 }), 25, 'at the same time')
})

/** Milliseconds without an append of the others after which the slow instance is no longer late. */
const QUIET = 10

/**
 * Two stores on one log. An append of the slow one arrives when the fast one has appended once more, or has been quiet.
 */
const fastAndSlow = async (t: ExecutionContext) => {
  const truth = await openStore(t, await aPath(t))
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
  const quiet = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, QUIET)
    await Promise.race([promise, appended.promise])
    clearTimeout(timer)
  }
  const slow: EventStore = {
    ...truth,
    append: async (...given) => {
      await quiet()
      return truth.append(...given)
    },
  }
  return {
    fast: anInstance(fast, { isShared: true }),
    slow: anInstance(slow, { isShared: true, retryTimeout: 30_000, commandTimeout: 60_000 }),
  }
}

/** The outcome of a change by the slow instance, while the fast one changes the same machine without a break. */
const changeBesides = async ({ fast, slow }: Awaited<ReturnType<typeof fastAndSlow>>, sut: string): Promise<string> => {
  let isOver = false
  const busy = Array.from({ length: 4 }, async (_, loop) => {
    for (let n = 0; !isOver; n++) await fast.describe(sut, `fast ${loop} ${n}`)
  })
  const outcome = await slow.describe(sut, 'slow')
  isOver = true
  await Promise.all(busy)
  return outcome
}

for (const isKnown of [true, false]) {
  test(`thorough: a slow instance is not locked out by a fast one that ${isKnown ? 'knows' : 'does not know'} of it`, async (t) => {
    const both = await fastAndSlow(t)
    const sut = await both.fast.aSut()
    if (isKnown) {
      t.is(await both.slow.describe(sut, 'first'), 'recorded')
      t.is(await both.fast.describe(sut, 'second'), 'recorded', 'it was overtaken')
    }
    t.is(await changeBesides(both, sut), 'recorded')
  })
}
