/** Streams of changes, and what they have told. */

import type { ExecutionContext } from 'ava'
import type { Running, Tidying } from '../../http/harness.ts'
import { type Asking, type Message, type OpenStream, openStream, type Reading } from '../readers.ts'

export interface Told {
  readonly sequence: string
  readonly kind: string
  readonly _id: string
  readonly sut_id: string | null
}

const isEntry = ({ kind }: Message): boolean => kind === 'change'

export const entriesIn = ({ messages }: Reading): readonly Told[] =>
  messages.filter(isEntry).map(({ data }) => JSON.parse(data) as Told)

/** Kinds and ids. */
export const objectsIn = (reading: Reading): readonly string[] =>
  entriesIn(reading).map(({ kind, _id }) => `${kind} ${_id}`)

/** The names of the messages, without checkpoints. */
export const namesIn = ({ messages }: Reading): readonly string[] =>
  messages.map(({ kind }) => kind).filter((kind) => kind !== 'checkpoint')

export const openChanges = async (
  t: Tidying,
  { port }: Pick<Running, 'port'>,
  name: string,
  query = '',
  asking: Asking = {},
): Promise<OpenStream> => {
  const stream = await openStream(port, query, { path: '/api/changes', name, ...asking })
  t.teardown(stream.close)
  if (stream.status === 200) await stream.until(({ messages }) => messages.some(({ kind }) => kind === 'ready'))
  return stream
}

/** The position of the log. */
export const positionOf = async (service: Running): Promise<string> =>
  String((await service.as('admin').get('/api/user/me')).headers['berth-position'])

/** What a stream has told up to the present end of the log. Needs frequent heartbeats. */
export const toldUntilNow = async (service: Running, stream: OpenStream): Promise<Reading> => {
  const end = await positionOf(service)
  return stream.until(({ messages }) => (messages.at(-1)?.position ?? '') >= end)
}

/** What one user is told of everything from a position on. */
export const toldSince = async (
  t: ExecutionContext,
  service: Running,
  name: string,
  after: string,
): Promise<Reading> => {
  const stream = await openChanges(t, service, name, `?after=${after}`)
  return toldUntilNow(service, stream)
}
