/** Content negotiation of media types (RFC 9110, section 12.5.1), in a single pass whatever the field contains. */

/** How well a media type matches a range of the field. */
interface Preference {
  /** From 0 to 1; 0 excludes the type. */
  readonly quality: number
  /** 0 for any type, 1 for any subtype, 2 for the exact type, 3 with parameters. */
  readonly specificity: number
  /** The index of the range in the field. */
  readonly place: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SEMICOLON = 0x3b

/** Calls `take` with each part between separators outside quoted strings. The last string may be unterminated. */
const forEachPart = (text: string, separator: number, take: (part: string) => void): void => {
  let start = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted && code === BACKSLASH) i++
    else if (!isQuoted && code === separator) {
      take(text.slice(start, i))
      start = i + 1
    }
  }
  take(text.slice(start))
}

interface MediaType {
  /** `application/json`, without parameters. */
  readonly bare: string
  /** `application/*`. */
  readonly anySubtype: string
  readonly parameters: ReadonlyMap<string, string>
}

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

/** Values by lower-case name. */
const parametersOf = (text: string): ReadonlyMap<string, string> => {
  if (!text.includes(';')) return NO_PARAMETERS
  const parameters = new Map<string, string>()
  let isFirst = true
  forEachPart(text, SEMICOLON, (part) => {
    if (!isFirst && part.trim() !== '') {
      const middle = part.includes('=') ? part.indexOf('=') : part.length
      parameters.set(part.slice(0, middle).trim().toLowerCase(), unquoted(part.slice(middle + 1).trim()))
    }
    isFirst = false
  })
  return parameters
}

const bareOf = (text: string): string => {
  const end = text.indexOf(';')
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase()
}

const read = (mediaType: string): MediaType => {
  const bare = bareOf(mediaType)
  return { bare, anySubtype: `${bare.slice(0, bare.indexOf('/'))}/*`, parameters: parametersOf(mediaType) }
}

const ANY = '*/*'
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Undefined if the range has a parameter that the media type lacks. */
const preferenceOf = (range: string, place: number, bare: string, offered: MediaType): Preference | undefined => {
  const isAny = bare === ANY
  const isAnySubtype = bare === offered.anySubtype
  if (!isAny && !isAnySubtype && bare !== offered.bare) return undefined
  const parameters = parametersOf(range)
  const quality = parameters.get('q') ?? '1'
  if (!QUALITY.test(quality)) return undefined
  let matched = 0
  for (const [name, value] of parameters) {
    // All text is UTF-8 here, and JSON has no charset parameter, but clients send one.
    if (name === 'q' || name === 'charset') continue
    if (offered.parameters.get(name)?.toLowerCase() !== value.toLowerCase()) return undefined
    matched = 1
  }
  const specificity = isAny ? 0 : isAnySubtype ? 1 : 2 + matched
  return { quality: Number(quality), specificity, place }
}

/** The most specific range wins, whatever its quality. */
const isMoreSpecific = (liking: Preference, before: Preference | undefined): boolean =>
  before === undefined ||
  liking.specificity > before.specificity ||
  (liking.specificity === before.specificity && liking.quality > before.quality)

const compare = (a: Preference, b: Preference): number =>
  b.quality - a.quality || b.specificity - a.specificity || a.place - b.place

/** The preferred media type of an Accept field, the first one in a tie; undefined if none is acceptable. */
export const preferred = (accept: string, mediaTypes: readonly string[]): string | undefined => {
  const offered = mediaTypes.map(read)
  const wanted = new Set([ANY, ...offered.flatMap(({ bare, anySubtype }) => [bare, anySubtype])])
  const likings: (Preference | undefined)[] = offered.map(() => undefined)
  let place = 0
  forEachPart(accept, COMMA, (range) => {
    place++
    if (range.length < ANY.length) return
    const bare = bareOf(range)
    if (!wanted.has(bare)) return
    offered.forEach((mediaType, i) => {
      const liking = preferenceOf(range, place, bare, mediaType)
      if (liking !== undefined && isMoreSpecific(liking, likings[i])) likings[i] = liking
    })
  })
  const taken = mediaTypes
    .map((mediaType, i) => ({ mediaType, liking: likings[i] }))
    .filter((one): one is { mediaType: string; liking: Preference } => (one.liking?.quality ?? 0) > 0)
  return taken.toSorted((a, b) => compare(a.liking, b.liking))[0]?.mediaType
}
