/** Instances on one log: one delivers, and another takes over from one that falls silent. */

import test from 'ava'
import { startInstances } from '../../event-store/eventstoredb/service/instances.ts'
import { type Running, start } from '../../http/harness.ts'
import { createSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { receive, type Shown } from './receiver.ts'

test('of two instances one delivers; the other takes over after 30 s, and nothing is left out or out of order', async (t) => {
  const receiver = await receive(t)
  let boot = 1_000_000
  const { services, server, environment } = await startInstances(t, { count: 2, sinceBoot: () => boot })
  const [one, other] = services as [Running, Running]
  const sut = await createSut(one.as('admin'))
  const made = await one.as('admin').post('/api/webhook/create', { url: receiver.url, types: ['SutUpdated'] })
  const change = async (service: Running, n: number) => {
    const { status } = await service.as('admin').post(`/api/sut/${sut}/update`, { description: String(n) })
    t.is(status, 200)
  }
  const look = async (seconds: number, ...running: readonly Running[]) => {
    boot += seconds * 1_000
    for (const service of running) service.tick()
  }
  const hookAt = (service: Running) => service.as('admin').get(`/api/webhook/${made.json._id}`)
  const shownAt = async (service: Running) => (await hookAt(service)).json as unknown as Shown
  const isSeen = (service: Running) => until('the webhook', async () => (await hookAt(service)).status === 200, 10_000)
  const numbers = () => receiver.received.map(({ event }) => (event.data as { description: string }).description)
  await isSeen(other)
  for (const n of [1, 2, 3]) {
    await change(n % 2 === 0 ? one : other, n)
    await look(1, one, other)
    await receiver.takes(n)
  }
  t.deepEqual(numbers(), ['1', '2', '3'])
  // What the first has recorded, the second takes up.
  await until(
    'progress',
    async () => {
      await look(10, one, other)
      return (await shownAt(other)).position === (await shownAt(one)).position
    },
    10_000,
  )
  await one.stop()
  for (const n of [4, 5]) await change(other, n)
  await look(1, other)
  await until('waits', async () => (await shownAt(other)).lag > 0, 10_000)
  await look(28, other)
  t.is(receiver.received.length, 3)
  await look(2, other)
  await receiver.takes(5)
  await until(
    'recorded',
    async () => {
      await look(10, other)
      return (await other.as('admin').get('/api/events?type=WebhookAdvanced&limit=1000')).text.includes('"position"')
    },
    10_000,
  )
  // The first comes back, and does not deliver what the second has or will.
  const again = await start(t, {
    ...{ data: one.data, sinceBoot: () => boot },
    environment: { ...environment, BERTH_EVENT_STORE: `${server.address}&keepAliveInterval=10900` },
  })
  await until('ready', async () => (await again.anyone.get('/health/ready')).status === 200, 30_000)
  await isSeen(again)
  await change(again, 6)
  await look(1, again, other)
  await receiver.takes(6)
  await look(1, again, other)
  t.deepEqual(numbers(), ['1', '2', '3', '4', '5', '6'])
})
