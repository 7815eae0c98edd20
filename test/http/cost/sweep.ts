import { freePort } from '../../gateway/peers.ts'
import { idOf, type Running, start, type Tidying } from '../harness.ts'
import { aReservation, createSut, NOW, REFUSING, reserved } from '../requests.ts'
import { catalogue } from '../routes/catalogue.ts'
import { until } from '../until.ts'
import type { Awkward, Things } from './awkward.ts'
import { type Cost, type Meter, openMeter, startReader } from './meter.ts'
import { awkwardRequests, pathOf } from './requests.ts'

/** A service that gets expensive requests, and their costs. */
export interface Sweep {
  readonly requests: readonly Awkward[]
  readonly costOf: (awkward: Awkward, share?: number, rounds?: number) => Promise<Cost>
  /** The cost of reading the same bytes once. */
  readonly readingOf: (awkward: Awkward, rounds?: number) => Promise<Cost>
}

/** Creates everything that the first request creates, before anything is measured. A stream's answer has no end. */
const warm = async (service: Running, things: Things): Promise<void> => {
  const gets = catalogue.filter(({ method, path }) => method === 'GET' && path !== '/api/changes')
  for (const { path } of gets) await service.as('admin').get(pathOf(path, things))
}

/** The ticket of a console, once the reservation is forwarded. */
const ticketFor = async (service: Running, reservation: string): Promise<string> => {
  let ticket: string | undefined
  await until(
    'there is a ticket',
    async () => {
      service.tick()
      const { status, json } = await service.as('admin').request('POST', `/api/sut_reservation/${reservation}/console`)
      ticket = status === 200 ? String(json.url).split('/').at(-1) : undefined
      return ticket !== undefined
    },
    15_000,
  )
  return ticket ?? ''
}

export const startSweep = async (t: Tidying): Promise<Sweep> => {
  // The client is a trusted proxy, so its forwarding headers are parsed.
  const port = await freePort()
  const service = await start(t, {
    now: NOW,
    environment: {
      BERTH_TRUSTED_PROXIES: '127.0.0.1',
      BERTH_GATEWAY: 'on',
      BERTH_LISTEN_PORTS: `${port}-${port}`,
    },
  })
  const sut = await createSut(service.as('admin'), REFUSING)
  const running = { user_id: idOf('admin'), start_time: '2030-05-02T05:45:00Z', end_time: '2030-05-02T06:00:00Z' }
  const { json } = await reserved(service.as('admin'), aReservation(sut, running))
  const reservation = String(json._id)
  const things = { sut, reservation, ticket: await ticketFor(service, reservation) }
  await warm(service, things)
  const meter: Meter = openMeter(t)
  const reader = await startReader(t)
  return {
    requests: awkwardRequests(things),
    costOf: (awkward, share = 1, rounds = 1) => meter.costOf(service.port, awkward.bytes(share), rounds),
    readingOf: (awkward, rounds = 1) => meter.costOf(reader, awkward.bytes(1), rounds),
  }
}
