import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import { rightOf } from '../../users/builders.ts'
import { LOAD_CORE, type Sample, type Server, type startServer, withServers } from '../measure/processes.ts'
import { type Watched, watch } from '../measure/quiet.ts'
import { alternate, rowOf } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { ask, authorization, MAIN, makeSuts, PASSWORD, perSecond } from '../servers/berth.ts'
import { CONNECTIONS, type Creator, makeCreator, reserve, type Setting, SUTS, writeLines } from '../servers/creating.ts'

/**
 * Creates over an EventStoreDB compared with bare appends of the same bytes, and two instances with one. The service and
 * the reference have one core; the load and the store's process have the other, unless TEST_EVENT_STORE names another
 * store.
 */

/** Windows of each SUT that one of several creators may take. */
const WINDOWS = 100_000
const fileAt = (file: string): string => join(import.meta.dirname, file)

const askBare = async (bare: Server, path: string, body?: string): Promise<Sample> => {
  const answer = await fetch(bare.url + path, body === undefined ? {} : { method: 'POST', body })
  const { done, microseconds } = (await answer.json()) as { done: number; microseconds: number }
  return { requests: done, microseconds, bytes: 0, refused: 0, broken: 0, statuses: {}, p50: 0, p99: 0 }
}

/** The stored text of a reservation event. */
const recordedBytes = async (address: string): Promise<string> => {
  const store = await openEventStoreDb({
    address: rightOf(readEventStoreDbAddress(address)),
    randomHex: () => '',
    isReadOnly: true,
  })
  try {
    for await (const page of store.records(BEGINNING)) {
      const found = page.find(({ text }) => text.includes('"ReservationCreated"'))
      if (found) return found.text
    }
    throw new Error('there is no reservation')
  } finally {
    await store.close()
  }
}

/** Creates the keys that instances must share. */
const makeDirectory = (data: string): void => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'vault.key'), `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  writeFileSync(join(data, 'audit.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
}

type Start = typeof startServer

const startInstance = async (start: Start, data: string, eventStore: string): Promise<Server> => {
  const where = { BERTH_DATA: data, BERTH_PORT: '0', BERTH_EVENT_STORE: eventStore }
  const environment = { ...where, BERTH_HORIZON: 'P3660D', BERTH_ADMIN_PASSWORD: PASSWORD }
  const server = await start([MAIN, 'serve'], environment)
  while (!(await fetch(`${server.url}/health/ready`)).ok);
  return server
}

/** Number of appends of a service so far that ended so. */
const appendsOf = async ({ url }: Server, outcome: 'done' | 'moved' = 'done'): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text()
  return Number(new RegExp(`^berth_appends_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** Creates on several instances at once. */
const together = async (creators: readonly Creator[]): Promise<Watched<Sample>> => {
  const watched = await Promise.all(creators.map(({ sample }) => sample(Math.ceil(CONNECTIONS / creators.length))))
  const [first] = watched
  if (first === undefined) throw new Error('no instance')
  const requests = watched.reduce((sum, { taken }) => sum + taken.requests, 0)
  // Each sample counts the other instances as foreign load, so it is left out.
  return { ...first, taken: { ...first.taken, requests }, foreign: undefined }
}

/** A service and a bare client on one store. */
interface Bench {
  readonly setting: Setting
  readonly start: Start
  /** Name of the store in the rows. */
  readonly where: string
  readonly eventStore: string
  readonly data: string
  readonly berth: Server
  readonly bare: Server
  readonly user: string
  /** Adds the store's CPU to that of the server. */
  readonly withStore: (server: Server) => Server
}

const setUp = async (start: Start, setting: Setting): Promise<Bench> => {
  const own = process.env.TEST_EVENT_STORE
  const store = own === undefined ? await start([fileAt('../servers/event-store-server.ts')], {}, LOAD_CORE) : undefined
  const where = own === undefined ? "EventStoreDB (the tests' server)" : 'EventStoreDB'
  const [address, prefix] = [`${store?.url ?? own}`, `b${randomBytes(6).toString('hex')}-`]
  const [eventStore, data] = [`${address}&streamPrefix=${prefix}`, join(setting.directory, 'instance')]
  makeDirectory(data)
  const withStore = (server: Server): Server => ({ ...server, pids: store === undefined ? [] : [store.pid] })
  const berth = withStore(await startInstance(start, data, eventStore))
  const bare = withStore(await start([fileAt('../servers/bare-client.ts'), address, prefix], {}))
  const { _id: user } = await ask(berth.url, '/api/user/me')
  return { setting, start, where, eventStore, data, berth, bare, user, withStore }
}

