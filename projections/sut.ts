import type { DataOf, Recorded } from '../src/domain/event.ts'
import type { OfflineCause } from '../src/domain/events/monitoring.ts'
import { PUBLIC_SUT_FIELDS, type PublicSutField, type SutType } from '../src/domain/events/sut.ts'
import { descriptionOf, type MonitoringStatus, monitoredOf, STATUS } from '../src/domain/monitoring/status.ts'
import { mergeTags } from '../src/domain/sut/state.ts'
import { monitoringStream } from '../src/domain/values/ids.ts'
import { epochMillisecondsOf, withNumericOffset, withoutFraction } from '../src/domain/values/instant.ts'
import { pick } from '../src/domain/values/pick.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A SUT as returned by the API, in its field order, with its public fields only. */
export interface Sut extends Pick<DataOf<'SutCreated'>, PublicSutField> {
  readonly _id: string
  readonly created_at: string
  readonly updated_at: string
  readonly monitoring: { readonly status: string; readonly last_updated: string; readonly status_description: string }
  readonly tags: Readonly<Record<string, string>>
}

/** The name case-folded, tags as JSON text. */
export type SutColumns = readonly [
  sut_type: SutType,
  is_active: boolean,
  name: string,
  tags: string,
  monitoring: MonitoringStatus,
]

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

const monitoringAfter = (current: Sut, event: Recorded): Sut['monitoring'] => {
  const now = monitoredAfter(monitoredOf(current.monitoring), event)
  if (now === undefined) return current.monitoring
  return {
    status: STATUS[now],
    // Another cause does not begin it anew.
    last_updated:
      isObserved(event) && now === monitoredOf(current.monitoring)
        ? current.monitoring.last_updated
        : withoutFraction(event.metadata.time),
    status_description: descriptionOf(now, isObserved(event) ? event.data.cause : undefined),
  }
}

const evolve = (document: Sut | undefined, event: Recorded): Sut => {
  const updated_at = withNumericOffset(event.metadata.time)
  switch (event.type) {
    case 'SutCreated': {
      const { _id, tags } = event.data
      const last_updated = withoutFraction(event.metadata.time)
      const monitoring = { status: STATUS.disabled, last_updated, status_description: descriptionOf('disabled') }
      const fields = pick(event.data, PUBLIC_SUT_FIELDS)
      return { _id, created_at: updated_at, updated_at, ...fields, monitoring, tags: mergeTags({}, tags ?? {}) }
    }
    case 'SutUpdated': {
      const { tags } = event.data
      const changed = pick(event.data, PUBLIC_SUT_FIELDS)
      const current = document ?? failMissing('SUT', event)
      const monitoring = monitoringAfter(current, event)
      return { ...current, ...changed, updated_at, monitoring, tags: mergeTags(current.tags, tags ?? {}) }
    }
    default: {
      const current = document ?? failMissing('SUT', event)
      const monitoring = monitoringAfter(current, event)
      return isObserved(event) ? { ...current, monitoring } : { ...current, updated_at, monitoring }
    }
  }
}

export const sutProjection: Projection<Sut, SutColumns> = {
  name: 'sut',
  version: 4,
  key: idOfChanged('sut'),
  begins: (event) => event.type === 'SutCreated',
  evolve,
  isObserved,
  observedIn: monitoringStream,
  ended: (event) => (event.type === 'SutRetired' ? 'retired' : null),
  columns: (sut) => [
    sut.sut_type,
    sut.is_active,
    foldForSearch(sut.name),
    JSON.stringify(sut.tags),
    monitoredOf(sut.monitoring),
  ],
}

/** What was known of a SUT from an event on. */
interface SutStatus {
  readonly status: MonitoringStatus
  /** Why it is offline; null if it is not. */
  readonly cause: OfflineCause | null
}

/** The cause is empty where there is none, the event's time in Unix milliseconds. */
type SutStatusColumns = readonly [status: MonitoringStatus, cause: OfflineCause | '', time: number]

const UNMONITORED: SutStatus = { status: 'disabled', cause: null }

const evolveStatus = (document: SutStatus | undefined, event: Recorded): SutStatus => {
  const before = document ?? UNMONITORED
  const status = monitoredAfter(before.status, event)
  if (status === undefined) return before
  return { status, cause: event.type === 'SutWentOffline' ? event.data.cause : null }
}

/** Its versions are the outages of a SUT, and when nothing was known of it. */
export const sutStatusProjection: Projection<SutStatus, SutStatusColumns> = {
  name: 'sut_status',
  version: 1,
  key: idOfChanged('sut'),
  begins: (event) => event.type === 'SutCreated',
  evolve: evolveStatus,
  columns: ({ status, cause }, event) => [status, cause ?? '', epochMillisecondsOf(event.metadata.time)],
}
