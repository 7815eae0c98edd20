/** The real program, killed while it delivers. */

import test from 'ava'
import { type Client, connectTo } from '../../http/client.ts'
import { type Tidying, temporaryData, tidyingLater } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { launch, PASSWORD } from '../../process/harness.ts'
import { receive } from './receiver.ts'

const ROUNDS = 5
const SUTS = 6
/** Milliseconds of work that a crash may repeat. */
const TWICE_MAX = 30_000

const run = async (
  t: Tidying,
  data: string,
): Promise<{ readonly admin: Client; readonly kill: () => Promise<void> }> => {
  const scope = tidyingLater()
  t.teardown(scope.tidy)
  const service = launch(scope, { data, args: ['serve'], env: { BERTH_PORT: '0', BERTH_ADMIN_PASSWORD: PASSWORD } })
  const { url } = JSON.parse(await service.line('"msg":"listening"')) as { url: string }
  const connections = connectTo(Number(new URL(url).port))
  scope.teardown(connections.close)
  const basic = Buffer.from(`admin:${PASSWORD}`).toString('base64')
  return { admin: connections.client({ Authorization: `Basic ${basic}` }), kill: scope.tidy }
}

test('killed again and again, it leaves no event out, keeps the order of each SUT, and repeats 30 s at most', async (t) => {
  const times: number[] = []
  const receiver = await receive(t, (response) => {
    times.push(performance.now())
    setTimeout(() => response.writeHead(204).end(), 5)
  })
  const data = await temporaryData(t)
  let service = await run(t, data)
  const suts: string[] = []
  for (let n = 0; n < SUTS; n++)
    suts.push(String((await service.admin.post('/api/sut/create', aSut({ port: n + 1 }))).json._id))
  const { status } = await service.admin.post('/api/webhook/create', { url: receiver.url, types: ['SutUpdated'] })
  t.is(status, 201)
  const kills: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = receiver.received.length
    const writing = suts.map(async (sut, n) => {
      for (let m = 0; m < 40; m++) {
        const answer = await service.admin
          .post(`/api/sut/${sut}/update`, { description: `${round} ${n} ${m}` })
          .catch(() => undefined)
        if (answer === undefined) return
      }
    })
    await until('deliveries', async () => receiver.received.length >= before + 20 + 30 * round, 30_000)
    kills.push(performance.now())
    await service.kill()
    await Promise.all(writing)
    service = await run(t, data)
  }
  const { text } = await service.admin.get('/api/events?type=SutUpdated', { Accept: 'application/x-ndjson' })
  const recorded = text.split('\n').flatMap((line) => /"id":"([^"]+)"/.exec(line)?.[1] ?? [])
  const ids = () => new Set(receiver.received.map(({ event }) => event.id))
  await until('all', async () => recorded.every((id) => ids().has(id)), 60_000)
  t.true(recorded.length > 100)
  for (const own of Map.groupBy(receiver.received, ({ event }) => event.subject).values()) {
    const first = [...new Set(own.map(({ event }) => String(event.sequence)))]
    t.deepEqual(first, first.toSorted())
  }
  const firstAt = new Map<string, number>()
  for (const [n, { event }] of receiver.received.entries()) {
    const [known, now] = [firstAt.get(event.id), times[n] as number]
    if (known === undefined) firstAt.set(event.id, now)
    else t.true(kills.some((kill) => known <= kill + 1_000 && kill - known <= TWICE_MAX && now > kill))
  }
})
