/** Sends what a form says, one request after the other. */

import type { FullSettings } from '../../data/objects.ts'
import { ofSut, type Query } from '../../data/query.ts'
import { type Api, type BodyAt, type Outcome, outcomeOf, type Readable, type Refused } from '../../service/api.ts'
import { changesOf, createOf, type Known, type Values } from './machine-values.ts'

const readKnown = async (api: Readable, sutId: string, after?: string): Promise<Known> => {
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

interface Order {
  readonly api: Api
  readonly reason: string
  /** Called with the machine as it is saved, also where a later request was refused. */
  readonly onSaved: (known: Known) => void
}

/** What a machine has of which its form says nothing. */
const NEW: FullSettings = {
  ...{ rdp_width: null, rdp_height: null, monitoring_interval: null, turnaround: 0, release_unused_after: 0 },
  ...{ listen_port: null, has_user_name: false, has_password: false },
}

/** Sends what differs from what is saved, each request with the ETag of the answer before. */
const saveChanges = async (order: Order, known: Known, values: Values): Promise<Outcome<object>> => {
  const { api, reason, onSaved } = order
  let saved = known
  let position: string | undefined
  let refused: Refused | undefined
  for (const { verb, body } of changesOf(values, known)) {
    const answer = await api.send(`/api/sut/${known.sut._id}/${verb}`, { body, ifMatch: saved.etag, reason })
    refused = answer.refused
    if (answer.refused !== undefined) break
    saved = { ...saved, etag: answer.etag ?? saved.etag }
    position = answer.position
  }
  if (position !== undefined) {
    const read = await outcomeOf(readKnown(api, known.sut._id, position))
    refused ??= read.refused
    // Where it cannot be read, the form goes on from the last answer.
    onSaved(read.refused === undefined ? read : saved)
  }
  return refused === undefined ? {} : { refused }
}

const create = async (order: Order, values: Values): Promise<Outcome<object>> => {
  const path = '/api/sut/create'
  // Numbers go as typed where they are none, and the service says so.
  const body = createOf(values) as BodyAt<typeof path>
  const made = await order.api.send(path, { body, reason: order.reason })
  if (made.refused !== undefined) return made
  // It is not made again where it cannot be read.
  order.onSaved({ sut: made.value, settings: NEW, etag: made.etag ?? '*' })
  const known = await outcomeOf(readKnown(order.api, made.value._id, made.position))
  if (known.refused !== undefined) return known
  order.onSaved(known)
  // What `create` does not take, such as monitoring.
  return saveChanges(order, known, { ...values, user_name: undefined, password: undefined })
}

export const saveMachine = (order: Order, known: Known | undefined, values: Values): Promise<Outcome<object>> =>
  known === undefined ? create(order, values) : saveChanges(order, known, values)

export const checkMachine = (api: Api, sutId: string) => api.post(`/api/sut/${sutId}/check`)
