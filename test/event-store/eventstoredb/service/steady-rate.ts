import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from '../../../bench/measure/processes.ts'
import { basic, type Client, connectTo } from '../../../http/client.ts'
import { idOf, start, type Tidying, temporaryData } from '../../../http/harness.ts'
import { aSut } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import { type Child, launch } from '../../../process/harness.ts'
import { addressFor, SHARED_STORE } from '../../shared-store.ts'
import { AUDIT_KEY, aVaultKey } from './instances.ts'

/** Creates reservations at full speed on instances in their own processes, counted in buckets of five seconds. */

export const BUCKET_SECONDS = 5
const QUARTER = 900_000

interface RateOptions {
  readonly instances: number
  readonly suts: number
  readonly connections: number
  readonly seconds: number
  readonly onBucket?: (bucket: Bucket) => void
}

export interface Bucket {
  readonly created: number
  readonly refused: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly slowest: number
}

/** A protocol server in its own process that disconnects slow consumers. */
const aStore = async (scope: Tidying): Promise<string> => {
  const script = join(import.meta.dirname, '../../../bench/servers/event-store-server.ts')
  const server = launch(scope, { data: '', args: ['--cuts-off'], script })
  return (JSON.parse(await server.line('"url"')) as { url: string }).url
}

/** Starts an instance and waits until it is ready. */
const startInstance = async (scope: Tidying, data: string, environment: Readonly<Record<string, string>>) => {
  const child: Child = launch(scope, { data, args: ['serve'], env: { BERTH_PORT: '0', ...environment } })
  const { url } = JSON.parse(await child.line('"msg":"listening"')) as { url: string }
  const connections = connectTo(Number(new URL(url).port))
  scope.teardown(connections.close)
  const admin = connections.client({ Authorization: basic('admin') })
  await until('ready', async () => (await admin.get('/health/ready')).status === 200, 60_000)
  return { child, admin }
}

type RatedInstance = Awaited<ReturnType<typeof startInstance>>

/** Starts instances that share one log in the store at an address. */
const startRated = async (scope: Tidying, address: string, count: number): Promise<readonly RatedInstance[]> => {
  const first = await temporaryData(scope)
  const log = addressFor(address, first)
  const common = { ...AUDIT_KEY, BERTH_EVENT_STORE: log, BERTH_VAULT_KEY: aVaultKey(), BERTH_HORIZON: 'P3660D' }
  // Makes the users.
  await (await start(scope, { data: first, environment: common })).stop()
  const started: RatedInstance[] = []
  for (let n = 0; n < count; n++) {
    const data = await temporaryData(scope)
    const own = { BERTH_EVENT_STORE: log.replace(/keepAliveInterval=\d+/, `keepAliveInterval=${10_000 + 10 * n}`) }
    started.push(await startInstance(scope, data, { ...common, ...own }))
  }
  return started
}

/** Creates SUTs through the instances in turn. */
const makeSuts = async (instances: readonly RatedInstance[], count: number): Promise<readonly string[]> => {
  const ids: string[] = []
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(50, count - ids.length) }, async (_, n) => {
      const { admin } = instances[n % instances.length] as RatedInstance
      return (await admin.post('/api/sut/create', aSut())).json._id as string
    })
    ids.push(...(await Promise.all(batch)))
  }
  return ids
}

const bucketOf = (taken: { readonly milliseconds: number; readonly isCreated: boolean }[]): Bucket => {
  const times = taken.map(({ milliseconds }) => milliseconds)
  const created = taken.filter(({ isCreated }) => isCreated).length
  const at = (share: number): number => (times.length === 0 ? 0 : quantile(times, share))
  return { created, refused: taken.length - created, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}

/** Reserves successive windows on the SUTs in turn; returns the counts of each bucket. */
const createSteadily = async (
  clients: readonly Client[],
  suts: readonly string[],
  { connections, seconds, onBucket }: Pick<RateOptions, 'connections' | 'seconds' | 'onBucket'>,
): Promise<readonly Bucket[]> => {
  const begins = Math.ceil(Date.now() / QUARTER + 8) * QUARTER
  let next = 0
  let taken: Parameters<typeof bucketOf>[0] = []
  const buckets: Bucket[] = []
  const timer = setInterval(() => {
    const bucket = bucketOf(taken)
    taken = []
    buckets.push(bucket)
    onBucket?.(bucket)
  }, BUCKET_SECONDS * 1_000)
  const ends = performance.now() + seconds * 1_000
  const one = async (client: Client): Promise<void> => {
    while (performance.now() < ends) {
      const n = next++
      const start = begins + Math.floor(n / suts.length) * QUARTER
      const [start_time, end_time] = [start, start + QUARTER].map((time) => new Date(time).toISOString())
      const asked = { user_id: idOf('alice'), sut_id: suts[n % suts.length], start_time, end_time }
      const began = performance.now()
      const { status } = await client.post('/api/sut_reservation/create', asked)
      taken.push({ milliseconds: performance.now() - began, isCreated: status === 201 })
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => one(clients[n % clients.length] as Client)))
  clearInterval(timer)
  return buckets
}

interface Rate {
  readonly buckets: readonly Bucket[]
  /** Creations per second, over whole buckets. */
  readonly median: number
  readonly least: number
  readonly p99: number
  readonly worstP99: number
  /** Slowest request, in milliseconds. */
  readonly slowest: number
  /** Number of interrupted subscriptions. */
  readonly cuts: number
}

const rateOf = (buckets: readonly Bucket[], cuts: number): Rate => {
  const created = buckets.map((bucket) => bucket.created / BUCKET_SECONDS)
  const p99s = buckets.map(({ p99 }) => p99)
  const [median, p99] = [quantile(created, 0.5), quantile(p99s, 0.5)]
  return {
    buckets,
    median,
    least: Math.min(...created),
    p99,
    worstP99: Math.max(...p99s),
    slowest: Math.max(...buckets.map(({ slowest }) => slowest)),
    cuts,
  }
}

/** Rejects with the last lines of an instance when it ends, which it should not. */
const failAtExit = async ({ child }: RatedInstance): Promise<never> => {
  const { code, signal } = await child.exited
  const lines = [child.output(), child.errors()].flatMap((text) => text.split('\n'))
  const reasons = lines.filter((line) => !line.includes('"msg":"answered"')).slice(-20)
  throw new Error(`an instance ended (${code ?? signal}):\n${reasons.join('\n')}`)
}

export const measureRate = async (scope: Tidying, options: RateOptions): Promise<Rate> => {
  const address = SHARED_STORE ?? (await aStore(scope))
  const instances = await startRated(scope, address, options.instances)
  const suts = await makeSuts(instances, options.suts)
  const clients = instances.map(({ admin }) => admin)
  const exits = instances.map(failAtExit)
  // A client notices first that an instance has ended, and cannot say why.
  const creating = createSteadily(clients, suts, options).catch((error) =>
    Promise.race([...exits, delay(2_000).then(() => Promise.reject(error))]),
  )
  const buckets = await Promise.race([creating, ...exits])
  const lines = instances.flatMap(({ child }) => child.errors().split('\n').concat(child.output().split('\n')))
  return rateOf(buckets, lines.filter((line) => line.includes('was interrupted; resumed')).length)
}
