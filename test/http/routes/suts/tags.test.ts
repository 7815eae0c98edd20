import test, { type ExecutionContext } from 'ava'
import { lab, said } from '../../lab.ts'
import { aSut } from '../../requests.ts'

const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const path = `/api/sut/${service.sut}`
  return { ...service, path, tag: (tags: unknown) => service.ask('admin', `POST ${path}/tags`, tags) }
}

const numbered = (first: number, count: number, value: string | null): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${first + n}`, value]))

const LONGEST_NAME = `a${'-'.repeat(63)}`
const LONGEST = '\u{1f5a5}'.repeat(256)

test('tag names are 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit', async (t) => {
  const { tag } = await stage(t)
  for (const name of ['a', 'Z', '0', 'a.b_c-D', LONGEST_NAME, 'constructor', 'toString', 'hasOwnProperty']) {
    t.deepEqual((await tag({ [name]: 'x' })).json.tags, { [name]: 'x' }, name)
    t.deepEqual((await tag({ [name]: null })).json.tags, {}, name)
  }
  for (const name of ['', '.a', '_a', '-a', 'a b', 'a/b', 'ä', 'a\n', `${LONGEST_NAME}-`, '__proto__'])
    t.regex(said(await tag(JSON.parse(`{${JSON.stringify(name)}:"x"}`))), /^422 /, name)
})

test('tag values are strings of up to 256 characters without control characters, or null', async (t) => {
  const { recorded, tag } = await stage(t)
  for (const value of [`${LONGEST}a`, 1, true, ['x'], { x: 'y' }, 'a\nb', '\u0007', '\ud83d'])
    t.is(said(await tag({ a: value })), '422 invalid #/a', JSON.stringify(value))
  for (const body of [[], null, 'a', 1]) t.is(said(await tag(body)), '422 invalid #')
  t.is(said(await tag({ good: 'x', '.a': 'x', b: 1 })), '422 invalid #/.a #/b', 'all at once, and none is applied')
  t.deepEqual(await recorded(), [])
  t.deepEqual((await tag({ a: LONGEST })).json.tags, { a: LONGEST })
})

test('a SUT has at most 64 tags: another is refused unless one is removed with it', async (t) => {
  const { tag } = await stage(t)
  t.is(Object.keys((await tag(numbered(0, 64, 'x'))).json.tags as object).length, 64)
  t.is(said(await tag({ another: 'x' })), '422 invalid #')
  t.is(said(await tag({ t0: 'y', another: null })), '200')
  t.is(Object.keys((await tag({ t0: null, another: 'x' })).json.tags as object).length, 64)
})

test('tags given at creation are recorded with it, and no update takes any', async (t) => {
  const { ask, path, recorded } = await stage(t)
  const create = (tags: unknown) => ask('admin', 'POST /api/sut/create', aSut({ tags }))
  t.deepEqual((await create({ rack: 'B', a: '1' })).json.tags, { a: '1', rack: 'B' })
  t.is((await ask('alice', 'GET /api/sut?tag.rack=B')).json.count, 1)
  t.deepEqual((await create({})).json.tags, {})
  const created = (await recorded()).filter(({ type }) => type === 'SutCreated')
  t.deepEqual(
    created.map(({ data }) => data.tags),
    [{ a: '1', rack: 'B' }, undefined],
  )
  for (const [tags, pointer] of [
    [{ a: null }, '#/tags/a'],
    [{ '-': 'x' }, '#/tags/-'],
    [{ a: 'x'.repeat(257) }, '#/tags/a'],
    [numbered(0, 65, 'x'), '#/tags'],
    [[], '#/tags'],
  ] as const)
    t.is(said(await create(tags)), `422 invalid ${pointer}`)
  t.is(Object.keys((await create(numbered(0, 64, 'x'))).json.tags as object).length, 64)
  t.is(said(await ask('admin', `POST ${path}/update`, { tags: { a: '1' } })), '422 field_read_only #/tags')
})
