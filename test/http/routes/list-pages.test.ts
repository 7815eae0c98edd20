import test from 'ava'
import type { Client } from '../client.ts'
import { start } from '../harness.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'

/** Shows behaviour/reads.md: paging through long lists. */

interface Page {
  readonly limit: number
  readonly offset: number
  readonly count: number
  readonly ids: readonly string[]
}

const pageOf = async (client: Client, path: string): Promise<Page> => {
  const answer = await client.get(path)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  const { limit, offset, count, ...list } = answer.json as unknown as Omit<Page, 'ids'>
  const [entries] = Object.values(list) as unknown as readonly (readonly { _id: string }[])[]
  return { limit, offset, count, ids: (entries ?? []).map(({ _id }) => _id) }
}

test('limit is 1 to 1000 with default 100, and count covers all matches', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const suts: string[] = []
  for (let n = 0; n < 102; n++) suts.unshift(await createSut(service.as('admin')))
  t.deepEqual(await pageOf(alice, '/api/sut'), { limit: 100, offset: 0, count: 102, ids: suts.slice(0, 100) })
  t.deepEqual(await pageOf(alice, '/api/sut?offset=100'), { limit: 100, offset: 100, count: 102, ids: suts.slice(100) })
  t.deepEqual(await pageOf(alice, '/api/sut?limit=1'), { limit: 1, offset: 0, count: 102, ids: suts.slice(0, 1) })
  t.deepEqual(await pageOf(alice, '/api/sut?limit=1000'), { limit: 1000, offset: 0, count: 102, ids: suts })
  for (const limit of [0, 1001]) t.is((await alice.get(`/api/sut?limit=${limit}`)).status, 422)
})

test('before continues after an entry despite newer ones, while an offset would repeat one', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  const make = {
    '/api/sut': () => createSut(admin),
    '/api/sut_reservation': async (n: number): Promise<string> => {
      const start = Date.parse('2030-05-03T00:00:00Z') + n * 900_000
      const ends = { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
      return String((await reserved(admin, aReservation(sut_id, ends))).json._id)
    },
  }
  for (const [path, one] of Object.entries(make)) {
    const [a, b, c, d] = [await one(0), await one(1), await one(2), await one(3)]
    t.deepEqual((await pageOf(admin, `${path}?limit=2`)).ids, [d, c])
    await one(4)
    t.deepEqual((await pageOf(admin, `${path}?limit=2&before=${c}`)).ids, [b, a])
    t.deepEqual((await pageOf(admin, `${path}?limit=2&offset=2`)).ids, [c, b], 'the drift of an offset')
  }
})
