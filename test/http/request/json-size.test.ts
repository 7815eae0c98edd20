import test from 'ava'
import fc from 'fast-check'
import { DEPTH_MAX, excessOf, MEMBERS_MAX } from '../../../src/http/request/read-body.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'

const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

const membersOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce((sum: number, member) => sum + 1 + membersOf(member), 0)

test('property: levels and members of JSON are counted, ignoring the contents of strings', (t) => {
  const words = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', ',', 'ä', '\n') })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'large' }, words, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  }))
  const seen = new Set<number>()
  fc.assert(
    fc.property(value, fc.nat({ max: 5 }), (json, space) => {
      const [levels, members] = [depthOf(json), membersOf(json)]
      const text = JSON.stringify(json, undefined, space)
      seen.add(levels)
      const wrapped = (by: number) => Buffer.from('['.repeat(by) + text.padEnd(MEMBERS_MAX + 1) + ']'.repeat(by))
      t.is(excessOf(wrapped(DEPTH_MAX - levels)), undefined)
      t.is(excessOf(wrapped(DEPTH_MAX - levels + 1)), 'levels')
      const withOthers = (others: number) => Buffer.from(`[${'0,'.repeat(others)}${text}]`)
      t.is(excessOf(withOthers(MEMBERS_MAX - members - 1)), undefined)
      t.is(excessOf(withOthers(MEMBERS_MAX - members)), 'members')
    }),
    { numRuns: 300 },
  )
  t.true(seen.size > 4)
})

test('a body of 32 levels is read, and a deeper one is refused', async (t) => {
  const service = await start(t)
  const send = (body: string) =>
    service.as('admin').request('POST', '/api/sut/create', { 'Content-Type': 'application/json' }, body)
  const within = await send(`{"name":${nested(30)},"model":"${'['.repeat(100)}"}`)
  t.is(within.status, 422)
  for (const body of [`{"a":${nested(32)}}`, nested(34), '['.repeat(262_144), nested(60_000)]) {
    const answer = await send(body)
    t.deepEqual(refusalOf(answer), [400, 'malformed_json'])
    t.deepEqual(faultsOf(answer), [])
    t.regex(String(answer.json.detail), /32 levels/)
  }
})

test('a body of 10,000 members and elements is read, and one with more is refused', async (t) => {
  const service = await start(t)
  const send = (body: string) =>
    service.as('admin').request('POST', '/api/sut/create', { 'Content-Type': 'application/json' }, body)
  const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`
  const read = await send(members(MEMBERS_MAX))
  t.deepEqual([read.status, read.json.errors_count, (read.json.errors as unknown[]).length], [422, 10_004, 100])
  const refused = [members(MEMBERS_MAX + 1), `{"a":[${'0,'.repeat(MEMBERS_MAX)}0]}`, `[${'{"a":[0]},'.repeat(5_000)}0]`]
  for (const body of [...refused, `[${'0 ,\n'.repeat(65_000)}`]) {
    const answer = await send(body)
    t.deepEqual(refusalOf(answer), [400, 'malformed_json'])
    t.deepEqual(faultsOf(answer), [])
    t.regex(String(answer.json.detail), /10000 members/)
  }
})
