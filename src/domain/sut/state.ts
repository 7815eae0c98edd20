import { type Calendar, dropPast, EMPTY, extend, find, findOverlapping, insert, remove } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { addReleased, type HeldTime } from '../calendar/held-time.ts'
import type { StreamState } from '../decider.ts'
import type { DataOf, Recorded, sutFields } from '../event.ts'
import { addRecord } from '../idempotency-records.ts'
import { epochMillisecondsOf, epochSecondsOf, formatWithOffset, offsetOf } from '../values/instant.ts'

type SutCreated = DataOf<'SutCreated'>
/** The values an update is compared with. */
export type SutValues = Pick<SutCreated, Exclude<keyof typeof sutFields, 'rdp_height' | 'rdp_width'>> &
  Partial<Record<'rdp_height' | 'rdp_width', number>>

interface Common extends StreamState {
  /** Reservations that have not ended at `time`. */
  readonly windows: Calendar
  /** Time recently held by reservations that were released. */
  readonly released: readonly HeldTime[]
}

/** Increment when the shape of the state changes. Shared by all deciders on this state. */
export const SUT_STATE_VERSION = 4

/** A SUT and its calendar, reduced to what decisions need. */
export type SutState =
  | (Common & { readonly status: 'absent' | 'abandoned' })
  | (Common & {
      readonly status: 'standing' | 'retired'
      readonly _id: string
      readonly values: SutValues
      readonly tags: Readonly<Record<string, string>>
      readonly listen_port: number
      /** Revision of the last event that changed the SUT's record, used as its ETag. Reservations do not change it. */
      readonly recordRevision: number
    })

export const initialSutState: SutState = { status: 'absent', time: 0, keys: [], windows: EMPTY, released: [] }

/** Applies a merge patch (RFC 7396) to tags; null removes a tag. */
export const mergeTags = (
  tags: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Record<string, string> => {
  const merged = { ...tags, ...patch }
  return Object.fromEntries(
    Object.entries(merged)
      .filter((tag): tag is [string, string] => tag[1] !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Formats a window for events, documents and refusals. */
export const formatWindow = (held: Held): { start_time: string; end_time: string } => ({
  start_time: formatWithOffset(held.start, held.startOffset),
  end_time: formatWithOffset(held.end, held.endOffset),
})

const toHeld = (data: Pick<DataOf<'ReservationCreated'>, '_id' | 'user_id' | 'start_time' | 'end_time'>): Held => ({
  _id: data._id,
  user_id: data.user_id,
  start: epochSecondsOf(data.start_time),
  end: epochSecondsOf(data.end_time),
  startOffset: offsetOf(data.start_time),
  endOffset: offsetOf(data.end_time),
})

/** Restores a window unless it overlaps a current one. */
const restoreWindow = (windows: Calendar, restored: Held): Calendar =>
  findOverlapping(windows, restored, 1).length > 0 ? windows : insert(windows, restored)

export const evolveSut = (state: SutState, event: Recorded): SutState => {
  const time = epochMillisecondsOf(event.metadata.time)
  const keys = addRecord(state.keys, event, time)
  const windows = dropPast(state.windows, time / 1000)
  const { released } = state
  const next = { ...state, time, keys, windows }
  switch (event.type) {
    case 'SutCreated': {
      const { _id, listen_port, credentials: _, ...values } = event.data
      const recordRevision = event.revision
      return { status: 'standing', time, keys, windows, released, _id, values, tags: {}, listen_port, recordRevision }
    }
    case 'SutCreationAbandoned':
      return { status: 'abandoned', time, keys, windows, released }
    case 'SutUpdated': {
      if (!('values' in next)) return next
      const { _id, tags, credentials: _, ...changed } = event.data
      return {
        ...next,
        values: { ...next.values, ...changed },
        tags: tags === undefined ? next.tags : mergeTags(next.tags, tags),
        recordRevision: event.revision,
      }
    }
    case 'SutRetired':
      return 'values' in next ? { ...next, status: 'retired', recordRevision: event.revision } : next
    case 'ReservationCreated':
      return { ...next, windows: insert(windows, toHeld(event.data)) }
    case 'ReservationExtended': {
      const { _id, end_time } = event.data
      const end = { end: epochSecondsOf(end_time), endOffset: offsetOf(end_time) }
      return { ...next, windows: extend(windows, _id, end) }
    }
    case 'ReservationReleased': {
      const { _id, end_time } = event.data
      const held = find(windows, _id)
      const end = { end: epochSecondsOf(end_time), endOffset: offsetOf(end_time) }
      const times = held ? addReleased(released, { ...held, ...end }) : released
      return { ...next, windows: remove(windows, _id), released: times }
    }
    case 'ReservationCancelled':
      return { ...next, windows: remove(windows, event.data._id) }
    case 'ClockCorrected': {
      const { windows: restored, remaining } = event.data
      // Do not drop past windows yet: while windows remain, the stream's time is still wrong.
      const all = restored.map(toHeld).reduce(restoreWindow, state.windows)
      return remaining > 0 ? { ...state, windows: all } : { ...state, windows: all, time, keys: [] }
    }
    case 'ListenPortAssigned':
    case 'ListenPortReleased':
    case 'StoreUpgraded':
    case 'AuditKeyReplaced':
    case 'VaultKeyForgotten':
      return next
  }
}
