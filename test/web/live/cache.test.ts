import { setImmediate } from 'node:timers/promises'
import { signal } from '@preact/signals'
import test from 'ava'
import { openCache } from '../../../src/web/data/cache.ts'
import { NOTHING, type Query } from '../../../src/web/data/query.ts'

test('what several show is read once, again after an outage, and never shown to the next user', async (t) => {
  const isAnswered = signal(true)
  const get = async (path: string) => ({ value: path as never, etag: undefined, position: '01' })
  const cache = openCache({ api: { get }, news: signal(undefined), isAnswered })
  let reads = 0
  const machines: Query<unknown> = {
    ...{ key: 'machines', isKept: true, ...NOTHING },
    read: async (source) => {
      await source.get('/')
      reads += 1
      return reads
    },
  }
  const ends = [cache.entry(machines).use(), cache.entry(machines).use()]
  await setImmediate()
  const { result } = cache.entry(machines)
  t.deepEqual([reads, result.peek().value], [1, 1])
  isAnswered.value = false
  isAnswered.value = true
  cache.clear()
  await setImmediate()
  t.deepEqual([reads, result.peek().value, cache.entry(machines).result.peek().value], [1, undefined, undefined])
  const end = cache.entry(machines).use()
  await setImmediate()
  isAnswered.value = false
  isAnswered.value = true
  await setImmediate()
  t.deepEqual([reads, cache.entry(machines).result.peek().value], [3, 3])
  for (const each of [...ends, end]) each()
  cache.clear()
})
