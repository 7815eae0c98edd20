import fc from 'fast-check'
import type { Criteria, Exclusion } from '../../../src/domain/events/criteria.ts'
import type { SutFields } from '../../../src/domain/matching/fit.ts'

const WORDS = ['Windows', 'WINDOWS', 'linux', ''] as const
const TAGS = ['a', 'A', ''] as const
const FIELDS = ['sut_type', 'manufacturer', 'model', 'os', 'version', 'name'] as const
/** Fields that a SUT may lack. */
const LACKED: readonly string[] = ['manufacturer', 'model', 'os', 'version']

const oneOrSeveral = (words: readonly string[]) =>
  fc.oneof(fc.constantFrom(...words), fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }))
const criterion = oneOrSeveral(WORDS)
const tagCriteria = fc.dictionary(fc.constantFrom('x', 'y', 'Y'), fc.oneof(oneOrSeveral(TAGS), fc.constant(null)), {
  minKeys: 1,
})
const members = {
  ...Object.fromEntries(FIELDS.map((name) => [name, LACKED.includes(name) ? fc.option(criterion) : criterion])),
  tags: tagCriteria,
} as Record<string, fc.Arbitrary<unknown>>
const exclusions = fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Exclusion>
export const criteria = fc.record({ ...members, not: exclusions }, { requiredKeys: [] }) as fc.Arbitrary<Criteria>
export const suts = fc.record({
  fields: fc.record(Object.fromEntries(FIELDS.map((name) => [name, fc.constantFrom(...WORDS)]))),
  tags: fc.dictionary(fc.constantFrom('x', 'y', 'Y'), fc.constantFrom(...TAGS)),
}) as unknown as fc.Arbitrary<{ fields: SutFields; tags: Readonly<Record<string, string>> }>
