import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FastifyInstance, fastify } from 'fastify'

/** A requested reservation. Times are in UTC with milliseconds, so that they compare as strings. */
export interface Wanted {
  readonly user_id: string
  readonly sut_id: string
  readonly start_time: string
  readonly end_time: string
}

export interface Reservation extends Wanted {
  readonly _id: string
}

export interface Count {
  readonly reservations: number
  /** Distinct pairs of SUT and start. */
  readonly windows: number
}

type MaybeLater<A> = A | Promise<A>

/** The operations that each peer implements. */
export interface Reservations {
  /** Resolves to undefined if the window overlaps another of the SUT. */
  readonly create: (wanted: Wanted) => MaybeLater<Reservation | undefined>
  readonly find: (id: string) => MaybeLater<Reservation | undefined>
  readonly count: () => MaybeLater<Count>
  readonly close: () => MaybeLater<void>
  /** Other processes of the server; their children count too. */
  readonly pids?: readonly number[]
}

const string = { type: 'string', minLength: 1 }
const time = { type: 'string', format: 'date-time' }
const required = ['user_id', 'sut_id', 'start_time', 'end_time']
const properties = { user_id: string, sut_id: string, start_time: time, end_time: time }
const WANTED = { type: 'object', required, properties }
const RESERVATION = { type: 'object', required: ['_id', ...required], properties: { _id: string, ...properties } }

const windowOf = (wanted: Wanted): Wanted | undefined => {
  const [start, end] = [new Date(wanted.start_time), new Date(wanted.end_time)]
  if (!(start < end)) return undefined
  return { ...wanted, start_time: start.toISOString(), end_time: end.toISOString() }
}

const makeApp = (reservations: Reservations): FastifyInstance => {
  const app = fastify()
  app.post<{ Body: Wanted }>(
    '/api/sut_reservation/create',
    { schema: { body: WANTED, response: { 201: RESERVATION } } },
    async (request, reply) => {
      const wanted = windowOf(request.body)
      if (wanted === undefined) return reply.code(400).send({ message: 'the end must be after the start' })
      const made = await reservations.create(wanted)
      if (made === undefined) return reply.code(409).send({ message: 'the window is taken' })
      return reply.code(201).send(made)
    },
  )
  app.get<{ Params: { id: string } }>(
    '/api/sut_reservation/:id',
    { schema: { response: { 200: RESERVATION } } },
    async ({ params }, reply) => {
      const found = await reservations.find(params.id)
      return found ?? reply.code(404).send({ message: 'no such reservation' })
    },
  )
  app.get('/count', () => reservations.count())
  return app
}

/** Deleted when the process exits; in the same parent directory as Berth's, so on the same disk. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-peer-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Prints its address and serves until a signal, which may arrive while the store is being opened. */
export const serve = async (open: () => MaybeLater<Reservations>): Promise<void> => {
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  const reservations = await open()
  const app = makeApp(reservations)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  process.stdout.write(`${JSON.stringify({ url, pids: reservations.pids ?? [] })}\n`)
  await stopped
  await app.close()
  await reservations.close()
}
