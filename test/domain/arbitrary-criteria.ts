import fc from 'fast-check'
import type { Criteria } from '../../src/domain/events/criteria.ts'

/** Text of `minLength` to `maxLength` graphemes, including emoji and combining characters. */
export const arbitraryText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', minLength, maxLength })

export const arbitraryTags = <A>(values: fc.Arbitrary<A>) =>
  fc.dictionary(
    fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/), fc.constantFrom('constructor', 'toString', '10')),
    values,
    { noNullPrototype: true },
  )

export const criteria = (): fc.Arbitrary<Criteria> => {
  const values = (value: fc.Arbitrary<string>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }))
  const tag = fc.oneof(values(arbitraryText(0, 30)), fc.constant(null))
  const members = {
    name: values(arbitraryText(1, 40)),
    os: fc.oneof(values(arbitraryText(0, 40)), fc.constant(null)),
    tags: arbitraryTags(tag).filter((tags) => Object.keys(tags).length > 0 && Object.keys(tags).length <= 16),
  }
  return fc.record({ ...members, not: fc.record(members) }, { requiredKeys: ['os'] })
}
