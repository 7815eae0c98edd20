/** What is read of the history of a machine. */

import test from 'ava'
import { readNewest } from '../../../src/web/features/events/entries.ts'
import type { Api } from '../../../src/web/service/api.ts'

/** Answers as the service does, of so many entries. */
const answering = (count: number) => {
  const get: Api['get'] = async (path) => {
    const query = new URL(path, 'http://a').searchParams
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))]
    const length = Math.max(0, Math.min(limit, count - offset))
    const events = Array.from({ length }, (_, n) => ({ sequence: String(offset + n) }))
    return { value: { count, events } as never, etag: undefined, position: undefined }
  }
  return { get }
}

test('as many of the newest entries are read as are wanted, also of more than a page', async (t) => {
  for (const [count, most, length] of [
    [0, 20, 0],
    [7, 20, 7],
    [2_500, 20, 20],
    [2_500, 1_120, 1_120],
    [2_500, 2_000, 2_000],
    [2_500, 3_000, 2_500],
  ] as const) {
    const newest = await readNewest(answering(count), 'a', most)
    t.is(newest.count, count)
    t.deepEqual(
      newest.entries.map(({ sequence }) => Number(sequence)),
      Array.from({ length }, (_, n) => count - 1 - n),
      `${most} of ${count}`,
    )
  }
})
