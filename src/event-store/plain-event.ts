import { type JsonSchema, schemaOf } from '../domain/codec/json-schema.ts'
import { type Event, type EventType, eventData, Metadata, type Recorded, SCHEMA } from '../domain/event.ts'

/**
 * A fast reader for full log scans. It reads plain events: newest schema, ASCII strings, no escapes. A pattern
 * generated from the codecs' schemas matches exactly their RFC 8785 form, so a match needs no parsing, decoding or
 * canonicalising. All other events go through `decodeEvent`.
 */

/** Characters that need no escape in a JSON string. */
const PLAIN = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n)).filter((each) => !'"\\'.includes(each))

const classOf = (characters: readonly string[]): string =>
  `[${characters.map((each) => each.replace(/[\]^-]/, '\\$&')).join('')}]`
const ANY = classOf(PLAIN)

/** Converts a captured text to its value; undefined if the codec would reject it. */
type Convert = (captured: string) => unknown

interface Member {
  /** Part of the pattern, with one group. */
  readonly pattern: string
  /** Absent if the text itself is the value. */
  readonly convert?: Convert
}

/** A sequence of characters and classes, none of which match a quote or a backslash. */
const SIMPLE = /^\^((?:\[(?:\\[wd]|[\w:+-])+\](?:\{\d+(?:,\d+)?\})?|\\[d.](?:\{\d+\})?|[\w:-])+)\$$/
/** A negated class with an optional length. */
const REFUSED = /^\^(\[\^[^\]]*\])(?:\*|\{(\d+),(\d+)\})\$$/

const stringMember = ({ enum: values, pattern, minLength = 0, maxLength = '' }: JsonSchema): Member => {
  if (Array.isArray(values)) return { pattern: `"(${values.join('|')})"` }
  const simple = SIMPLE.exec(String(pattern))?.[1]
  if (simple !== undefined) return { pattern: `"(${simple})"` }
  const [, refused, min = minLength, max = maxLength] = REFUSED.exec(String(pattern)) ?? []
  if (refused !== undefined) {
    const one = new RegExp(`^${refused}$`, 'u')
    return { pattern: `"(${classOf(PLAIN.filter((each) => one.test(each)))}{${min},${max}})"` }
  }
  const rule = new RegExp(String(pattern), 'u')
  const convert: Convert = (captured) => (rule.test(captured) ? captured : undefined)
  return { pattern: `"(${ANY}{${minLength},${maxLength}})"`, convert }
}

const integerMember = ({ minimum, maximum }: JsonSchema): Member => ({
  pattern: '(0|[1-9]\\d{0,14})',
  convert: (captured) => {
    const number = Number(captured)
    return number >= Number(minimum) && number <= Number(maximum) ? number : undefined
  },
})

/** Undefined for members that need `decodeEvent`. */
const memberOf = (schema: JsonSchema): Member | undefined => {
  if (schema.type === 'string') return stringMember(schema)
  if (schema.type === 'integer') return integerMember(schema)
  if (schema.type === 'boolean') return { pattern: '(true|false)', convert: (captured) => captured === 'true' }
  return undefined
}

interface PlainObject {
  readonly pattern: string
  readonly names: readonly string[]
  readonly converters: readonly (Convert | undefined)[]
}

/** The RFC 8785 form of a closed object; undefined if a required member needs `decodeEvent`. */
const objectOf = ({ properties, required = [] }: JsonSchema): PlainObject | undefined => {
  const schemas = properties as Readonly<Record<string, JsonSchema>>
  const needed = new Set(required as readonly string[])
  const [names, converters, parts]: [string[], (Convert | undefined)[], string[]] = [[], [], []]
  let hasNeeded = false
  for (const name of Object.keys(schemas).sort()) {
    const member = memberOf(schemas[name] as JsonSchema)
    if (member === undefined && needed.has(name)) return undefined
    if (member === undefined) continue
    const written = `"${name}":${member.pattern}`
    if (needed.has(name)) parts.push(`${hasNeeded ? ',' : ''}${written}`)
    else parts.push(hasNeeded ? `(?:,${written})?` : `(?:${written},)?`)
    hasNeeded ||= needed.has(name)
    names.push(name)
    converters.push(member.convert)
  }
  return hasNeeded ? { pattern: `\\{${parts.join('')}\\}`, names, converters } : undefined
}

interface PlainEvent {
  readonly type: EventType
  readonly pattern: RegExp
  readonly data: PlainObject
}

const makeMetadata = (): PlainObject => {
  const object = objectOf(schemaOf(Metadata))
  if (object === undefined) throw new TypeError('event metadata must be plain')
  return object
}

const makeEvent = (type: EventType, metadata: PlainObject): PlainEvent | undefined => {
  const data = objectOf(schemaOf(eventData[type]))
  if (data === undefined) return undefined
  const revision = '(0|[1-9]\\d{0,14})'
  const pattern = `^\\{"data":${data.pattern},"id":"(${ANY}{36})","metadata":${metadata.pattern},"revision":${revision},"stream":"(${ANY}{1,256})","type":"${type}"\\}$`
  return { type, pattern: new RegExp(pattern), data }
}

const readMembers = (
  object: PlainObject,
  match: RegExpExecArray,
  from: number,
): Record<string, unknown> | undefined => {
  const { names, converters } = object
  const members: Record<string, unknown> = {}
  for (let n = 0; n < names.length; n++) {
    const captured = match[from + n]
    if (captured === undefined) continue
    const convert = converters[n]
    const value = convert === undefined ? captured : convert(captured)
    if (value === undefined) return undefined
    members[names[n] as string] = value
  }
  return members
}

/** Undefined for anything but a plain event. The returned strings keep the whole text in memory. */
export type ReadPlain = (stored: string, mark: number) => Recorded | undefined

const makeReadPlain = (): ReadPlain => {
  const metadataShape = makeMetadata()
  const events = new Map<string, PlainEvent>()
  for (const type of Object.keys(eventData) as EventType[]) {
    const event = makeEvent(type, metadataShape)
    if (event !== undefined) events.set(type, event)
  }
  return (stored, mark) => {
    const plain = events.get(stored.slice(stored.lastIndexOf('"', stored.length - 3) + 1, -2))
    const match = plain?.pattern.exec(stored)
    if (plain === undefined || match === null || match === undefined) return undefined
    const behind = 1 + plain.data.names.length
    const data = readMembers(plain.data, match, 1)
    const metadata = readMembers(metadataShape, match, behind + 1)
    if (data === undefined || metadata === undefined || metadata.schema !== SCHEMA) return undefined
    const last = behind + 1 + metadataShape.names.length
    return {
      // Not the matched slice, which every comparison would compare character by character.
      type: plain.type,
      data,
      id: match[behind],
      metadata,
      stream: match[last + 1],
      revision: Number(match[last]),
      mark,
    } as Event & Recorded
  }
}

let cachedReader: ReadPlain | undefined

/** Created on first use: most processes never need it. */
export const getPlainReader = (): ReadPlain => {
  cachedReader ??= makeReadPlain()
  return cachedReader
}

/** The `data` object of a plain event, which its text begins with: `{"data":...`. */
export const slicePlainData = (stored: string): string => stored.slice(8, stored.indexOf('},"id":"') + 1)
