/** A machine as its form has it, and what of it is sent. Pure. */

import type { FullSettings, Sut } from '../../data/objects.ts'
import { formatList } from '../../format/format.ts'

export interface Values {
  readonly name: string
  readonly sut_type: Sut['sut_type']
  readonly address: string
  /** Numbers are kept as typed. */
  readonly port: string
  readonly rdp_width: string
  readonly rdp_height: string
  /** Undefined is unchanged; nobody can read what the vault has. */
  readonly user_name: string | undefined
  readonly password: string | undefined
  readonly os: string
  readonly manufacturer: string
  readonly model: string
  readonly version: string
  /** Seconds between two reservations. */
  readonly turnaround: number
  /** Seconds; 0 is never. */
  readonly release_unused_after: number
  readonly description: string
  readonly tags: Readonly<Record<string, string>>
  readonly is_active: boolean
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

const TEXTS = ['name', 'sut_type', 'address', 'os', 'manufacturer', 'model', 'version', 'description'] as const
const NUMBERS = ['port', 'rdp_width', 'rdp_height'] as const
const CHOSEN = ['is_active', 'turnaround', 'release_unused_after'] as const
const SECRETS = ['user_name', 'password'] as const

/** A number where it is one: otherwise the service says what it must be. */
const toNumber = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text)

const fieldsOf = (values: Values, before: Values): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    [...TEXTS, ...CHOSEN].filter((name) => values[name] !== before[name]).map((name) => [name, values[name]]),
  ),
  ...Object.fromEntries(
    NUMBERS.filter((name) => values[name].trim() !== before[name]).map((name) => [name, toNumber(values[name])]),
  ),
  ...Object.fromEntries(SECRETS.filter((name) => values[name] !== undefined).map((name) => [name, values[name]])),
})

/** A merge patch: null removes a tag. */
const tagsPatch = (after: Values['tags'], before: Values['tags']): Readonly<Record<string, string | null>> => ({
  ...Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value)),
  ...Object.fromEntries(
    Object.keys(before)
      .filter((name) => after[name] === undefined)
      .map((name) => [name, null]),
  ),
})

const NEEDED = ['name', 'address', 'port'] as const

/** `Name and address are missing.`, or nothing. */
export const missingText = (values: Values): string | undefined => {
  const missing = NEEDED.filter((name) => values[name].trim() === '')
  if (missing.length === 0) return undefined
  const list = formatList(missing)
  return `${list.charAt(0).toUpperCase()}${list.slice(1)} ${missing.length === 1 ? 'is' : 'are'} missing.`
}

const monitoringOf = ({ isMonitored, interval }: Values) =>
  isMonitored ? { enabled: true, interval } : { enabled: false }

export interface Request {
  readonly verb: 'update' | 'tags' | 'monitoring'
  readonly body: object
}

export const changesOf = (values: Values, known: Known): readonly Request[] => {
  const before = valuesOf(known)
  const update = fieldsOf(values, before)
  const tags = tagsPatch(values.tags, before.tags)
  const isProbedOtherwise =
    values.isMonitored !== before.isMonitored || (values.isMonitored && values.interval !== before.interval)
  return [
    ...(Object.keys(update).length > 0 ? [{ verb: 'update', body: update } as const] : []),
    ...(Object.keys(tags).length > 0 ? [{ verb: 'tags', body: tags } as const] : []),
    ...(isProbedOtherwise ? [{ verb: 'monitoring', body: monitoringOf(values) } as const] : []),
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