const creatorOn = (server: Server, { setting, user }: Bench, suts: readonly string[], from = 0): Creator => {
  const sutsFile = writeLines(join(setting.directory, `suts-${suts[0]}`), suts)
  return makeCreator(server, { user, seconds: setting.seconds, sutsFile, from })
}

const perCommandRows = async ({ berth, user, where }: Bench): Promise<readonly TableRow[]> => {
  const QUARTERS = 10
  const before = await appendsOf(berth)
  await makeSuts(berth, 1)
  const made = await appendsOf(berth)
  await reserve({ server: berth, user }, QUARTERS)
  const after = await appendsOf(berth)
  const ofSut = made - before
  return [
    { what: `appends of a reservation over ${where}`, figures: [(after - made - ofSut) / QUARTERS], digits: 0 },
    { what: `appends of a new SUT over ${where}`, figures: [ofSut], digits: 0 },
  ]
}

const createRows = async (bench: Bench, creator: Creator): Promise<readonly TableRow[]> => {
  const { setting, bare, eventStore, where } = bench
  await creator.sample()
  const bytes = await recordedBytes(eventStore)
  const append = `/append?seconds=${setting.seconds}&connections=${CONNECTIONS}`
  const creating = await alternate(
    { berth: () => creator.sample(), bare: () => watch(bare, () => askBare(bare, append, bytes)) },
    setting,
  )
  return [
    rowOf(
      creating,
      { what: `creates over ${where} to the client's bare appends`, must: { least: 0.6 } },
      (round) => perSecond(round.berth) / perSecond(round.bare),
    ),
    rowOf(creating, { what: `creates over ${where}`, unit: 'a second', digits: 0 }, ({ berth }) => perSecond(berth)),
  ]
}

/** The service and another instance, each on its own data. */
const startTwo = async ({ start, data, eventStore, berth, withStore }: Bench): Promise<readonly [Server, Server]> => {
  const copy = `${data}-2`
  mkdirSync(copy, { mode: 0o700 })
  for (const file of ['vault.key', 'audit.key']) cpSync(join(data, file), join(copy, file))
  return [berth, withStore(await startInstance(start, copy, eventStore))]
}

/** Two instances on the same SUTs. */
const sharedRows = async (bench: Bench): Promise<readonly TableRow[]> => {
  const two = await startTwo(bench)
  const suts = await makeSuts(bench.berth, SUTS)
  const [alone, ...creators] = [bench.berth, ...two].map((server, n) =>
    creatorOn(server, bench, suts, n * SUTS * WINDOWS),
  ) as [Creator, ...Creator[]]
  const totalOf = async (outcome: 'done' | 'moved'): Promise<number> => {
    const [first = 0, second = 0] = await Promise.all(two.map((each) => appendsOf(each, outcome)))
    return first + second
  }
  let [done, inVain] = [0, 0]
  const both = async (): Promise<Watched<Sample>> => {
    const before = [await totalOf('done'), await totalOf('moved')] as const
    const taken = await together(creators)
    done += (await totalOf('done')) - before[0]
    inVain += (await totalOf('moved')) - before[1]
    return taken
  }
  const rounds = await alternate({ one: () => alone.sample(), both }, bench.setting)
  const what = `creates on two instances, which share a core, over the same ${SUTS} SUTs to those on one`
  return [
    rowOf(rounds, { what, must: { least: 1 } }, ({ one, both: each }) => perSecond(each) / perSecond(one)),
    { what: 'appends in vain for 100 of theirs', figures: [(100 * inVain) / done], digits: 1, must: { most: 5 } },
  ]
}

export const eventStoreDbRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const bench = await setUp(start, setting)
    const creator = creatorOn(bench.berth, bench, await makeSuts(bench.berth, SUTS))
    return [...(await createRows(bench, creator)), ...(await perCommandRows(bench)), ...(await sharedRows(bench))]
  })
