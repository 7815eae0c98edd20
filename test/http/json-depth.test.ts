import test from 'ava'
import fc from 'fast-check'
import { isDeeperThan } from '../../src/http/json-depth.ts'
import { start } from './harness.ts'
import { faultsOf, refusalOf } from './problems.ts'

const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

test('the depth of a JSON text is seen, whatever brackets and quotes stand in its strings', (t) => {
  const words = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'ä', '\n') })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'large' }, words, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  }))
  const seen = new Set<number>()
  fc.assert(
    fc.property(value, fc.nat({ max: 5 }), (json, space) => {
      const depth = depthOf(json)
      const text = Buffer.from(JSON.stringify(json, undefined, space))
      seen.add(depth)
      t.false(isDeeperThan(depth, text))
      if (depth > 0) t.true(isDeeperThan(depth - 1, text))
    }),
    { numRuns: 500 },
  )
  t.true(seen.size > 4)
})

test('a body is taken up to 32 levels deep, and refused beyond, however deep it is', async (t) => {
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
