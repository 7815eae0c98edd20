import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeInFlight } from '../../../src/commands/turns/in-flight.ts'

/** Tasks that end on demand, and a log of their starts and ends. */
const tasks = () => {
  const log: string[] = []
  const ends = new Map<string, () => void>()
  return {
    log,
    task: (name: string) => async () => {
      log.push(`${name} begins`)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      log.push(`${name} ends`)
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

test('requests with the same key run in sequence, those with different keys concurrently', async (t) => {
  const { runExclusive } = makeInFlight()
  const { log, task, end } = tasks()
  const all = [
    runExclusive(['a'], task('1')),
    runExclusive(['a'], task('2')),
    runExclusive(['a'], task('3')),
    runExclusive(['b'], task('4')),
  ]
  await turns()
  t.deepEqual(log, ['1 begins', '4 begins'])
  for (const name of ['1', '2', '3', '4']) await end(name)
  t.deepEqual(await Promise.all(all), ['1', '2', '3', '4'].map(E.right))
  t.deepEqual(log, ['1 begins', '4 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends', '4 ends'])
})

test('a request waits for earlier ones that used the name before a key rotation', async (t) => {
  const { runExclusive } = makeInFlight()
  const { log, task, end } = tasks()
  const earlier = runExclusive(['old'], task('earlier'))
  const later = [runExclusive(['new', 'old'], task('later')), runExclusive(['new', 'old'], task('last'))]
  const other = runExclusive(['other', 'older'], task('other'))
  await turns()
  t.deepEqual(log, ['earlier begins', 'other begins'])
  for (const name of ['earlier', 'later', 'last', 'other']) await end(name)
  await Promise.all([earlier, ...later, other])
  t.deepEqual(log.slice(2, 7), ['earlier ends', 'later begins', 'later ends', 'last begins', 'last ends'])
})

test('requests that name the same keys in another order do not wait for each other', async (t) => {
  const { runExclusive } = makeInFlight()
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
  const { runExclusive } = makeInFlight()
  await t.throwsAsync(
    runExclusive(['a'], () => Promise.reject(new Error('it failed'))),
    { message: 'it failed' },
  )
  t.deepEqual(await runExclusive(['a'], async () => E.right(1)), E.right(1))
})
