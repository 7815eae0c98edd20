import type { Checked, FullSettings } from '../../data/objects.ts'
import { ofSut, type Query } from '../../data/query.ts'
import { type Answer, type Api, type BodyAt, newKey, type Readable, Refused } from '../../service/api.ts'
import { changesOf, createOf, type Known, type Values } from './form.ts'

/** Sends what a form says, one request after the other. */

export type Saved =
  | { readonly kind: 'saved'; readonly known: Known }
  /** `known` is what was saved before that; undefined if nothing was. */
  | { readonly kind: 'refused'; readonly refused: Refused; readonly known: Known | undefined }

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
}

const asRefused = (error: unknown): Refused => {
  if (error instanceof Refused) return error
  throw error
}

/** Sends what differs from `known`, each request with the ETag of the answer before. */
const saveChanges = async ({ api, keyFor, reason }: Order, known: Known, values: Values): Promise<Saved> => {
  let { etag } = known
  let last: Answer<unknown> | undefined
  const read = (): Promise<Known> => readKnown(api, known.sut._id, last?.position)
  try {
    for (const { verb, body } of changesOf(values, known)) {
      const path = `/api/sut/${known.sut._id}/${verb}`
      last = await api.send(path, { body, ifMatch: etag, reason, key: keyFor(`${path} ${etag}`, body) })
      etag = last.etag ?? etag
    }
    return { kind: 'saved', known: last === undefined ? known : await read() }
  } catch (error) {
    const refused = asRefused(error)
    return { kind: 'refused', refused, known: last === undefined ? undefined : await read().catch(() => undefined) }
  }
}

const create = async (order: Order, values: Values): Promise<Saved> => {
  const { api, keyFor, reason } = order
  const path = '/api/sut/create'
  // Numbers go as typed where they are none, and the service says so.
  const body = createOf(values) as BodyAt<typeof path>
  try {
    const { value, position } = await api.send(path, { body, reason, key: keyFor(path, body) })
    // What `create` does not take, such as monitoring.
    const known = await readKnown(api, value._id, position)
    const saved = await saveChanges(order, known, { ...values, user_name: undefined, password: undefined })
    return saved.kind === 'refused' ? { ...saved, known: saved.known ?? known } : saved
  } catch (error) {
    return { kind: 'refused', refused: asRefused(error), known: undefined }
  }
}

export const saveMachine = (order: Order, known: Known | undefined, values: Values): Promise<Saved> =>
  known === undefined ? create(order, values) : saveChanges(order, known, values)

export const checkMachine = async (api: Api, sutId: string): Promise<Checked | Refused> => {
  try {
    return (await api.post(`/api/sut/${sutId}/check`)).value
  } catch (error) {
    return asRefused(error)
  }
}
