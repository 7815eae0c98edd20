import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import type { Running } from '../../../http/harness.ts'
import { createSut, NOW } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import { startInstances } from './instances.ts'

const SOON = 20_000

/** Moves the clocks of all instances and lets them look, until something holds. */
const passing = (services: readonly Running[], what: string, holds: () => Promise<boolean>): Promise<void> =>
  until(
    what,
    async () => {
      const now = Math.max(...services.map(({ clock }) => clock.now())) + 1_000
      for (const { clock, tick } of services) {
        clock.set(new Date(now).toISOString())
        tick()
      }
      return holds()
    },
    SOON,
  )

test('two instances probe one SUT and record each change once', async (t) => {
  const { services, log } = await startInstances(t, { now: NOW, count: 2 })
  const [one, other] = services as unknown as readonly [Running, Running]
  const sockets: (() => void)[] = []
  let isUp = true
  const sut = await startSut(t, (socket) => {
    sockets.push(() => socket.destroy())
    if (isUp) socket.write(Buffer.from('0300000b06d00000123400', 'hex'))
    else socket.end('closed')
  })
  const place = { address: '127.0.0.1', port: sut.port, sut_type: 'rdp' }
  const id = await createSut(one.as('admin'), place)
  await one.as('admin').post(`/api/sut/${id}/monitoring`, { enabled: true, interval: 10 })
  const shows = (status: string) => async (): Promise<boolean> => {
    const answers = await Promise.all(services.map((service) => service.as('audrey').get(`/api/sut/${id}`)))
    return answers.every(({ json }) => (json.monitoring as { status: string }).status === status)
  }
  await passing(services, 'online', shows('Online'))
  isUp = false
  await passing(services, 'offline', shows('Offline'))
  isUp = true
  await passing(services, 'online again', shows('Online'))
  const probed = sut.sockets.length
  await passing(services, 'further probes', async () => sut.sockets.length > probed + 6)
  const changes = (await log()).filter(({ type }) => type.startsWith('SutWent'))
  t.deepEqual(
    changes.map(({ type }) => type),
    ['SutWentOnline', 'SutWentOffline', 'SutWentOnline'],
  )
  const [tagOfOne, tagOfOther] = await Promise.all(
    [one, other].map(async (service) => (await service.as('audrey').get(`/api/sut/${id}`)).headers.etag),
  )
  t.deepEqual([tagOfOne, tagOfOther], ['"1.3"', '"1.3"'])
})
