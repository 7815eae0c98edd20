import * as E from 'fp-ts/lib/Either.js'
import { findEndingAfter } from '../calendar/calendar.ts'
import { type Decision, makeDecider } from '../decider.ts'
import type { DataOf } from '../event.ts'
import { type SecretField, TAGS_MAX } from '../events/sut.ts'
import { bodyProblem, CONFLICTS_MAX, type Failure, invalid, refuse } from '../failure.ts'
import { type ExistingSut, formatWindow, onSut, type SutState, type SutValues, sutFold } from './state.ts'

/** The command applies only if the SUT's record is at one of these revisions. Undefined matches any. */
export type IfMatch = readonly number[] | undefined

/** Refuses a command that was meant for another revision of the SUT's record. */
const refuseStale = ({ recordRevision }: ExistingSut, ifMatch: IfMatch): E.Either<Failure, never> | undefined =>
  ifMatch === undefined || ifMatch.includes(recordRevision)
    ? undefined
    : refuse('stale', `The SUT has changed. Its ETag is now "${recordRevision}": read it again and retry.`)

/** Refuses to change the record of a SUT that has been retired or has changed. */
const refuseChange = (sut: ExistingSut, ifMatch: IfMatch): E.Either<Failure, never> | undefined =>
  sut.status === 'retired'
    ? refuse('sut_retired', 'The SUT is retired. It can be read, but not changed or reserved.')
    : refuseStale(sut, ifMatch)

/** Begins or ends the probing of a SUT, or changes how often it is probed. */
export interface SetMonitoring {
  readonly type: 'SetMonitoring'
  /** Seconds between probes; null ends probing. */
  readonly interval: number | null
  readonly ifMatch?: IfMatch
}

const setMonitoring = (state: ExistingSut, { interval, ifMatch }: SetMonitoring): Decision => {
  const { _id } = state
  const refused = refuseChange(state, ifMatch)
  if (refused !== undefined) return refused
  if (interval === state.monitoring) return E.right([])
  return E.right([
    interval === null
      ? { type: 'SutMonitoringDisabled', data: { _id } }
      : { type: 'SutMonitoringEnabled', data: { _id, interval } },
  ])
}

type Credentials = { readonly id: string; readonly changed: readonly SecretField[] }

/** The second append of a creation. The first assigned the SUT's id and listen_port. */
export interface CreateSut {
  readonly type: 'CreateSut'
  readonly _id: string
  readonly listen_port: number
  readonly values: SutValues
  readonly tags?: Readonly<Record<string, string>>
  readonly credentials?: Credentials
}

export interface UpdateSut {
  readonly type: 'UpdateSut'
  readonly values: Partial<SutValues>
  readonly credentials?: Credentials
  readonly ifMatch?: IfMatch
}

export interface TagSut {
  readonly type: 'TagSut'
  readonly tags: Readonly<Record<string, string | null>>
  readonly ifMatch?: IfMatch
}

export interface RetireSut {
  readonly type: 'RetireSut'
  readonly ifMatch?: IfMatch
}

/** Blocks a creator that may still be running, so that the port can be released. */
export interface AbandonSutCreation {
  readonly type: 'AbandonSutCreation'
  readonly _id: string
  readonly listen_port: number
}

export type SutCommand = CreateSut | UpdateSut | TagSut | RetireSut | AbandonSutCreation | SetMonitoring

const create = (state: SutState, command: CreateSut): Decision => {
  // Also applies after abandonment: the creator then sees `abandoned` in the state and starts over.
  if (state.status !== 'absent') return E.right([])
  const { _id, listen_port, values, tags = {}, credentials } = command
  const hasTags = Object.keys(tags).length > 0
  const data = { _id, ...values, listen_port, ...(hasTags && { tags }), ...(credentials && { credentials }) }
  return E.right([{ type: 'SutCreated', data }])
}

const update = (state: ExistingSut, command: UpdateSut): Decision => {
  const refused = refuseChange(state, command.ifMatch)
  if (refused !== undefined) return refused
  const values = Object.entries(command.values).filter(
    ([name, value]) => state.values[name as keyof SutValues] !== value,
  )
  // Submitted credentials always count as a change. Otherwise an update that records nothing would confirm a guess.
  if (values.length === 0 && command.credentials === undefined) return E.right([])
  const data: DataOf<'SutUpdated'> = {
    _id: state._id,
    ...Object.fromEntries(values),
    ...(command.credentials && { credentials: command.credentials }),
  }
  return E.right([{ type: 'SutUpdated', data }])
}

// A tag may be named `constructor`, so check own properties only.
const currentTag = (state: ExistingSut, name: string): string | null =>
  Object.hasOwn(state.tags, name) ? (state.tags[name] as string) : null

const tag = (state: ExistingSut, command: TagSut): Decision => {
  const changed = Object.entries(command.tags).filter(([name, value]) => currentTag(state, name) !== value)
  const removed = changed.filter(([, value]) => value === null).length
  const added = changed.filter(([name, value]) => value !== null && currentTag(state, name) === null).length
  const tooMany = Object.keys(state.tags).length + added - removed - TAGS_MAX
  if (tooMany > 0) {
    const problem = {
      ...bodyProblem('invalid', '', `cannot leave more than ${TAGS_MAX} tags; it leaves ${tooMany} too many`),
      path: [],
    }
    return E.left(invalid([problem]))
  }
  const refused = refuseChange(state, command.ifMatch)
  if (refused !== undefined) return refused
  if (changed.length === 0) return E.right([])
  return E.right([{ type: 'SutUpdated', data: { _id: state._id, tags: Object.fromEntries(changed) } }])
}

const retire = (state: ExistingSut, command: RetireSut, now: number): Decision => {
  if (state.status === 'retired') return E.right([])
  const stale = refuseStale(state, command.ifMatch)
  if (stale !== undefined) return stale
  const remaining = findEndingAfter(state.windows, now / 1000, CONFLICTS_MAX)
  if (remaining.length > 0) {
    const conflicts = remaining.map((held) => ({ _id: held._id, user_id: held.user_id, ...formatWindow(held) }))
    return refuse('sut_reserved', 'The SUT has reservations that have not ended. Cancel them or wait.', {
      help: { conflicts },
    })
  }
  return E.right([{ type: 'SutRetired', data: { _id: state._id, listen_port: state.listen_port } }])
}

export const sutDecider = makeDecider<SutState, SutCommand>({
  ...sutFold,
  rules: {
    CreateSut: create,
    AbandonSutCreation: ({ status }, { _id, listen_port }) =>
      E.right(status === 'absent' ? [{ type: 'SutCreationAbandoned', data: { _id, listen_port } }] : []),
    UpdateSut: onSut(update),
    TagSut: onSut(tag),
    RetireSut: onSut(retire),
    SetMonitoring: onSut(setMonitoring),
  },
})
