import test from 'ava'
import { PEOPLE } from '../../../src/web/data/lists.ts'
import type { Source } from '../../../src/web/data/query.ts'

/** Lists, as the page reads them. */

test('all people are read, who are searched by name, also beyond the thousandth', async (t) => {
  const users = Array.from({ length: 2_500 }, (_, n) => ({ _id: String(9_999 - n), name: `tester ${n}` }))
  const get: Source['get'] = async (path) => {
    const query = new URL(path, 'http://a').searchParams
    const before = query.get('before') ?? 'none'
    const left = users.filter(({ _id }) => before === 'none' || _id < before)
    return { value: { users: left.slice(0, Number(query.get('limit'))) } as never, etag: undefined, position: '1' }
  }
  const people = await PEOPLE.read({ get, reached: () => '1' }, undefined, undefined)
  t.is(people.size, 2_500)
  t.is([...people.values()].at(-1)?.name, 'tester 2499')
})
