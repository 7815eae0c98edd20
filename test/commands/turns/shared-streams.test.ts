import test, { type ExecutionContext } from 'ava'
import { makeSharedStreams } from '../../../src/commands/turns/shared-streams.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance } from '../setting.ts'

/** Two instances that are busy with one stream. */

const given = () => {
  const time = { now: 1_000 }
  const shared = makeSharedStreams(() => time.now)
  /** After a command that ends so many milliseconds later. */
  const pauseIn = (milliseconds: number, stream = 'sut-1'): number => {
    time.now += milliseconds
    return shared.pauseAfter(stream)
  }
  return { ...shared, pauseIn }
}

test('a stream of one instance has no pauses', (t) => {
  const { pauseIn, overtaken } = given()
  t.is(pauseIn(500), 0)
  overtaken('sut-2')
  t.is(pauseIn(500), 0)
})

test('an instance that was overtaken keeps the stream for 50 ms, then leaves it for 25 ms, and so on', (t) => {
  const { pauseIn, overtaken } = given()
  overtaken('sut-1')
  t.deepEqual(
    [49, 1, 25, 49, 1].map((after) => pauseIn(after)),
    [0, 25, 0, 0, 25],
  )
})

test('who is overtaken again keeps the stream for 50 ms from then on', (t) => {
  const { pauseIn, overtaken } = given()
  overtaken('sut-1')
  t.is(pauseIn(49), 0)
  overtaken('sut-1')
  t.is(pauseIn(49), 0)
  t.is(pauseIn(1), 25)
})

test('two seconds after it was overtaken last, an instance has the stream to itself', (t) => {
  const { pauseIn, overtaken } = given()
  overtaken('sut-1')
  t.is(pauseIn(1_999), 25)
  t.is(pauseIn(1), 0)
  t.is(pauseIn(500), 0)
})

test('of more shared streams than are remembered, the least recently used has no pauses', (t) => {
  const { pauseIn, overtaken } = given()
  for (let n = 0; n <= 1_024; n++) overtaken(`sut-${n}`)
  t.is(pauseIn(50, 'sut-0'), 0)
  t.is(pauseIn(0, 'sut-1'), 25)
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
    append: (...given) => {
      const append = truth.append(...given)
      return async () => {
        const result = await append()
        appended.resolve()
        appended = Promise.withResolvers()
        return result
      }
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
    append: (...given) => {
      const append = truth.append(...given)
      return async () => {
        await quiet()
        return append()
      }
    },
  }
  return { fast: anInstance(fast), slow: anInstance(slow) }
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

test('a slow instance is not locked out of a stream by a fast one that knows of it', async (t) => {
  const both = await fastAndSlow(t)
  const sut = await both.fast.aSut()
  t.is(await both.slow.describe(sut, 'first'), 'recorded')
  t.is(await both.fast.describe(sut, 'second'), 'recorded', 'it was overtaken')
  t.is(await changeBesides(both, sut), 'recorded')
})

test('control: a fast instance that was never overtaken leaves no pause, and a slower one ends as unavailable', async (t) => {
  const both = await fastAndSlow(t)
  const sut = await both.fast.aSut()
  t.is(await changeBesides(both, sut), 'unavailable')
})
