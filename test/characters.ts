import fc from 'fast-check'

/** Any code point but surrogates. Like fast-check's `binary` unit, which takes a second per file to set up. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof({ weight: 2, arbitrary: fc.integer({ min: 0, max: 0x7f }) }, fc.integer({ min: 0, max: 0x10_f7ff }))
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
