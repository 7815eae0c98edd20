/** What two holders have open at once: an event stream, a console, and a TCP connection through the gateway. */

import type { ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { type OpenStream, openStream } from '../../feed/readers.ts'
import { passwordOf } from '../../http/client.ts'
import { type Running, type Setting, start } from '../../http/harness.ts'
import { aSut, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { NOW, openAt, SOON, ticketFor, type Viewer } from '../console/stage.ts'
import { startTwo } from '../instances/stage.ts'
import { connectTo, HOST, type Peer, startSut } from '../peers.ts'
import { anEnvironment, tickAlways } from '../sessions/stage.ts'

/** Milliseconds within which an end of access counts everywhere. */
const WITHIN = 2_000

/** Where users are changed, and where they have something open: one service, or two instances over one store. */
export interface Place {
  readonly changing: Running
  readonly serving: Running
  /** The address of the serving one's gateway. */
  readonly host: string
}

export const oneService = async (t: ExecutionContext, setting: Setting = {}): Promise<Place> => {
  const { environment } = await anEnvironment(2)
  const service = await start(t, { now: NOW, environment, ...setting })
  tickAlways(t, [service])
  return { changing: service, serving: service, host: HOST }
}

/** @param change of the serving instance's store, to make it lag */
export const twoInstances = async (
  t: ExecutionContext,
  change?: (store: EventStore) => Partial<EventStore>,
): Promise<Place> => {
  const { services, hosts } = await startTwo(t, { suts: 2, ...(change && { change }) })
  const [changing, serving] = services
  return { changing, serving, host: hosts[1] }
}

/** What a holder has open, each of which works. */
export interface Opened {
  readonly id: string
  readonly name: string
  /** The path of the reservation. */
  readonly path: string
  readonly sutId: string
  readonly listenPort: number
  readonly stream: OpenStream
  readonly console: Viewer
  readonly connection: Peer
  /** The path of a console, with a ticket that has not been used. */
  readonly ticketUrl: string
}

export const codeOfRefusal = (opened: Awaited<ReturnType<typeof openAt>>): unknown =>
  'refused' in opened ? JSON.parse(opened.body).code : 'opened'

/** Connects through the gateway, and resolves once the SUT has answered. */
export const connectThrough = async (t: ExecutionContext, place: Place, listenPort: number): Promise<Peer> => {
  const connection = await connectTo(t, listenPort, place.host)
  await connection.take(GREETING.length)
  return connection
}

const GREETING = 'machine'

/** Adds an administrator, who has a running reservation of a SUT, and opens everything. */
const openAll = async (t: ExecutionContext, place: Place, name: string): Promise<Opened> => {
  const { changing, serving, host } = place
  const admin = changing.as('admin')
  const added = await admin.post('/api/user/create', { name, role: 'administrator', password: passwordOf(name) })
  const id = String(added.json._id)
  const sut = await startSut(t, (socket) => socket.on('data', (bytes) => socket.write(bytes)).write(GREETING))
  const { json } = await admin.post('/api/sut/create', aSut({ address: HOST, port: sut.port }))
  const isKnown = async (): Promise<boolean> => (await serving.as(name).get('/api/user/me')).status === 200
  await until('the user is known', isKnown, SOON)
  const window = { sut_id: json._id, start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T06:15:00Z' }
  const made = await reserved(changing.as(name), { user_id: id, ...window })
  const path = String(made.headers.location)
  const isForwarded = async () => (await serving.as(name).get(`${path}/connection`)).json.open === true
  await until('the port is open', isForwarded, SOON)
  const listenPort = Number(made.json.listen_port)
  const connection = await connectThrough(t, { ...place, host }, listenPort)
  const console = await openAt(t, { service: serving }, await ticketFor({ service: serving }, path, name))
  if ('refused' in console) throw new Error(console.body)
  await console.take(GREETING.length)
  const stream = await openStream(serving.port, '', { name })
  t.teardown(stream.close)
  const ticketUrl = await ticketFor({ service: serving }, path, name)
  return { id, name, path, sutId: String(json._id), listenPort, stream, console, connection, ticketUrl }
}

export interface Stage {
  readonly place: Place
  /** Whose access ends. */
  readonly carol: Opened
  /** Whose access goes on. */
  readonly dave: Opened
}

export const given = async (t: ExecutionContext, place: Place): Promise<Stage> => ({
  place,
  carol: await openAll(t, place, 'carol'),
  dave: await openAll(t, place, 'dave'),
})

/** Asserts that everything still works. */
export const stillWorks = async (t: ExecutionContext, { place }: Stage, opened: Opened): Promise<void> => {
  const { stream, console, connection, name, sutId } = opened
  connection.socket.write('tcp')
  t.is(String(await connection.take(3)), 'tcp', name)
  console.socket.send(Buffer.from('console'))
  t.is(String(await console.take(7)), 'console', name)
  const before = stream.reading().messages.length
  await place.changing.as('admin').post(`/api/sut/${sutId}/update`, { description: `after ${before} messages` })
  await stream.until(({ messages }) => messages.length > before)
}

/** Resolves with what a promise does, and rejects if that takes longer than an end of access may. */
export const inTime = async <A>(what: string, promise: Promise<A>): Promise<A> => {
  let isSettled = false
  const settle = (): void => {
    isSettled = true
  }
  promise.then(settle, settle)
  await until(what, async () => isSettled, WITHIN)
  return promise
}

/** Asserts that everything of a holder ends within 2 s. */
export const hasEnded = async (t: ExecutionContext, { name, stream, console, connection }: Opened): Promise<void> => {
  const ends = Promise.all([connection.ending, console.closed, stream.ended])
  t.deepEqual(await inTime(`the end of the access of ${name}`, ends), ['reset', 1008, 'whole'])
  const last = stream.reading().messages.at(-1)
  t.deepEqual([last?.kind, JSON.parse(String(last?.data)).code], ['error', 'user_changed'])
}

/** A password other than that of the tests. */
export const NEW = 'a new password'

/** Changes a user as an administrator does. */
export const asAdmin = async ({ changing }: Place, { id }: Opened, what: string, body: object): Promise<void> => {
  const { status, text } = await changing.as('admin').post(`/api/user/${id}/${what}`, body)
  if (status !== 200) throw new Error(text)
}
