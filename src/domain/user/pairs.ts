import * as E from 'fp-ts/lib/Either.js'

/** Parses text like `name=value,name=value`. White space around names and values is ignored. Left says what is wrong. */
export const parsePairs = <K, V>(
  text: string,
  parse: (name: string, value: string) => E.Either<string, readonly [K, V]>,
  { syntax, twice }: { readonly syntax: string; readonly twice: string },
): E.Either<string, ReadonlyMap<K, V>> => {
  const pairs = new Map<K, V>()
  for (const part of text.split(',')) {
    const [name = '', value, ...more] = part.split('=').map((each) => each.trim())
    if (value === undefined || more.length > 0) return E.left(syntax)
    const pair = parse(name, value)
    if (E.isLeft(pair)) return pair
    if (pairs.has(pair.right[0])) return E.left(twice)
    pairs.set(...pair.right)
  }
  return E.right(pairs)
}
