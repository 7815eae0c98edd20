import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Answer } from '../../client.ts'
import { type Running, start } from '../../harness.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { aSut, createSut, NOW } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: tags. */

const LATER = '2030-05-02T07:00:00.001Z'

/** A service with one SUT, and a function that tags it. */
const stage = async (t: Parameters<typeof start>[0]) => {
  const service = await start(t, { now: NOW })
  const _id = await createSut(service.as('admin'))
  const path = `/api/sut/${_id}`
  const tag = (tags: unknown): Promise<Answer> => service.as('admin').post(`${path}/tags`, tags)
  return { service, _id, path, tag }
}

const eventsOf = async (service: Running) => (await logOf(service)).slice(2)

test('tags are an object of strings, and the answer is the SUT with its tags', async (t) => {
  const { service, path, tag } = await stage(t)
  const before = await service.as('alice').get(path)
  service.clock.set(LATER)
  const answer = await tag({ rack: 'B', 'os.family-1_x': '' })
  t.is(answer.status, 200)
  const tags = { 'os.family-1_x': '', rack: 'B' }
  t.deepEqual(answer.json, { ...before.json, updated_at: '2030-05-02T07:00:00.001+00:00', tags })
  t.is(answer.headers.etag, '"1"')
  t.is((await service.as('alice').get(path)).text, answer.text)
})

test('tags are merged as in RFC 7396: others stay, the same name is replaced, null removes', async (t) => {
  const { service, path, tag } = await stage(t)
  const merges: readonly (readonly [object, object])[] = [
    [
      { a: '1', b: '2' },
      { a: '1', b: '2' },
    ],
    [
      { b: '3', c: '4' },
      { a: '1', b: '3', c: '4' },
    ],
    [
      { a: null, never: null },
      { b: '3', c: '4' },
    ],
    [{ b: null, c: null, d: 'last' }, { d: 'last' }],
  ]
  for (const [patch, tags] of merges) t.deepEqual((await tag(patch)).json.tags, tags)
  t.deepEqual((await service.as('alice').get(path)).json.tags, { d: 'last' })
})

test('tagging records SutUpdated with only the tags that change', async (t) => {
  const { service, _id, tag } = await stage(t)
  await tag({ a: '1', b: '2' })
  await tag({ a: '1', b: 'other', never: null })
  t.deepEqual(await eventsOf(service), [
    { type: 'SutUpdated', data: { _id, tags: { a: '1', b: '2' } } },
    { type: 'SutUpdated', data: { _id, tags: { b: 'other' } } },
  ])
})

test('tags that change nothing return the SUT and record nothing', async (t) => {
  const { service, tag } = await stage(t)
  const first = await tag({ a: '1' })
  service.clock.set(LATER)
  for (const nothing of [{}, { a: '1' }, { b: null }]) {
    const answer = await tag(nothing)
    t.deepEqual([answer.status, answer.text, answer.headers.etag], [200, first.text, '"1"'])
  }
  t.is((await eventsOf(service)).length, 1)
})

test('tag names are 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit', async (t) => {
  const { tag } = await stage(t)
  const longest = `a${'-'.repeat(63)}`
  for (const name of ['a', 'Z', '0', 'a.b_c-D', longest, 'constructor', 'toString', 'hasOwnProperty']) {
    t.deepEqual((await tag({ [name]: 'x' })).json.tags, { [name]: 'x' }, name)
    t.deepEqual((await tag({ [name]: null })).json.tags, {}, name)
  }
  const wrong = ['', '.a', '_a', '-a', 'a b', 'a/b', 'ä', 'a\n', `${longest}-`, '__proto__']
  for (const name of wrong) {
    const answer = await tag(JSON.parse(`{${JSON.stringify(name)}:"x"}`))
    t.deepEqual(answer.status, 422, name)
    t.deepEqual(faultsOf(answer), [])
  }
})

test('tag values are strings of up to 256 characters without control characters, or null', async (t) => {
  const { tag } = await stage(t)
  const longest = '\u{1f5a5}'.repeat(256)
  t.deepEqual((await tag({ a: longest })).json.tags, { a: longest })
  for (const value of [`${longest}a`, 1, true, ['x'], { x: 'y' }, 'a\nb', '\u0007', '\ud83d']) {
    const answer = await tag({ a: value })
    t.deepEqual(refusalOf(answer), [422, 'invalid', '#/a'], JSON.stringify(value))
    t.deepEqual(faultsOf(answer), [])
  }
})

