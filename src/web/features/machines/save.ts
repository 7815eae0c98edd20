import type { FullSettings } from '../../data/objects.ts'
import { ofSut, type Query } from '../../data/query.ts'
import { type Api, type BodyAt, newKey, type Outcome, outcomeOf, type Readable } from '../../service/api.ts'
import { changesOf, createOf, type Known, type Values } from './machine-values.ts'

/** Sends what a form says, one request after the other. */

export const readKnown = async (api: Readable, sutId: string, after?: string): Promise<Known> => {
  const { value, etag } = await api.get(`/api/sut/${sutId}?include=settings`, {
    after,
  })
  const { settings, ...sut } = value
  return { sut, settings: settings as FullSettings, etag: etag ?? '*' }
}

/** The same, of a machine that is changed; undefined for one that is not there yet. */
export const knownMachine = (sutId: string): Query<Known | undefined> => ({
  ...{ key: `machine ${sutId}`, ...ofSut(sutId, 'sut') },
  read: async (source) => (sutId === '' ? undefined : readKnown(source, encodeURIComponent(sutId))),
})

/**
 * Keys by request: the same request, sent again from the same form, does nothing twice, also where what it made could not
 * be read.
 */
export const makeKeyring = (): ((path: string, body: object) => string) => {
  const keys = new Map<string, string>()
  return (path, body) => {
    const request = `${path} ${JSON.stringify(body)}`
    const key = keys.get(request) ?? newKey()
    keys.set(request, key)
    return key
  }
}

interface Order {
  readonly api: Api
  readonly keyFor: (path: string, body: object) => string
  readonly reason: string
  /** Called with the machine as it is saved, also where a later request was refused. */
  readonly onSaved: (known: Known) => void
}

/** Sends what differs from `known`, each request with the ETag of the answer before. */
const saveChanges = async (
  { api, keyFor, reason, onSaved }: Order,
  known: Known,
  values: Values,
): Promise<Outcome<object>> => {
  let { etag } = known
  let last: Outcome<object> = {}
  let position: string | undefined
  for (const { verb, body } of changesOf(values, known)) {
    const path = `/api/sut/${known.sut._id}/${verb}`
    const answer = await api.send(path, { body, ifMatch: etag, reason, key: keyFor(`${path} ${etag}`, body) })
    last = answer
    if (answer.refused !== undefined) break
    etag = answer.etag ?? etag
    position = answer.position
  }
  if (position === undefined) return last
  const read = await outcomeOf(readKnown(api, known.sut._id, position))
  if (read.refused === undefined) onSaved(read)
  return last.refused === undefined ? read : last
}

const create = async (order: Order, values: Values): Promise<Outcome<object>> => {
  const { api, keyFor, reason, onSaved } = order
  const path = '/api/sut/create'
  // Numbers go as typed where they are none, and the service says so.
  const body = createOf(values) as BodyAt<typeof path>
  const made = await api.send(path, { body, reason, key: keyFor(path, body) })
  if (made.refused !== undefined) return made
  const known = await outcomeOf(readKnown(api, made.value._id, made.position))
  if (known.refused !== undefined) return known
  onSaved(known)
  // What `create` does not take, such as monitoring.
  return saveChanges(order, known, { ...values, user_name: undefined, password: undefined })
}

export const saveMachine = (order: Order, known: Known | undefined, values: Values): Promise<Outcome<object>> =>
  known === undefined ? create(order, values) : saveChanges(order, known, values)

export const checkMachine = (api: Api, sutId: string) => api.post(`/api/sut/${sutId}/check`)
