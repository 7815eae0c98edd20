/** A machine as its form has it, and what of it is sent. Pure. */

import type { FullSettings, Sut } from '../../data/objects.ts'
import { capitalized, formatList } from '../../format/format.ts'

type OfSut = 'name' | 'sut_type' | 'address' | 'os' | 'manufacturer' | 'model' | 'version' | 'description'

/** Numbers that are typed are kept so; those of a list are seconds, and 0 is none. */
export interface Values
  extends Pick<Sut, OfSut | 'tags' | 'is_active'>,
    Pick<FullSettings, 'turnaround' | 'release_unused_after'> {
  readonly port: string
  readonly rdp_width: string
  readonly rdp_height: string
  /** Undefined is unchanged; nobody can read what the vault has. */
  readonly user_name: string | undefined
  readonly password: string | undefined
  readonly isMonitored: boolean
  /** Seconds between probes. */
  readonly interval: number
}

export interface Known {
  readonly sut: Sut
  readonly settings: FullSettings
  readonly etag: string
}

export const USUAL_INTERVAL = 60

const PORTS = { vnc: '5900', rdp: '3389', tcp: '' } as const

export const EMPTY: Values = {
  ...{ name: '', sut_type: 'vnc', address: '', port: PORTS.vnc, rdp_width: '', rdp_height: '' },
  ...{ user_name: undefined, password: undefined, os: '', manufacturer: '', model: '', version: '', description: '' },
  ...{ tags: {}, is_active: true, isMonitored: true, interval: USUAL_INTERVAL },
  ...{ turnaround: 0, release_unused_after: 0 },
}

const typed = (value: number | null): string => (value === null ? '' : String(value))

export const valuesOf = (known: Known | undefined): Values => {
  if (known === undefined) return EMPTY
  const { sut, settings } = known
  const { name, sut_type, address, port, os, manufacturer, model, version, description, tags, is_active } = sut
  const { rdp_width, rdp_height, monitoring_interval, turnaround, release_unused_after } = settings
  return {
    ...{ name, sut_type, address, port: String(port), os, manufacturer, model, version, description, tags, is_active },
    ...{ rdp_width: typed(rdp_width), rdp_height: typed(rdp_height), user_name: undefined, password: undefined },
    ...{ isMonitored: monitoring_interval !== null, interval: monitoring_interval ?? USUAL_INTERVAL },
    ...{ turnaround, release_unused_after },
  }
}

export const withType = (values: Values, sut_type: Sut['sut_type']): Values => {
  const isUsual = values.port === '' || values.port === PORTS[values.sut_type]
  return { ...values, sut_type, port: isUsual ? PORTS[sut_type] : values.port }
}

/** A number where it is one: otherwise the service says what it must be. */
const toNumber = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim())

/** What `create` and `update` take of a form, but for tags. */
const sentOf = ({ tags, isMonitored, interval, ...fields }: Values): Readonly<Record<string, unknown>> => ({
  ...fields,
  ...{ port: toNumber(fields.port), rdp_width: toNumber(fields.rdp_width), rdp_height: toNumber(fields.rdp_height) },
})

const fieldsOf = (values: Values, before: Values): Readonly<Record<string, unknown>> => {
  const sent = sentOf(before)
  return Object.fromEntries(Object.entries(sentOf(values)).filter(([name, value]) => value !== sent[name]))
}

/** A merge patch: null removes a tag. */
const tagsPatch = (after: Values['tags'], before: Values['tags']): Readonly<Record<string, string | null>> => ({
  ...Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value)),
  ...Object.fromEntries(Object.keys(before).flatMap((name) => (after[name] === undefined ? [[name, null]] : []))),
})

const NEEDED = ['name', 'address', 'port'] as const

/** `Name and address are missing.`, or nothing. */
export const missingText = (values: Values): string | undefined => {
  const missing = NEEDED.filter((name) => values[name].trim() === '')
  if (missing.length === 0) return undefined
  return `${capitalized(formatList(missing))} ${missing.length === 1 ? 'is' : 'are'} missing.`
}

interface Request {
  readonly verb: 'update' | 'tags' | 'monitoring'
  readonly body: object
}

export const changesOf = (values: Values, known: Known): readonly Request[] => {
  const { isMonitored, interval } = values
  const before = valuesOf(known)
  const update = fieldsOf(values, before)
  const tags = tagsPatch(values.tags, before.tags)
  const isProbedOtherwise = isMonitored !== before.isMonitored || (isMonitored && interval !== before.interval)
  const monitoring = isMonitored ? { enabled: true, interval } : { enabled: false }
  return [
    ...(Object.keys(update).length > 0 ? [{ verb: 'update', body: update } as const] : []),
    ...(Object.keys(tags).length > 0 ? [{ verb: 'tags', body: tags } as const] : []),
    ...(isProbedOtherwise ? [{ verb: 'monitoring', body: monitoring } as const] : []),
  ]
}

const BLANK: Values = { ...EMPTY, port: '' }

/** The body of `create`. Empty texts are left out; the name, the type, the address and the port never are. */
export const createOf = (values: Values): object => ({
  ...{ name: values.name, sut_type: values.sut_type, address: values.address, port: toNumber(values.port) },
  ...fieldsOf(values, BLANK),
  ...(Object.keys(values.tags).length > 0 && { tags: values.tags }),
})

const TAG = /^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})\s*=\s*(.*?)\s*$/

/** A tag as typed, `rack=2`; undefined if it is none. */
export const parseTag = (text: string): readonly [string, string] | undefined => {
  const [, name, value = ''] = TAG.exec(text) ?? []
  return name === undefined || [...value].length > 256 ? undefined : [name, value]
}

const TAG_COLUMN = 'tag.'
const NUMBERS = ['port', 'rdp_width', 'rdp_height', 'turnaround', 'release_unused_after']
const TRUTH: Readonly<Record<string, boolean>> = { true: true, false: false }

/** A row of a file as it is sent: texts that are no number or truth go as they are, and the service says so. */
export const toSut = (record: Readonly<Record<string, string>>): object => {
  const toValue = (name: string, text: string): unknown => {
    if (NUMBERS.includes(name)) return toNumber(text)
    return name === 'is_active' ? (TRUTH[text.trim().toLowerCase()] ?? text) : text
  }
  const entries = Object.entries(record)
  const tags = entries.filter(([name]) => name.startsWith(TAG_COLUMN))
  const fields = entries.filter(([name]) => !name.startsWith(TAG_COLUMN))
  return {
    ...Object.fromEntries(fields.map(([name, text]) => [name, toValue(name, text)])),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map(([name, text]) => [name.slice(TAG_COLUMN.length), text])),
    }),
  }
}