test('all invalid tags are named at once, and none of the others is applied', async (t) => {
  const { service, tag } = await stage(t)
  t.deepEqual(refusalOf(await tag({ good: 'x', '.a': 'x', b: 1 })), [422, 'invalid', '#/.a', '#/b'])
  t.deepEqual(await eventsOf(service), [])
})

test('a body of tags that is not an object is refused', async (t) => {
  const { tag } = await stage(t)
  for (const body of [[], null, 'a', 1]) t.deepEqual(refusalOf(await tag(body)), [422, 'invalid', '#'])
})

const numbered = (first: number, count: number, value: string | null): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${first + n}`, value]))

test('a SUT has at most 64 tags: another is refused unless one is removed with it', async (t) => {
  const { service, tag } = await stage(t)
  t.is(Object.keys((await tag(numbered(0, 64, 'x'))).json.tags as object).length, 64)
  const tooMany = await tag({ another: 'x' })
  t.deepEqual(refusalOf(tooMany), [422, 'invalid', '#'])
  t.deepEqual(faultsOf(tooMany), [])
  t.is((await tag({ t0: 'y', another: null })).status, 200)
  const exchanged = await tag({ t0: null, another: 'x' })
  t.is(exchanged.status, 200)
  t.is(Object.keys(exchanged.json.tags as object).length, 64)
  t.deepEqual((await tag(numbered(0, 64, null))).json.tags, { another: 'x' })
  t.is((await eventsOf(service)).length, 4)
})

test('tags given at creation are recorded with it, so that nobody can book the SUT without them', async (t) => {
  const { service } = await stage(t)
  const create = (tags: unknown) => service.as('admin').post('/api/sut/create', aSut({ tags }))
  const { json } = await create({ rack: 'B', a: '1' })
  t.deepEqual(json.tags, { a: '1', rack: 'B' })
  t.is((await service.as('alice').get('/api/sut?tag.rack=B')).json.count, 1)
  t.deepEqual((await create({})).json.tags, {})
  const created = (await eventsOf(service)).filter(({ type }) => type === 'SutCreated')
  t.deepEqual(
    created.map(({ data }) => ('tags' in data ? data.tags : undefined)),
    [{ a: '1', rack: 'B' }, undefined],
  )
  const merged = await service.as('admin').post(`/api/sut/${json._id}/tags`, { a: null, c: '3' })
  t.deepEqual(merged.json.tags, { c: '3', rack: 'B' })
  const refused: readonly (readonly [unknown, string])[] = [
    [{ a: null }, '#/tags/a'],
    [{ '-': 'x' }, '#/tags/-'],
    [{ a: 'x'.repeat(257) }, '#/tags/a'],
    [numbered(0, 65, 'x'), '#/tags'],
    [[], '#/tags'],
  ]
  for (const [tags, pointer] of refused) t.deepEqual(refusalOf(await create(tags)), [422, 'invalid', pointer])
  t.is(Object.keys((await create(numbered(0, 64, 'x'))).json.tags as object).length, 64)
})

test('tags is a read-only field in update', async (t) => {
  const { service, path } = await stage(t)
  const answer = await service.as('admin').post(`${path}/update`, { tags: { a: '1' } })
  t.deepEqual(refusalOf(answer), [422, 'field_read_only', '#/tags'])
})

test('an update keeps the tags, which are the same after a restart and a rebuild', async (t) => {
  const { service, path, tag } = await stage(t)
  await tag({ rack: 'B', a: '1' })
  const updated = await service.as('admin').post(`${path}/update`, { name: 'other' })
  t.deepEqual(updated.json.tags, { a: '1', rack: 'B' })
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  t.is((await again.as('alice').get(path)).text, updated.text)
  await again.stop()
  await rm(join(service.data, 'views.db'))
  t.is((await (await start(t, { now: NOW, data: service.data })).as('alice').get(path)).text, updated.text)
})

test('tagging an unknown SUT is 404', async (t) => {
  const { service } = await stage(t)
  for (const id of ['58c38f5d444553252cce0000', 'create', 'a%20b']) {
    const answer = await service.as('admin').post(`/api/sut/${id}/tags`, { a: '1' })
    t.deepEqual(refusalOf(answer), [404, 'sut_not_found'])
  }
})
