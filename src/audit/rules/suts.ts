import type { DataOf } from '../../domain/event.ts'
import { TAGS_MAX } from '../../domain/events/sut.ts'
import type { SutValues } from '../../domain/sut/state.ts'
import { formatId } from '../state/calendar.ts'
import type { AuditedSut, Report } from '../state/state.ts'
import { judgeCredentials } from './envelope.ts'

/** A deep copy without substrings of longer strings. */
const deepCopy = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

export const judgeSutCreated = (sut: AuditedSut, data: DataOf<'SutCreated'>, report: Report): void => {
  if (sut.status !== 'absent') report(`creates a SUT that is ${sut.status}`)
  const { _id, listen_port, tags, credentials, ...values } = deepCopy(data)
  judgeCredentials(credentials, report)
  if (tags !== undefined && Object.keys(tags).length === 0) report('lists no tags')
  sut.status = 'standing'
  sut.listen_port = listen_port
  sut.values = { turnaround: 0, release_unused_after: 0, ...values }
  sut.tags = new Map(Object.entries(tags ?? {}))
}

export const judgeSutCreationAbandoned = (
  sut: AuditedSut,
  data: DataOf<'SutCreationAbandoned'>,
  report: Report,
): void => {
  if (sut.status !== 'absent') report(`abandons the creation of a SUT that is ${sut.status}`)
  sut.status = 'abandoned'
  sut.listen_port = data.listen_port
}

const updateTags = ({ tags }: AuditedSut, patch: Readonly<Record<string, string | null>>, report: Report): void => {
  const names = Object.keys(patch)
  if (names.length === 0) report('changes no tag')
  for (const name of names) {
    const value = patch[name] ?? null
    if ((tags.get(name) ?? null) === value) report(`sets the tag ${name} to its current value`)
    if (value === null) tags.delete(name)
    else tags.set(name, value)
  }
  if (tags.size > TAGS_MAX) report(`leaves ${tags.size} tags, more than the maximum of ${TAGS_MAX}`)
}

/** Fields that say which machine the SUT is. */
const MACHINE: readonly (keyof SutValues)[] = ['address', 'port', 'sut_type']

export const judgeSutUpdated = (sut: AuditedSut, data: DataOf<'SutUpdated'>, report: Report): void => {
  if (sut.status !== 'standing') {
    report(`changes a SUT that is ${sut.status}`)
    return
  }
  const { _id, tags, credentials, ...values } = deepCopy(data)
  judgeCredentials(credentials, report)
  const names = Object.keys(values) as (keyof SutValues)[]
  if (names.length === 0 && tags === undefined && credentials === undefined) report('changes nothing')
  if (tags !== undefined && (names.length > 0 || credentials !== undefined))
    report('changes tags and other fields at once')
  for (const name of names) if (sut.values[name] === values[name]) report(`sets ${name} to its current value`)
  sut.values = { ...sut.values, ...values }
  if (sut.awaits === 'another' && names.some((name) => MACHINE.includes(name))) sut.awaits = 'any'
  if (tags !== undefined) updateTags(sut, tags, report)
}

export const judgeSutRetired = (sut: AuditedSut, data: DataOf<'SutRetired'>, time: number, report: Report): void => {
  if (sut.status !== 'standing') {
    report(`retires a SUT that is ${sut.status}`)
    return
  }
  const held = sut.windows.find(({ end }) => end * 1_000 > time)
  if (held !== undefined) report(`retires a SUT that the reservation ${formatId(held)} holds`)
  if (data.listen_port !== sut.listen_port) {
    report(`has the listen_port ${data.listen_port}, but the SUT has ${sut.listen_port}`)
  }
  sut.status = 'retired'
  // Free the memory: nothing else refers to it.
  sut.values = {}
  sut.tags.clear()
}
