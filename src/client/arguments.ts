import { type CommandArguments, type Option, textOf, textsOf } from './command.ts'
import { LIMITS } from './service/limits.ts'
import { misused } from './service/output.ts'

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
 * Criteria of arguments like `os=windows`, `tag.rack=3,4` and `os!`, as `POST /api/sut_request/create` takes them.
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

export const RESERVE_OPTIONS: Readonly<Record<string, Option>> = {
  match: {
    ...{ type: 'string', multiple: true, value: 'KEY=VALUE', isRequired: true },
    note:
      'A criterion that the machine must meet; all of several. KEY is sut_type, manufacturer, model, os, version, name or ' +
      'tag.NAME; of VALUE,VALUE either will do, and \\, is a comma. KEY! is a machine without that field or tag.',
  },
  for: {
    ...{ type: 'string', value: 'DURATION', isRequired: true },
    note: 'How long the machine is needed, such as 30m or 2h; a number alone is seconds.',
  },
  not: { type: 'string', multiple: true, value: 'KEY=VALUE', note: 'A criterion that leaves machines out.' },
  wait: {
    ...{ type: 'string', value: 'DURATION' },
    note: 'How long to wait in the queue until a machine is free; not at all unless given.',
  },
  priority: {
    ...{ type: 'string', value: 'NUMBER' },
    note: 'The place in the queue, -100 to 100, larger first; 0 unless given.',
  },
  keepalive: {
    ...{ type: 'string', value: 'DURATION' },
    note: 'How long the reservation outlives this program if that is killed; 2m unless given.',
  },
  extend: {
    ...{ type: 'string', value: 'DURATION' },
    note: 'Extends the reservation by this whenever less than five minutes are left.',
  },
}

/** Reads the arguments of `reserve`. @throws ClientFailure */
export const readOrder = ({ options, tail: command }: CommandArguments): Order => {
  const [match, not] = [textsOf(options.match), textsOf(options.not)]
  const [duration, wait, priority, keepalive, extend] = ['for', 'wait', 'priority', 'keepalive', 'extend'].map((name) =>
    textOf(options[name]),
  )
  if (match.length + not.length === 0) throw misused('--match is missing')
  if (duration === undefined) throw misused('--for is missing')
  if (priority !== undefined && wait === undefined) throw misused('--priority needs --wait')
  if (priority !== undefined && !/^-?\d{1,9}$/.test(priority)) throw misused('--priority must be a whole number')
  if (!command[0]) throw misused('COMMAND is missing, after --')
  return {
    match: { ...parseCriteria(match, '--match'), ...(not.length > 0 && { not: parseCriteria(not, '--not') }) },
    duration: parseLength(duration, '--for'),
    wait: wait === undefined ? 0 : parseDuration(wait, '--wait'),
    priority: priority === undefined ? undefined : Number(priority),
    keepalive: keepalive === undefined ? LIMITS.keepalive : parseLength(keepalive, '--keepalive'),
    extendBy: extend === undefined ? undefined : parseLength(extend, '--extend'),
    command,
  }
}
