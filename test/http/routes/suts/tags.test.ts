import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Answer } from '../../client.ts'
import { type Running, start } from '../../harness.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { createSut, NOW } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'

/** BEHAVIOUR.md, SUTs: tags. */

const LATER = '2030-05-02T07:00:00.001Z'

/** A service with one SUT, and what tags that. */
const stage = async (t: Parameters<typeof start>[0]) => {
  const service = await start(t, { now: NOW })
  const _id = await createSut(service.as('admin'))
  const path = `/api/sut/${_id}`
  const tag = (tags: unknown): Promise<Answer> => service.as('admin').post(`${path}/tags`, tags)
  return { service, _id, path, tag }
}

const eventsOf = async (service: Running) => (await logOf(service)).slice(2)

test('tags are an object of names to strings, and the answer is the SUT with them', async (t) => {
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

test('tags are merged as RFC 7396 has it: others stay, the same name is replaced, null removes, whatever it had', async (t) => {
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

test('tagging is recorded as SutUpdated with the tags that really change, and nothing else is', async (t) => {
  const { service, _id, tag } = await stage(t)
  await tag({ a: '1', b: '2' })
  await tag({ a: '1', b: 'other', never: null })
  t.deepEqual(await eventsOf(service), [
    { type: 'SutUpdated', data: { _id, tags: { a: '1', b: '2' } } },
    { type: 'SutUpdated', data: { _id, tags: { b: 'other' } } },
  ])
})

test('tags that change nothing are answered with the SUT as it stands, and record nothing', async (t) => {
  const { service, tag } = await stage(t)
  const first = await tag({ a: '1' })
  service.clock.set(LATER)
  for (const nothing of [{}, { a: '1' }, { b: null }]) {
    const answer = await tag(nothing)
    t.deepEqual([answer.status, answer.text, answer.headers.etag], [200, first.text, '"1"'])
  }
  t.is((await eventsOf(service)).length, 1)
})

test('names are 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit', async (t) => {
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

test('values are strings of up to 256 characters without control characters, or null', async (t) => {
  const { tag } = await stage(t)
  const longest = '\u{1f5a5}'.repeat(256)
  t.deepEqual((await tag({ a: longest })).json.tags, { a: longest })
  for (const value of [`${longest}a`, 1, true, ['x'], { x: 'y' }, 'a\nb', '\u0007', '\ud83d']) {
    const answer = await tag({ a: value })
    t.deepEqual(refusalOf(answer), [422, 'invalid', '#/a'], JSON.stringify(value))
    t.deepEqual(faultsOf(answer), [])
  }
})

test('every wrong tag is named at once, and none of the others is taken', async (t) => {
  const { service, tag } = await stage(t)
  t.deepEqual(refusalOf(await tag({ good: 'x', '.a': 'x', b: 1 })), [422, 'invalid', '#/.a', '#/b'])
  t.deepEqual(await eventsOf(service), [])
})

test('a body that is no object is refused', async (t) => {
  const { tag } = await stage(t)
  for (const body of [[], null, 'a', 1]) t.deepEqual(refusalOf(await tag(body)), [422, 'invalid', '#'])
})

const numbered = (first: number, count: number, value: string | null): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${first + n}`, value]))

test('at most 64 tags may be left: 64 are, one more is not, unless another goes for it', async (t) => {
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

test('in create and update tags is a read-only field', async (t) => {
  const { service, path } = await stage(t)
  const create = { name: 'a', address: 'a', port: 1, sut_type: 'tcp', tags: { a: '1' } }
  const answers = [
    await service.as('admin').post('/api/sut/create', create),
    await service.as('admin').post(`${path}/update`, { tags: { a: '1' } }),
  ]
  for (const answer of answers) t.deepEqual(refusalOf(answer), [422, 'field_read_only', '#/tags'])
})

test('an update keeps the tags, and they are the same after a restart and when documents are made anew', async (t) => {
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

test('the tags of a SUT that nothing has are 404', async (t) => {
  const { service } = await stage(t)
  for (const id of ['58c38f5d444553252cce0000', 'create', 'a%20b']) {
    const answer = await service.as('admin').post(`/api/sut/${id}/tags`, { a: '1' })
    t.deepEqual(refusalOf(answer), [404, 'sut_not_found'])
  }
})
