import { type Running, start, type Tidying } from '../harness.ts'
import { aReservation, createSut, NOW, REFUSING, reserved } from '../requests.ts'
import { pageOfRoutes } from '../routes/route-page.ts'
import { type Cost, type Meter, openMeter, startReader } from './meter.ts'
import { type Awkward, awkwardRequests, pathOf, type Things } from './requests.ts'

/** A service that gets expensive requests, and their costs. */
export interface Sweep {
  readonly requests: readonly Awkward[]
  readonly costOf: (awkward: Awkward, share?: number, rounds?: number) => Promise<Cost>
  /** The cost of reading the same bytes once. */
  readonly readingOf: (awkward: Awkward, rounds?: number) => Promise<Cost>
}

/** Creates everything that the first request creates, before anything is measured. */
const warm = async (service: Running, things: Things): Promise<void> => {
  const gets = pageOfRoutes.filter(({ method }) => method === 'GET')
  for (const { path } of gets) await service.as('admin').get(pathOf(path, things))
}

export const startSweep = async (t: Tidying): Promise<Sweep> => {
  // The client is a trusted proxy, so its forwarding headers are parsed.
  const service = await start(t, { now: NOW, environment: { BERTH_TRUSTED_PROXIES: '127.0.0.1' } })
  const sut = await createSut(service.as('admin'), REFUSING)
  const { json } = await reserved(service.as('admin'), aReservation(sut))
  const things = { sut, reservation: String(json._id) }
  await warm(service, things)
  const meter: Meter = openMeter(t)
  const reader = await startReader(t)
  return {
    requests: awkwardRequests(things),
    costOf: (awkward, share = 1, rounds = 1) => meter.costOf(service.port, awkward.bytes(share), rounds),
    readingOf: (awkward, rounds = 1) => meter.costOf(reader, awkward.bytes(1), rounds),
  }
}
