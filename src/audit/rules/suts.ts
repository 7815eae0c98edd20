import type { DataOf } from '../../domain/event.ts'
import { TAGS_MAX } from '../../domain/sut/decide.ts'
import type { SutValues } from '../../domain/sut/state.ts'
import { nameOf } from './calendar.ts'
import type { Sut, Tell } from './state.ts'

type Credentials = DataOf<'SutUpdated'>['credentials']

const judgeCredentials = (credentials: Credentials, tell: Tell): void => {
  if (credentials === undefined) return
  const { changed } = credentials
  if (changed.length === 0 || new Set(changed).size < changed.length) tell('names credentials in another way than once')
}

/** A copy, whose texts were not cut out of a longer one. */
const copyOf = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

export const sutCreated = (sut: Sut, data: DataOf<'SutCreated'>, tell: Tell): void => {
  if (sut.status !== 'absent') tell(`creates a SUT that is ${sut.status}`)
  const { _id, listen_port, credentials, ...values } = data
  judgeCredentials(credentials, tell)
  sut.status = 'standing'
  sut.listen_port = listen_port
  sut.values = copyOf(values)
}

export const sutCreationAbandoned = (sut: Sut, data: DataOf<'SutCreationAbandoned'>, tell: Tell): void => {
  if (sut.status !== 'absent') tell(`gives up the creation of a SUT that is ${sut.status}`)
  sut.status = 'abandoned'
  sut.listen_port = data.listen_port
}

const updateTags = ({ tags }: Sut, patch: Readonly<Record<string, string | null>>, tell: Tell): void => {
  const names = Object.keys(patch)
  if (names.length === 0) tell('changes no tag')
  for (const name of names) {
    const value = patch[name] ?? null
    if ((tags.get(name) ?? null) === value) tell(`says of the tag ${name} what it was`)
    if (value === null) tags.delete(name)
    else tags.set(name, value)
  }
  if (tags.size > TAGS_MAX) tell(`leaves ${tags.size} tags, more than the ${TAGS_MAX} that a SUT may have`)
}

export const sutUpdated = (sut: Sut, data: DataOf<'SutUpdated'>, tell: Tell): void => {
  if (sut.status !== 'standing') {
    tell(`changes a SUT that is ${sut.status}`)
    return
  }
  const { _id, tags, credentials, ...values } = copyOf(data)
  judgeCredentials(credentials, tell)
  const names = Object.keys(values) as (keyof SutValues)[]
  if (names.length === 0 && tags === undefined && credentials === undefined) tell('changes nothing')
  if (tags !== undefined && (names.length > 0 || credentials !== undefined)) tell('changes tags and more at once')
  for (const name of names) if (sut.values[name] === values[name]) tell(`says of ${name} what it was`)
  sut.values = { ...sut.values, ...values }
  if (tags !== undefined) updateTags(sut, tags, tell)
}

/** What is over has been let go. */
export const sutRetired = (sut: Sut, data: DataOf<'SutRetired'>, tell: Tell): void => {
  if (sut.status !== 'standing') {
    tell(`retires a SUT that is ${sut.status}`)
    return
  }
  const [held] = sut.windows
  if (held !== undefined) tell(`retires a SUT that the reservation ${nameOf(held)} holds`)
  if (data.listen_port !== sut.listen_port) {
    tell(`has the listen_port ${data.listen_port}, the SUT ${sut.listen_port}`)
  }
  sut.status = 'retired'
  // Nothing more can come of it.
  sut.values = {}
  sut.tags.clear()
  sut.windows = []
}
