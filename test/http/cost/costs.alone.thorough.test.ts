import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { tidyingLater } from '../harness.ts'
import type { Awkward } from './awkward.ts'
import { type Meter, openMeter } from './meter.ts'
import { type Sweep, startSweep } from './sweep.ts'

/** The CPU time that an expensive request costs the main thread, relative to reading its bytes once. */

const later = tidyingLater()
let sweep: Sweep
test.before(async () => {
  sweep = await startSweep(later)
})
test.after.always(later.tidy)

/** Multiples of the CPU time of reading the same bytes once: without credentials, and with them. 24 and 50 were measured. */
const OPEN_MAX = 30
const KNOWN_MAX = 60
/** Multiple of the CPU time of a request of half the size, and the clock step in milliseconds. */
const GROWTH_MAX = 2.5
const STEP = 2
/** One of so many kinds of requests is tried here. `npm run bench -- --only outside` tries all. */
const EVERY = 29
/** How often a figure that is too large is measured again, and the rounds of each median. */
const RETRIES = 8
const ROUNDS = 3
/** The number of reported requests over their limit. Each takes long to confirm. */
const REPORTED_MAX = 3

/** Whether a figure is within its limit at least once: other load on the machine can only raise it. */
const isWithin = async (max: number, figure: (rounds: number) => Promise<number>): Promise<boolean> => {
  if ((await figure(1)) <= max) return true
  for (let i = 0; i < RETRIES; i++) if ((await figure(ROUNDS)) <= max) return true
  return false
}

const toReading = (awkward: Awkward) => async (rounds: number) =>
  (await sweep.costOf(awkward, 1, rounds)).cpu / (await sweep.readingOf(awkward, rounds)).cpu

test.serial('no request costs more than a fixed multiple of reading its bytes once', async (t) => {
  t.timeout(240_000)
  const tried = sweep.requests.filter(
    ({ what }, i) =>
      i % EVERY === 0 ||
      /live with Accept|create of|update of .*(members|tags)|chunks|with (Sec-WebSocket-Protocol|thousands)/.test(what),
  )
  const expensive: string[] = []
  for (const awkward of tried) {
    if (expensive.length === REPORTED_MAX) break
    const max = awkward.isAnyones ? OPEN_MAX : KNOWN_MAX
    if (!(await isWithin(max, toReading(awkward)))) expensive.push(awkward.what)
  }
  t.true(tried.length > 400, `${tried.length} requests`)
  t.deepEqual(expensive, [])
})

test.serial(
  'a request of twice the size costs at most two and a half times as much, even the most expensive',
  async (t) => {
    t.timeout(240_000)
    const tried = sweep.requests.filter(({ what }, i) => i % EVERY === 1 || /live with Accept|tags of/.test(what))
    const costs: { readonly awkward: Awkward; readonly cpu: number }[] = []
    for (const awkward of tried) costs.push({ awkward, cpu: (await sweep.costOf(awkward)).cpu })
    const mostExpensive = costs.toSorted((a, b) => b.cpu - a.cpu).slice(0, 20)
    const steep: string[] = []
    for (const { awkward } of mostExpensive) {
      if (steep.length === REPORTED_MAX) break
      const growth = async (rounds: number) =>
        ((await sweep.costOf(awkward, 1, rounds)).cpu - STEP) / (await sweep.costOf(awkward, 0.5, rounds)).cpu
      if (!(await isWithin(GROWTH_MAX, growth))) steep.push(awkward.what)
    }
    t.deepEqual(steep, [])
  },
)

const listenOn = async (t: ExecutionContext, app: Koa): Promise<number> => {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test.serial('control: a server with quadratic content negotiation exceeds the growth limit', async (t) => {
  const meter: Meter = openMeter(t)
  const app = new Koa()
  app.use((ctx) => {
    ctx.body = String(ctx.accepts('application/json'))
  })
  const port = await listenOn(t, app)
  const bytes = (quotes: number): Buffer =>
    Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\nAccept: ${'"'.repeat(quotes + 1)}${','.repeat(quotes)}\r\n\r\n`)
  // Four times the size: 16 and 6.25 lie further apart than what compilation while it runs can change; 4 and 2.5 do not.
  await meter.costOf(port, bytes(8_000))
  const [quarter, whole] = [await meter.costOf(port, bytes(2_000), 5), await meter.costOf(port, bytes(8_000), 3)]
  t.true(whole.cpu > GROWTH_MAX ** 2 * quarter.cpu, `${quarter.cpu} ms and ${whole.cpu} ms`)
})
