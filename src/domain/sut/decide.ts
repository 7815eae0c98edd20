import * as E from 'fp-ts/lib/Either.js'
import { findEndingAfter } from '../calendar/calendar.ts'
import { formatWindow } from '../calendar/window.ts'
import { type CommandsOf, type Decision, makeDecider } from '../decider.ts'
import { type SecretField, TAGS_MAX } from '../events/sut.ts'
import { bodyProblem, CONFLICTS_MAX, invalid, type Problem, refuse, refuseStale } from '../failure.ts'
import type { Seconds } from '../values/units.ts'
import { type ExistingSut, mergeTags, onSut, type SutState, type SutValues, sutFold } from './state.ts'

interface Conditional {
  /** The command applies only if the SUT's record is at one of these revisions. Undefined matches any. */
  readonly ifMatch?: readonly number[] | undefined
}

/** A rule for SUTs that have neither been retired nor changed. What is wrong with the request itself comes first. */
const onStanding = <C extends Conditional>(
  rule: (sut: ExistingSut, command: C) => Decision,
  problemsOf: (sut: ExistingSut, command: C) => readonly Problem[] = () => [],
) =>
  onSut((sut, command: C): Decision => {
    const problems = problemsOf(sut, command)
    if (problems.length > 0) return E.left(invalid(problems))
    if (sut.status === 'retired')
      return refuse('sut_retired', 'The SUT is retired. It can be read, but not changed or reserved.')
    return refuseStale('SUT', sut.recordRevision, command.ifMatch) ?? rule(sut, command)
  })

type Credentials = { readonly id: string; readonly changed: readonly SecretField[] }

/** The second append of a creation. The first assigned the SUT's id and listen_port. */
export interface CreateSut {
  readonly _id: string
  readonly listen_port: number
  readonly values: SutValues
  readonly tags?: Readonly<Record<string, string>>
  readonly credentials?: Credentials
}

const create = (state: SutState, command: CreateSut): Decision => {
  if (state.status !== 'absent') return E.right([])
  const { _id, listen_port, values, tags = {}, credentials } = command
  const hasTags = Object.keys(tags).length > 0
  const data = { _id, ...values, listen_port, ...(hasTags && { tags }), ...(credentials && { credentials }) }
  return E.right([{ type: 'SutCreated', data }])
}

const update = onStanding(
  (
    sut,
    { values, credentials }: Conditional & { readonly values: Partial<SutValues>; readonly credentials?: Credentials },
  ) => {
    const changed = Object.entries(values).filter(([name, value]) => sut.values[name as keyof SutValues] !== value)
    // Submitted credentials always count as a change. Otherwise an update that records nothing would confirm a guess.
    if (changed.length === 0 && credentials === undefined) return E.right([])
    const data = { _id: sut._id, ...Object.fromEntries(changed), ...(credentials && { credentials }) }
    return E.right([{ type: 'SutUpdated', data }])
  },
)

type Tags = Conditional & { readonly tags: Readonly<Record<string, string | null>> }

// A tag may be named `constructor`, so check own properties only.
const currentTag = (state: ExistingSut, name: string): string | null =>
  Object.hasOwn(state.tags, name) ? (state.tags[name] as string) : null

const changedTags = (sut: ExistingSut, { tags }: Tags) =>
  Object.entries(tags).filter(([name, value]) => currentTag(sut, name) !== value)

const tagProblems = (sut: ExistingSut, { tags }: Tags): readonly Problem[] => {
  const tooMany = Object.keys(mergeTags(sut.tags, tags)).length - TAGS_MAX
  if (tooMany <= 0) return []
  const detail = `cannot leave more than ${TAGS_MAX} tags; it leaves ${tooMany} too many`
  return [{ ...bodyProblem('invalid', '', detail), path: [] }]
}

const tag = onStanding<Tags>((sut, command) => {
  const changed = changedTags(sut, command)
  if (changed.length === 0) return E.right([])
  return E.right([{ type: 'SutUpdated', data: { _id: sut._id, tags: Object.fromEntries(changed) } }])
}, tagProblems)

/** Begins or ends the probing of a SUT, or changes how often it is probed: seconds, or null, which ends it. */
const setMonitoring = onStanding(
  ({ _id, monitoring }, { interval }: Conditional & { readonly interval: Seconds | null }) => {
    if (interval === monitoring) return E.right([])
    if (interval === null) return E.right([{ type: 'SutMonitoringDisabled', data: { _id } }])
    return E.right([{ type: 'SutMonitoringEnabled', data: { _id, interval } }])
  },
)

const retire = onSut((sut, command: Conditional, now): Decision => {
  if (sut.status === 'retired') return E.right([])
  const stale = refuseStale('SUT', sut.recordRevision, command.ifMatch)
  if (stale !== undefined) return stale
  const remaining = findEndingAfter(sut.windows, now / 1000, CONFLICTS_MAX)
  if (remaining.length > 0) {
    const conflicts = remaining.map((held) => ({ _id: held._id, user_id: held.user_id, ...formatWindow(held) }))
    const detail = 'The SUT has reservations that have not ended. Cancel them or wait.'
    return refuse('sut_reserved', detail, { help: { conflicts } })
  }
  return E.right([{ type: 'SutRetired', data: { _id: sut._id, listen_port: sut.listen_port } }])
})

const rules = {
  CreateSut: create,
  UpdateSut: update,
  TagSut: tag,
  RetireSut: retire,
  SetMonitoring: setMonitoring,
}

export type SutCommand = CommandsOf<typeof rules>

export const sutDecider = makeDecider<SutState, SutCommand>({ ...sutFold, rules })
