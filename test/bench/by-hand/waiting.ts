import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Running, start } from '../../http/harness.ts'
import { aSut, reserve } from '../../http/requests.ts'

/**
 * What waiting costs: 10,000 requests for 1,000 SUTs, all taken. Within 100 ms of a release somebody has the SUT, and
 * creates by id beside it keep 1.5 times their p99. In one process with the client, over one connection.
 */

const { values } = parseArgs({
  options: {
    suts: { type: 'string', default: '1000' },
    waiting: { type: 'string', default: '10000' },
    releases: { type: 'string', default: '200' },
    creates: { type: 'string', default: '1000' },
  },
})
const [suts, waiting, releases, creates] = [values.suts, values.waiting, values.releases, values.creates].map(
  Number,
) as [number, number, number, number]
/** The most that one user may have waiting. */
const OF_USER = 100

const tasks: (() => void | Promise<void>)[] = []
const service: Running = await start(
  { teardown: (task) => void tasks.push(task) },
  { environment: { BERTH_LISTEN_PORTS: '20000-65000' } },
)
const admin = service.as('admin')

const quantiles = (figures: readonly number[]): string => {
  const sorted = figures.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  return `${at(0.5)} ms (p99 ${at(0.99)} ms, most ${at(1)} ms)`
}
const say = (what: string, figures: readonly number[]): void =>
  void process.stdout.write(`${what}: ${quantiles(figures)}\n`)

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}

const fill = async (): Promise<readonly string[]> => {
  const ids: string[] = []
  for (let from = 0; from < suts; from += 500) {
    const rows = Array.from({ length: Math.min(500, suts - from) }, (_, n) =>
      aSut({ name: `bench ${from + n}`, os: 'windows', tags: { rack: `${Math.floor((from + n) / 100)}` } }),
    )
    const { json } = await admin.post('/api/sut/import', { suts: rows })
    ids.push(...(json.suts as { _id: string }[]).map(({ _id }) => _id))
  }
  return ids
}

const taken = async (sut_id: string): Promise<string> => {
  const { status, json, text } = await reserve(admin, { sut_id, start_in: 0, duration: 86_400 })
  if (status !== 201) throw new Error(text)
  return String(json._id)
}

const DAY_S = 86_400
/** Creates by id of the second day on, each free. */
const createsById = async (ids: readonly string[], day: number): Promise<readonly number[]> => {
  const figures: number[] = []
  for (let n = 0; n < creates; n++) {
    const body = {
      sut_id: ids[n % ids.length],
      start_in: day * DAY_S + Math.floor(n / ids.length) * 1_800,
      duration: 900,
    }
    figures.push(await timed(() => reserve(admin, body)))
  }
  return figures
}

const ids = await fill()
const held: string[] = []
for (const id of ids) held.push(await taken(id))
say('a create by id', await createsById(ids, 3))

const made: number[] = []
for (let n = 0; n < waiting; n++) {
  if (n % OF_USER === 0)
    await admin.post('/api/user/create', { _id: `user-${n / OF_USER}`, name: `user ${n}`, role: 'tester' })
  const body = { match: { tags: { rack: `${n % 10}` } }, duration: 900 * (1 + (n % 8)), wait: 604_800 }
  const whose = { user_id: `user-${Math.floor(n / OF_USER)}` }
  made.push(await timed(() => admin.post('/api/sut_request/create', { ...body, ...whose })))
}
say(`a request, up to ${waiting} waiting`, made)
say('a create by id beside them', await createsById(ids, 5))

const granted: number[] = []
for (let n = 0; n < releases; n++) {
  const [sut_id, id] = [ids[n] as string, held[n] as string]
  granted.push(
    await timed(async () => {
      await admin.post(`/api/sut_reservation/${id}/cancel`, {})
      for (;;) {
        const { json } = await admin.get(`/api/sut_reservation?sut_id=${sut_id}&limit=1`)
        const [newest] = json.sut_reservations as readonly { readonly user_id: string }[]
        if (newest?.user_id.startsWith('user-')) return
        await delay(1)
      }
    }),
  )
}
say('from a release to the next reservation', granted)
for (const task of tasks.toReversed()) await task()
