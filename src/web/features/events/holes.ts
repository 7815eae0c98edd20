/** What fills the holes of templates. Pure. */

import {
  formatCount,
  formatDate,
  formatDuration,
  formatHours,
  formatNumber,
  formatSeconds,
  formatWhen,
} from '../../format/format.ts'
import type { Role } from '../../service/session.ts'
import { roleTextOf } from '../people/user.ts'
import { ruleText } from '../series/dates.ts'
import { causeText } from './causes.ts'
import { type Change, type Entry, labelOf } from './entries.ts'

/** A text, the name of somebody, or a machine, which may be gone. */
export type Part = string | { readonly name: string } | { readonly machine: string; readonly id: string | undefined }

export interface Reader {
  readonly ownId: string
  /** Undefined for somebody who cannot be named. */
  readonly nameOf: (userId: string) => string | undefined
  /** Undefined where all is about one machine, which is "it". */
  readonly machineOf?: (sutId: string) => Part
}

type Hole = (entry: Entry, reader: Reader) => Part | readonly Part[] | undefined

const SERVICE: Readonly<Record<string, string>> = {
  ...{ berth: 'Berth', schedule: 'Berth', gateway: 'Berth', monitor: 'Berth', oidc: 'Single sign-on' },
  'command-line': 'The command line',
}

const nameOf = (userId: unknown, reader: Reader): Part => {
  if (userId === reader.ownId) return { name: 'you' }
  const name = reader.nameOf(String(userId))
  return name === undefined ? 'someone' : { name }
}

const possessive = (userId: unknown, { actor }: Entry, reader: Reader): Part | readonly Part[] => {
  if (userId === reader.ownId) return 'your'
  return userId === actor ? 'their' : [nameOf(userId, reader), "'s"]
}

const placeOf: Hole = ({ data }, { machineOf }) => machineOf?.(String(data.sut_id ?? data._id))
const time = (value: unknown): number => Date.parse(String(value))

const VALUE_MAX = 60
const CHANGES_MAX = 4

const valueText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === '""' || text === '' || value === null || value === undefined) return 'nothing'
  return [...text].length > VALUE_MAX ? `${[...text].slice(0, VALUE_MAX).join('')}…` : text
}

/** `version from 550.90 to 555.42`. */
const changeText = (change: Change): string => {
  const [, name = '', tag] = change.path.split('/')
  const label = name === 'tags' && tag !== undefined ? `the tag ${tag}` : labelOf(change).toLowerCase()
  if (change.changed) return `the ${label}`
  const from =
    change.from === null || change.from === undefined || change.from === '' ? '' : ` from ${valueText(change.from)}`
  return `${label}${from} to ${valueText(change.to)}`
}

const changesText: Hole = ({ changes }) => {
  // A new address makes what probes found unknown, which says nothing of what was done.
  const texts = changes.filter(({ path }) => !path.startsWith('/monitoring')).map(changeText)
  const more = texts.length > CHANGES_MAX ? [`${texts.length - CHANGES_MAX} more`] : []
  return [...texts.slice(0, CHANGES_MAX), ...more].join(', ')
}

/** `40 h a week, 20 reservations`. */
const quotaText = (quota: unknown): string => {
  if (quota === null) return 'the default'
  const { hours_per_week, reservations_max } = quota as Readonly<Record<string, unknown>>
  const hours = hours_per_week === null ? 'unlimited hours' : formatHours(Number(hours_per_week))
  const count =
    reservations_max === null ? 'unlimited reservations' : formatCount(Number(reservations_max), 'reservation')
  return `${hours} a week, ${count}`
}

const roleText = (role: unknown): string => roleTextOf(role as Role).toLowerCase()

const settingsText: Hole = ({ data }) => {
  const { changed = [] } = (data.credentials ?? {}) as { readonly changed?: readonly string[] }
  return [
    ...['name', 'password'].filter((name) => changed.includes(name)),
    ...('role' in data ? [`role to ${roleText(data.role)}`] : []),
    ...('quota' in data ? [`quota to ${quotaText(data.quota)}`] : []),
    ...('scope' in data ? [`scope to ${data.scope === '' ? 'all machines' : data.scope}`] : []),
  ].join(', ')
}

/** `3 requests`, of what one event counts. */
const requestsText: Hole = ({ data: { refusals = [], others = 0 } }) =>
  formatCount(
    (refusals as readonly { readonly count: number }[]).reduce((sum, { count }) => sum + count, Number(others)),
    'request',
  )

export const HOLES: Readonly<Record<string, Hole>> = {
  actor: ({ actor, actorname }, reader) => {
    if (actor === undefined) return 'Berth'
    const isNamed = actorname !== undefined && actor !== reader.ownId
    return SERVICE[actor] ?? (isNamed ? { name: actorname } : nameOf(actor, reader))
  },
  user: ({ data }, reader) => nameOf(data.user_id, reader),
  account: ({ data }, reader) => nameOf(data._id, reader),
  other: ({ data, actor }, reader) => (data.user_id === actor ? undefined : nameOf(data.user_id, reader)),
  owner: (entry, reader) => possessive(entry.data.user_id, entry, reader),
  holder: (entry, reader) => possessive(entry.data._id, entry, reader),
  machine: (entry, reader) => placeOf(entry, reader) ?? 'it',
  place: placeOf,
  subject: (entry, reader) => {
    const place = placeOf(entry, reader) as Part | undefined
    return place && [place, ': ']
  },
  wish: (entry, reader) =>
    entry.data.sut_id === undefined ? 'any matching machine' : (placeOf(entry, reader) ?? 'it'),
  window: ({ data, time: at }) =>
    `${formatWhen(time(data.start_time), time(at))} – ${formatWhen(time(data.end_time), time(data.start_time))}`,
  quota: ({ data }) => (data.beyond_quota === true ? ', beyond the quota' : ''),
  series: ({ data }) =>
    `${formatCount(Number(data.count), 'time')}, ${ruleText(String(data.rrule), time(data.start_time))}`,
  end: ({ data, time: at }) => formatWhen(time(data.end_time), time(at)),
  length: ({ data }) => formatDuration(Number(data.duration) * 1_000),
  count: ({ data }) => `${data.isOpen ? 'at least ' : ''}${formatNumber(Number(data.count))}`,
  connected: ({ data }) => formatDuration(time(data.closed_at) - time(data.opened_at)),
  changes: changesText,
  port: ({ data }) => String(data.listen_port),
  interval: ({ data }) => formatSeconds(Number(data.interval)),
  cause: ({ data }) => causeText(String(data.cause)),
  role: ({ data }) => roleText(data.role),
  settings: settingsText,
  expiry: ({ data }) => (data.expires_at === undefined ? undefined : formatDate(time(data.expires_at))),
  version: ({ data }) => String(data.version),
  requests: requestsText,
}
