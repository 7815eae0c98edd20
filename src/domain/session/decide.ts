import * as E from 'fp-ts/lib/Either.js'
import { type CommandsOf, type Decision, makeDecider, type StreamState } from '../decider.ts'
import type { DataOf, Event, Recorded } from '../event.ts'

export type OpenedSession = DataOf<'SessionOpened'>
export type ClosedSession = DataOf<'SessionClosed'>
export type SessionEnd = Omit<ClosedSession, keyof OpenedSession>

/** The open sessions of one SUT, and what distinguishes a repeated opening from a new one. */
export interface SessionState extends StreamState {
  /** By id. Bounded by the reservations of the SUT that are not over yet, and the instances. */
  readonly open: Readonly<Record<string, OpenedSession>>
  /** The id of the session that each instance opened last, newest instance last. */
  readonly last: Readonly<Record<string, string>>
}

/** Maximum instances kept per SUT. Only a SUT that moves between sites has more than a few. */
const INSTANCES_MAX = 64

const fold = (state: SessionState, event: Recorded): SessionState => {
  if (event.type === 'SessionOpened') {
    const { _id, instance } = event.data
    const { [instance]: _, ...others } = state.last
    const kept = Object.fromEntries(Object.entries(others).slice(1 - INSTANCES_MAX))
    return { ...state, open: { ...state.open, [_id]: event.data }, last: { ...kept, [instance]: _id } }
  }
  if (event.type !== 'SessionClosed') return state
  const { [event.data._id]: _, ...open } = state.open
  return { ...state, open }
}

/** A session never ends before it began, even if the clock was set back. */
const closing = (session: OpenedSession, end: SessionEnd): Event => ({
  type: 'SessionClosed',
  data: { ...session, ...end, ...(end.closed_at < session.opened_at && { closed_at: session.opened_at }) },
})

/** The end of a session of which only the opening is known. */
export const lostEnd = ({ opened_at }: OpenedSession): SessionEnd => ({
  ...{ closed_at: opened_at, connections: 1, bytes_to_sut: 0, bytes_from_sut: 0, cause: 'lost' },
})

/** An instance has one session of a reservation at a time. One that it left open in a crash is therefore over. */
const closeFormer = ({ open }: SessionState, { reservation_id, instance }: OpenedSession): readonly Event[] =>
  Object.values(open)
    .filter((former) => former.reservation_id === reservation_id && former.instance === instance)
    .map((former) => closing(former, lostEnd(former)))

const rules = {
  /** Closes a session whose opening is known to be recorded, perhaps by another instance. */
  CloseSession: (state: SessionState, { _id, end }: { readonly _id: string; readonly end: SessionEnd }): Decision => {
    const open = state.open[_id]
    return E.right(open === undefined ? [] : [closing(open, end)])
  },
  /**
   * Records a session of the instance that forwarded it: its opening unless already recorded, and its end if it has one.
   * An instance records its sessions of a SUT one after the other. After a lost response it can therefore repeat only the
   * opening that it recorded last.
   */
  RecordSession: (
    state: SessionState,
    { session, end }: { readonly session: OpenedSession; readonly end: SessionEnd | undefined },
  ): Decision => {
    const open = state.open[session._id]
    if (open === undefined && state.last[session.instance] === session._id) return E.right([])
    const opened: readonly Event[] =
      open === undefined ? [...closeFormer(state, session), { type: 'SessionOpened', data: session }] : []
    return E.right([...opened, ...(end === undefined ? [] : [closing(open ?? session, end)])])
  },
}

export type SessionCommand = CommandsOf<typeof rules>

export const sessionDecider = makeDecider<SessionState, SessionCommand>({
  initial: { time: 0, keys: [], open: {}, last: {} },
  version: 2,
  fold,
  rules,
})
