import type { DataOf, Recorded } from '../src/domain/event.ts'
import { PUBLIC_SUT_FIELDS, type PublicSutField } from '../src/domain/events/sut.ts'
import { type Cause, descriptionOf, type MonitoringStatus, STATUS } from '../src/domain/monitoring/status.ts'
import { mergeTags } from '../src/domain/sut/state.ts'
import { monitoringStream } from '../src/domain/values/ids.ts'
import { epochMillisecondsOf, withNumericOffset, withoutFraction } from '../src/domain/values/instant.ts'
import { pick } from '../src/domain/values/pick.ts'
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
  /** Seconds between probes; absent while the SUT is not monitored. */
  readonly monitoring_interval?: number
  /** Seconds between two reservations; absent is 0. */
  readonly turnaround?: number
  /** Seconds after which a reservation that nobody uses is released; absent and 0 are never. */
  readonly release_unused_after?: number
}

export interface SutInternal {
  readonly settings: RecordedSettings
  readonly status: MonitoringStatus
  /** Why it is offline, or what keeps Berth from looking further; null if nothing. */
  readonly cause: Cause | null
  /** Whether the status was another before. */
  readonly began: boolean
  /** When this version was recorded, in Unix milliseconds. */
  readonly time: number
  /** The name as it is searched for. */
  readonly folded_name: string
}

type SutRow = Row<Sut, SutInternal>

const SETTINGS = ['rdp_height', 'rdp_width', 'turnaround', 'release_unused_after'] as const

/**
 * Folds case, and letters that are composed of several characters, so that substrings stay substrings. Upper case alone
 * keeps the Kelvin sign distinct from K; lower case alone depends on a sigma's neighbours.
 */
export const foldForSearch = (text: string): string => text.normalize('NFD').toLowerCase().toUpperCase()

/** What an event says of a SUT that was monitored like this before; undefined if that stays as it was. */
const monitoredAfter = (before: MonitoringStatus, event: Recorded): MonitoringStatus | undefined => {
  switch (event.type) {
    case 'SutMonitoringEnabled':
      return before === 'disabled' ? 'unknown' : undefined
    case 'SutMonitoringDisabled':
    case 'SutRetired':
      return before === 'disabled' ? undefined : 'disabled'
    case 'SutUpdated': {
      const { address, port, sut_type } = event.data
      const isSame = address === undefined && port === undefined && sut_type === undefined
      return isSame || before === 'disabled' || before === 'unknown' ? undefined : 'unknown'
    }
    // A probe may end after monitoring did.
    case 'SutWentOnline':
      return before === 'disabled' ? undefined : 'online'
    case 'SutWentOffline':
      return before === 'disabled' ? undefined : 'offline'
    default:
      return undefined
  }
}

type Observation = Extract<Recorded, { readonly type: 'SutWentOnline' | 'SutWentOffline' }>

const isObserved = (event: Recorded): event is Observation =>
  event.type === 'SutWentOnline' || event.type === 'SutWentOffline'

/** What an event says about whether the SUT is reached; nothing if that stays as it was. */
const monitoringAfter = (
  { document, internal }: SutRow,
  event: Recorded,
): Partial<Pick<SutInternal, 'status' | 'cause' | 'began'>> & { readonly monitoring: Sut['monitoring'] } => {
  const status = monitoredAfter(internal.status, event)
  if (status === undefined) return { monitoring: document.monitoring }
  const cause = isObserved(event) ? event.data.cause : undefined
  // Another cause does not begin it anew.
  const began = status !== internal.status
  const last_updated =
    began || !isObserved(event) ? withoutFraction(event.metadata.time) : document.monitoring.last_updated
  const monitoring = { status: STATUS[status], last_updated, status_description: descriptionOf(status, cause) }
  return { monitoring, status, cause: cause ?? null, began }
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
  const { _id, tags, name } = event.data
  const created_at = withNumericOffset(event.metadata.time)
  const last_updated = withoutFraction(event.metadata.time)
  const monitoring = { status: STATUS.disabled, last_updated, status_description: descriptionOf('disabled') }
  const fields = pick(event.data, PUBLIC_SUT_FIELDS)
  return {
    document: { _id, created_at, updated_at: created_at, ...fields, monitoring, tags: mergeTags({}, tags ?? {}) },
    internal: {
      settings: settingsAfter({}, event),
      ...{ status: 'disabled', cause: null, began: true },
      time: epochMillisecondsOf(event.metadata.time),
      folded_name: foldForSearch(name),
    },
  }
}

const evolve = (row: SutRow | undefined, event: Recorded): SutRow => {
  if (event.type === 'SutCreated') return create(event)
  const before = row ?? failMissing('sut', event)
  const { monitoring, ...status } = monitoringAfter(before, event)
  const { tags, ...changed } = event.type === 'SutUpdated' ? event.data : {}
  const fields = pick<Partial<Sut>, PublicSutField>(changed, PUBLIC_SUT_FIELDS)
  const document = {
    ...{ ...before.document, ...fields, monitoring },
    ...(!isObserved(event) && { updated_at: withNumericOffset(event.metadata.time) }),
    ...(tags && { tags: mergeTags(before.document.tags, tags) }),
  }
  const internal = {
    ...{ ...before.internal, began: false, ...status },
    settings: settingsAfter(before.internal.settings, event),
    time: epochMillisecondsOf(event.metadata.time),
    folded_name: foldForSearch(document.name),
  }
  return { document, internal }
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
