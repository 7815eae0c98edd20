import { parseArgs } from 'node:util'
import { type Running, start } from '../../http/harness.ts'
import { aSut, reserve } from '../../http/requests.ts'

/**
 * What a request for any machine costs over many SUTs, half of them taken, in creates by id: an acceptance at most 5, a
 * refusal at most 10 (medians, over one connection, with everything that a request does). In one process with the client,
 * so the ratio is smaller than the service's own; the time of the search alone is the difference.
 */

const { values } = parseArgs({
  options: { suts: { type: 'string', default: '10000' }, requests: { type: 'string', default: '500' } },
})
const [suts, requests] = [Number(values.suts), Number(values.requests)]

const tasks: (() => void | Promise<void>)[] = []
const service: Running = await start(
  { teardown: (task) => void tasks.push(task) },
  {
    environment: { BERTH_LISTEN_PORTS: '20000-65000' },
  },
)
const admin = service.as('admin')

/** SUTs in racks of a hundred, half of each taken all day. */
const fill = async (): Promise<readonly string[]> => {
  const ids: string[] = []
  for (let from = 0; from < suts; from += 500) {
    const rows = Array.from({ length: Math.min(500, suts - from) }, (_, n) =>
      aSut({
        name: `bench ${from + n}`,
        os: ['windows', 'linux'][n % 2],
        tags: { rack: `${Math.floor((from + n) / 100)}`, half: n % 4 < 2 ? 'taken' : 'free' },
      }),
    )
    const { json } = await admin.post('/api/sut/import', { suts: rows })
    ids.push(...(json.suts as { _id: string }[]).map(({ _id }) => _id))
  }
  return ids
}

const DAY_MS = 86_400_000
const today = (Math.floor(service.clock.now() / DAY_MS) + 1) * DAY_MS
const windowAt = (day: number, quarter: number, quarters: number) => ({
  start_time: new Date(today + day * DAY_MS + quarter * 900_000).toISOString(),
  end_time: new Date(today + day * DAY_MS + (quarter + quarters) * 900_000).toISOString(),
})

const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0

/** Milliseconds of a request. */
const measure = async (status: number, body: (n: number) => object): Promise<number> => {
  const figures: number[] = []
  for (let n = 0; n < requests; n++) {
    const asked = body(n)
    const begun = performance.now()
    const answer = await reserve(admin, asked)
    figures.push(performance.now() - begun)
    if (answer.status !== status) throw new Error(answer.text)
  }
  return median(figures)
}

const ids = await fill()
for (let n = 0; n < ids.length; n++) {
  if (n % 4 >= 2) continue
  const { status, text } = await reserve(admin, { sut_id: ids[n], ...windowAt(0, 0, 96) })
  if (status !== 201) throw new Error(text)
}
const byId = await measure(201, (n) => ({ sut_id: ids[n], ...windowAt(2, 0, 4) }))
const rows: readonly (readonly [what: string, status: number, body: (n: number) => object])[] = [
  ['any of half of them, in one window', 201, () => ({ match: { os: 'windows' }, ...windowAt(0, 8, 1) })],
  ['any of half of them, in windows of a day', 201, (n) => ({ match: { os: 'windows' }, ...windowAt(0, n % 90, 4) })],
  ['any of a rack', 201, (n) => ({ match: { tags: { rack: `${n % 100}` } }, ...windowAt(1, n % 90, 2) })],
  ['refused: half of them fit, all taken', 409, () => ({ match: { tags: { half: 'taken' } }, ...windowAt(0, 8, 4) })],
  ['refused: in windows of a day', 409, (n) => ({ match: { tags: { half: 'taken' } }, ...windowAt(0, n % 90, 4) })],
]
process.stdout.write(`a create by id: ${byId.toFixed(2)} ms\n`)
for (const [what, status, body] of rows) {
  await reserve(admin, body(0))
  const own = await measure(status, body)
  process.stdout.write(`${what}: ${own.toFixed(2)} ms, ${(own / byId).toFixed(1)} creates by id\n`)
}
for (const task of tasks.toReversed()) await task()
