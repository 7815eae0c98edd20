/** Instances that share only the store. */

import test, { type ExecutionContext } from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import { idOf, type Running } from '../../../http/harness.ts'
import { bearer, begin, statusWith, within } from '../../../http/logins/login.ts'
import { aSut, createSut, NOW } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import { rounds } from '../../../thorough.ts'
import { startInstances } from './instances.ts'

type Two = readonly [Running, Running]

const two = async (t: ExecutionContext) => {
  const { services, ...rest } = await startInstances(t, { now: NOW, count: 2 })
  return { services: services as unknown as Two, ...rest }
}

/** Until an instance knows what another has recorded. */
const KNOWN_WITHIN = 2_000

test('a write on one instance is read on another by its position, which is the same on all', async (t) => {
  const { services, log } = await startInstances(t, { now: NOW })
  const positions: number[] = []
  for (let round = 0; round < rounds(6, 30); round++) {
    const [writer, reader] = [services[round % 3] as Running, services[(round + 1 + (round % 2)) % 3] as Running]
    const made = await writer.as('admin').post('/api/sut/create', aSut({ name: `bench ${round}` }))
    const position = String(made.headers['berth-position'])
    positions.push(Number(position))
    const after = { 'Berth-After': position }
    const list = await reader.as('bob').get('/api/sut?limit=1', after)
    t.deepEqual(list.json.suts, [made.json])
    t.is(list.headers['berth-position'], position)
    // By id it is found at once, also without its position.
    t.is((await reader.as('bob').get(String(made.headers.location))).text, made.text)
  }
  t.deepEqual(
    positions,
    (await log()).flatMap(({ type }, position) => (type === 'SutCreated' ? [position] : [])),
  )
})

const becomes = (status: number, ask: () => Promise<number>): Promise<void> =>
  until(`the status ${status}`, async () => (await ask()) === status, KNOWN_WITHIN)

test('a token is good on every instance, and once revoked on one it is refused on the others within 2 s', async (t) => {
  const { services, log } = await two(t)
  const issue = async (at: Running) => {
    const { json } = await at.as('alice').post('/api/user/me/token', { name: 'shared' })
    const headers = { Authorization: `Bearer ${json.token}` }
    return { id: json._id, statusAt: async ({ anyone }: Running) => (await anyone.get('/api/user/me', headers)).status }
  }
  for (const [one, other] of [services, services.toReversed() as unknown as Two]) {
    const { id, statusAt } = await issue(one)
    await becomes(200, () => statusAt(other))
    t.is((await one.as('alice').post(`/api/user/me/token/${id}/revoke`, {})).status, 200)
    t.is(await statusAt(one), 401)
    await becomes(401, () => statusAt(other))
  }
  // Those of a removed user stay refused once it is restored.
  const [one, other] = services
  const { statusAt } = await issue(other)
  const path = `/api/user/${idOf('alice')}`
  t.is((await one.as('admin').post(`${path}/remove`, { reservations: 'keep' })).status, 200)
  await becomes(401, () => statusAt(other))
  t.is((await one.as('admin').post(`${path}/restore`, {})).status, 200)
  await becomes(200, async () => (await other.as('alice').get('/api/user/me')).status)
  for (const service of services) t.is(await statusAt(service), 401)
  t.is((await log()).filter(({ type }) => type === 'TokenRevoked').length, 3)
})

test('a session is good on every instance at once, and after a logout at one refused at the others within 2 s', async (t) => {
  const { services } = await two(t)
  for (const [one, other] of [services, services.toReversed() as unknown as Two]) {
    const session = await begin(one, 'alice')
    t.is(await statusWith(other, session), 200)
    t.is((await within(other, session).post('/api/logout', {})).status, 200)
    t.is(await statusWith(other, session), 401)
    await becomes(401, () => statusWith(one, session))
    t.is(await statusWith(other, session), 401)
  }
})

test('thorough: a session that began after a logout everywhere at another instance is good at once', async (t) => {
  const [one, other] = (await two(t)).services
  for (let round = 0; round < 5; round++) {
    const before = await begin(other, 'alice')
    t.is((await one.anyone.post('/api/logout', { everywhere: true }, bearer(before))).status, 200)
    const session = await begin(one, 'alice')
    t.is(await statusWith(other, session), 200, 'it reads what it did not know')
    await becomes(401, () => statusWith(other, before))
  }
})

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
    20_000,
  )

test('two instances probe one SUT and record each change once', async (t) => {
  const { services, log } = await two(t)
  let isUp = true
  const sut = await startSut(t, (socket) => {
    if (isUp) socket.write(Buffer.from('0300000b06d00000123400', 'hex'))
    else socket.end('closed')
  })
  const admin = services[0].as('admin')
  const id = await createSut(admin, { address: '127.0.0.1', port: sut.port, sut_type: 'rdp' })
  await admin.post(`/api/sut/${id}/monitoring`, { enabled: true, interval: 10 })
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
  const changes = (await log()).map(({ type }) => type).filter((type) => type.startsWith('SutWent'))
  t.deepEqual(changes, ['SutWentOnline', 'SutWentOffline', 'SutWentOnline'])
})
