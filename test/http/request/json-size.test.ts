import test from 'ava'
import fc from 'fast-check'
import { DEPTH_MAX, excessOf, MEMBERS_MAX } from '../../../src/http/request/read-body.ts'

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
