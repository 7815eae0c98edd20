import type { DataOf, Recorded } from '../src/domain/event.ts'
import { PUBLIC_SUT_FIELDS, type PublicSutField } from '../src/domain/events/sut.ts'
import { type Cause, descriptionOf, type MonitoringStatus, STATUS } from '../src/domain/monitoring/status.ts'
import { mergeTags } from '../src/domain/sut/state.ts'
import { monitoringStream } from '../src/domain/values/ids.ts'
import { epochMillisecondsOf, withNumericOffset, withoutFraction } from '../src/domain/values/instant.ts'
import { pick } from '../src/domain/values/pick.ts'
import type { Seconds, UnixMilliseconds } from '../src/domain/values/units.ts'
import { failMissing, idOfChanged, type Projection, type Row } from './projection.ts'

/** A SUT as returned by the API, in its field order, with its public fields only. */
export interface Sut extends Pick<DataOf<'SutCreated'>, PublicSutField> {
  readonly _id: string
  readonly created_at: string
  readonly updated_at: string
  readonly monitoring: { readonly status: string; readonly last_updated: string; readonly status_description: string }
  readonly tags: Readonly<Record<string, string>>
}

/** Recorded fields that documents omit. Histories show them. */
export interface RecordedSettings {
  readonly rdp_height?: number
  readonly rdp_width?: number
  /** Absent while the SUT is not monitored. */
  readonly monitoring_interval?: Seconds
  readonly turnaround?: Seconds
  readonly release_unused_after?: Seconds
}

export interface SutInternal {
  readonly settings: RecordedSettings
  readonly status: MonitoringStatus
  /** Why it is offline, or what keeps Berth from looking further; null if nothing. */
  readonly cause: Cause | null
  /** Whether the status was another before. */
  readonly began: boolean
  readonly time: UnixMilliseconds
  readonly folded_name: string
}

type SutRow = Row<Sut, SutInternal>

const SETTINGS = ['rdp_height', 'rdp_width', 'turnaround', 'release_unused_after'] as const

/**
 * Folds case, and letters that are composed of several characters, so that substrings stay substrings. Upper case alone
 * keeps the Kelvin sign distinct from K; lower case alone depends on a sigma's neighbours.
 */
export const foldForSearch = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase()

type Observation = Extract<Recorded, { readonly type: 'SutWentOnline' | 'SutWentOffline' }>

const isObserved = (event: Recorded): event is Observation =>
  event.type === 'SutWentOnline' || event.type === 'SutWentOffline'

/** What an event says of whether a SUT is reached; undefined if that stays as it was. */
const statusAfter = (before: MonitoringStatus, event: Recorded): MonitoringStatus | undefined => {
  if (before === 'disabled') return event.type === 'SutMonitoringEnabled' ? 'unknown' : undefined
  switch (event.type) {
    case 'SutMonitoringDisabled':
    case 'SutRetired':
      return 'disabled'
    case 'SutUpdated': {
      const isAnother = 'address' in event.data || 'port' in event.data || 'sut_type' in event.data
      return isAnother && before !== 'unknown' ? 'unknown' : undefined
    }
    case 'SutWentOnline':
      return 'online'
    case 'SutWentOffline':
      return 'offline'
    default:
      return undefined
  }
}

const monitoringOf = (status: MonitoringStatus, last_updated: string, cause?: Cause): Sut['monitoring'] => ({
  status: STATUS[status],
  last_updated,
  status_description: descriptionOf(status, cause),
})

/** A SUT with what an event says of its monitoring. Another cause of an outage does not begin it anew. */
const monitored = ({ document, internal }: SutRow, event: Recorded): SutRow => {
  const status = statusAfter(internal.status, event)
  if (status === undefined) return { document, internal: { ...internal, began: false } }
  const cause = isObserved(event) ? event.data.cause : undefined
  const began = status !== internal.status
  const stays = !began && isObserved(event)
  const last_updated = stays ? document.monitoring.last_updated : withoutFraction(event.metadata.time)
  return {
    document: { ...document, monitoring: monitoringOf(status, last_updated, cause) },
    internal: { ...internal, status, cause: cause ?? null, began },
  }
}

const settingsAfter = (settings: RecordedSettings, { type, data }: Recorded): RecordedSettings => {
  switch (type) {
    case 'SutCreated':
    case 'SutUpdated':
      return { ...settings, ...pick<RecordedSettings, (typeof SETTINGS)[number]>(data, SETTINGS) }
    case 'SutMonitoringEnabled':
      return { ...settings, monitoring_interval: data.interval }
    case 'SutMonitoringDisabled': {
      const { monitoring_interval: _, ...others } = settings
      return others
    }
    default:
      return settings
  }
}

const create = (event: Extract<Recorded, { readonly type: 'SutCreated' }>): SutRow => {
  const { _id, tags } = event.data
  const created_at = withNumericOffset(event.metadata.time)
  const monitoring = monitoringOf('disabled', withoutFraction(event.metadata.time))
  const fields = pick(event.data, PUBLIC_SUT_FIELDS)
  return {
    document: { _id, created_at, updated_at: created_at, ...fields, monitoring, tags: mergeTags({}, tags ?? {}) },
    internal: { settings: {}, status: 'disabled', cause: null, began: true, time: 0, folded_name: '' },
  }
}

const update = (before: SutRow, event: Recorded): SutRow => {
  const { document, internal } = monitored(before, event)
  if (isObserved(event)) return { document, internal }
  const { tags, ...changed } = event.type === 'SutUpdated' ? event.data : {}
  const fields = pick<Partial<Sut>, PublicSutField>(changed, PUBLIC_SUT_FIELDS)
  const updated_at = withNumericOffset(event.metadata.time)
  return {
    document: { ...document, ...fields, updated_at, ...(tags && { tags: mergeTags(document.tags, tags) }) },
    internal,
  }
}

const evolve = (row: SutRow | undefined, event: Recorded): SutRow => {
  const { document, internal } =
    event.type === 'SutCreated' ? create(event) : update(row ?? failMissing('sut', event), event)
  const settings = settingsAfter(internal.settings, event)
  const time = epochMillisecondsOf(event.metadata.time)
  return { document, internal: { ...internal, settings, time, folded_name: foldForSearch(document.name) } }
}

/** Its versions also show the outages of a SUT, and when nothing was known of it. */
export const sutProjection: Projection<Sut, SutInternal> = {
  name: 'sut',
  version: 5,
  key: idOfChanged('sut'),
  begins: (event) => event.type === 'SutCreated',
  evolve,
  isObserved,
  observedIn: monitoringStream,
  ended: (event) => (event.type === 'SutRetired' ? 'retired' : null),
}
