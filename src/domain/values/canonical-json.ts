/** Whether `JSON.stringify` produces the canonical form. It neither sorts members nor rejects values. */
const isCanonical = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'boolean'
  if (value === null) return true
  if (Array.isArray(value)) return value.every(isCanonical)
  let last = ''
  // Object.keys would make a list for each object.
  for (const name in value) {
    if (name < last || !name.isWellFormed() || !isCanonical((value as Record<string, unknown>)[name])) return false
    last = name
  }
  return true
}

/**
 * The JSON Canonicalization Scheme (RFC 8785): members sorted by UTF-16 code units, no white space, ECMAScript number
 * formatting. Our own implementation, because every recorded event passes through it. The published package takes
 * several times as long; the tests compare against it. Values with sorted members use the native `JSON.stringify`.
 *
 * @throws TypeError for values JSON cannot represent exactly: undefined, functions, bigints, NaN, infinities, lone
 * surrogates.
 */
export const canonicalJson = (value: unknown): string =>
  isCanonical(value) ? JSON.stringify(value) : writeSorted(value)

/**
 * The value with the members of all its objects in the order that they have in canonical JSON. What is folded as it is
 * recorded is then the same, byte for byte, as what is folded when the log is read again.
 */
export const inCanonicalOrder = <A>(value: A): A => {
  if (typeof value !== 'object' || value === null || isCanonical(value)) return value
  if (Array.isArray(value)) return value.map(inCanonicalOrder) as A
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, inCanonicalOrder(value[name as keyof A])])) as A
}

const writeSorted = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) {
    if (!isCanonical(value)) throw new TypeError(`a ${typeof value} such as ${String(value)} has no canonical form`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((name) => `${writeSorted(name)}:${writeSorted((value as Record<string, unknown>)[name])}`)
  return `{${members.join(',')}}`
}
