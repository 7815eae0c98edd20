import { type ParseArgsConfig, default as util } from 'node:util'
import { misused } from './service/failure.ts'
import { LIMITS } from './service/limits.ts'

/** Node's parser of arguments, which says what is wrong. @throws that misused */
export const parseArguments = <T extends ParseArgsConfig['options']>(given: {
  args: readonly string[]
  options: T
}) => {
  try {
    // Not imported by its name: Node before 18.3 has no such export, and would end before it is told to be too old.
    return util.parseArgs({ args: [...given.args], options: given.options, allowPositionals: true })
  } catch (error) {
    throw misused((error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options')
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Seconds of a duration like `90`, `30m` or `1h30m`. */
export const parseDuration = (text: string, option: string): number => {
  const parts = /^(?:\d{1,9}[dhms])+$/.test(text) ? [...text.matchAll(/(\d+)([dhms])/g)] : []
  if (/^\d{1,9}$/.test(text)) return Number(text)
  if (parts.length === 0) throw misused(`${option} must be like 30m, 2h or 1h30m`)
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 1), 0)
}

/** Likewise, of something that takes time. */
const parseLength = (text: string, option: string): number => {
  const seconds = parseDuration(text, option)
  if (seconds > 0) return seconds
  throw misused(`${option} must be longer than 0`)
}

type Wanted = string | readonly string[]
type Criteria = Readonly<Record<string, unknown>>

const FIELDS = ['sut_type', 'manufacturer', 'model', 'os', 'version', 'name']

/** One value, or several of which any will do. A backslash before a comma makes it a part of the value. */
const parseValues = (text: string, option: string, key: string): Wanted => {
  const values = text.split(/(?<!\\),/).map((value) => value.trim().replaceAll('\\,', ','))
  if (values.includes('')) {
    throw misused(`${option} has an empty value for ${key}; write ${key}! for a machine that has none`)
  }
  return values.length === 1 ? (values[0] ?? '') : values
}

/**
 * Criteria of arguments like `os=windows`, `tag.rack=3,4` and `os!`, as `POST /api/sut_reservation/create` takes them.
 * An empty value is more often a variable that is not set.
 */
export const parseCriteria = (args: readonly string[], option: string): Criteria => {
  const fields = new Map<string, Wanted | null>()
  const tags = new Map<string, Wanted | null>()
  for (const arg of args) {
    const [, lacking, key = lacking ?? '', text = ''] = /^(?:([^=]+)!|([^=]+)=(.*))$/s.exec(arg) ?? []
    if (key === '') throw misused(`${option} must be like os=windows, tag.rack=3,4 or os!`)
    const tag = /^tag\.(.+)$/s.exec(key)?.[1]
    if (tag === undefined && !FIELDS.includes(key)) {
      throw misused(`${option}: ${key} is none of ${FIELDS.join(', ')} and tag.NAME`)
    }
    if (lacking === 'name' || lacking === 'sut_type') throw misused(`${option}: every machine has a ${key}`)
    const [members, name] = tag === undefined ? [fields, key] : [tags, tag]
    if (members.has(name)) throw misused(`${option} has ${key} twice; write ${key}=ONE,OTHER if either will do`)
    members.set(name, lacking === undefined ? parseValues(text, option, key) : null)
  }
  return { ...Object.fromEntries(fields), ...(tags.size > 0 && { tags: Object.fromEntries(tags) }) }
}

/** What `reserve` is asked for. Times are in seconds. */
export interface Order {
  readonly match: Criteria
  readonly duration: number
  /** How long to wait until a machine is free; 0 is not at all. */
  readonly wait: number
  /** Larger goes first in the queue. */
  readonly priority: number | undefined
  readonly keepalive: number
  /** By how much the reservation is extended when little is left. */
  readonly extendBy: number | undefined
  /** The program and its arguments. */
  readonly command: readonly string[]
}

const RESERVE_OPTIONS = {
  match: { type: 'string', multiple: true },
  not: { type: 'string', multiple: true },
  for: { type: 'string' },
  wait: { type: 'string' },
  priority: { type: 'string' },
  keepalive: { type: 'string' },
  extend: { type: 'string' },
} as const

/** Node takes a number below 0 for an option, so it becomes one argument with the option before it. */
const joinNegative = (args: readonly string[]): readonly string[] =>
  args.flatMap((arg, n) => {
    if (args[n - 1] === '--priority' && /^-\d+$/.test(arg)) return []
    const next = args[n + 1] ?? ''
    return arg === '--priority' && /^-\d+$/.test(next) ? [`${arg}=${next}`] : [arg]
  })

/** Reads the arguments of `reserve`. */
export const readOrder = (args: readonly string[]): Order => {
  const end = args.indexOf('--')
  const command = end === -1 ? [] : args.slice(end + 1)
  const own = joinNegative(args.slice(0, end === -1 ? undefined : end))
  const { values, positionals } = parseArguments({ args: own, options: RESERVE_OPTIONS })
  const { match = [], not = [], for: length, wait, priority, keepalive, extend } = values
  if (match.length + not.length === 0) throw misused('--match is missing')
  if (length === undefined) throw misused('--for is missing')
  if (priority !== undefined && wait === undefined) throw misused('--priority needs --wait')
  if (priority !== undefined && !/^-?\d{1,9}$/.test(priority)) throw misused('--priority must be a whole number')
  if (positionals.length > 0) throw misused(`${positionals[0]} is no option; COMMAND comes after --`)
  if (!command[0]) throw misused('COMMAND is missing, after --')
  return {
    match: { ...parseCriteria(match, '--match'), ...(not.length > 0 && { not: parseCriteria(not, '--not') }) },
    duration: parseLength(length, '--for'),
    wait: wait === undefined ? 0 : parseDuration(wait, '--wait'),
    priority: priority === undefined ? undefined : Number(priority),
    keepalive: keepalive === undefined ? LIMITS.keepalive : parseLength(keepalive, '--keepalive'),
    extendBy: extend === undefined ? undefined : parseLength(extend, '--extend'),
    command,
  }
}
