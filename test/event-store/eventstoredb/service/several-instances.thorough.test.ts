import test, { type ExecutionContext } from 'ava'
import type { Answer, Headers } from '../../../http/client.ts'
import type { Running } from '../../../http/harness.ts'
import { race } from '../../../http/races/race.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../../../http/requests.ts'
import { makeRandom } from '../../../process/random.ts'
import { rounds } from '../../../thorough.ts'
import { startInstances } from './instances.ts'

/** Three instances that share only the store. */

type Three = readonly [Running, Running, Running]

const three = async (t: ExecutionContext) => {
  const { services, ...rest } = await startInstances(t, { now: NOW })
  return { services: services as unknown as Three, ...rest }
}

const random = makeRandom(20_300_502)

test('thorough: of six clients racing for one window through three instances, exactly one gets it', async (t) => {
  const { services, log } = await startInstances(t)
  const count = 200
  const tally = await race({ services, clients: 6, rounds: count, pick: random.below })
  t.deepEqual(tally, { accepted: count, refused: 5 * count, faults: [] })
  t.is((await log()).filter(({ type }) => type === 'ReservationCreated').length, count)
})

/** A response without headers specific to its request. */
const lasting = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = headers
  return { status, headers: others, text }
}

const key = (name: string): Headers => ({ 'Idempotency-Key': name })

/** Each POST that takes an idempotency key, sent to a given instance. */
const POSTS: Readonly<
  Record<string, (t: ExecutionContext, first: Running) => Promise<(at: Running, key: Headers) => Promise<Answer>>>
> = {
  ReservationCreated: async (_, first) => {
    const sut = await createSut(first.as('admin'))
    return (at, headers) => reserve(at.as('alice'), aReservation(sut), headers)
  },
  SutCreated: async () => (at, headers) => at.as('admin').post('/api/sut/create', aSut({ name: 'twice' }), headers),
  ReservationCancelled: async (_, first) => {
    const sut = await createSut(first.as('admin'))
    const { location } = (await reserved(first.as('alice'), aReservation(sut))).headers
    return (at, headers) => at.as('alice').request('POST', `${location}/cancel`, headers)
  },
}

for (const [type, prepare] of Object.entries(POSTS)) {
  test(`${type === 'ReservationCreated' ? '' : 'thorough: '}an idempotency key sent to three instances at once is recorded once with equal responses: ${type}`, async (t) => {
    const { services, log } = await three(t)
    for (let round = 0; round < rounds(3, 10); round++) {
      const ask = await prepare(t, services[0])
      const before = (await log()).length
      const answers = await Promise.all(services.map((service) => ask(service, key(`k${round}`))))
      const later = await ask(services[round % 3] as Running, key(`k${round}`))
      const recorded = (await log()).slice(before)
      t.is(recorded.filter((row) => row.type === type).length, 1)
      t.is(recorded.length, type === 'SutCreated' ? 2 : 1)
      t.true([200, 201].includes(later.status), later.text)
      for (const answer of answers) t.deepEqual(lasting(answer), lasting(later))
    }
  })
}

test('a write on one instance is read on another by its position, which is the same on all', async (t) => {
  const { services, log } = await three(t)
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
    t.is((await reader.as('bob').get(String(made.headers.location), after)).text, made.text)
  }
  const rows = await log()
  t.deepEqual(
    positions,
    rows.flatMap(({ type }, position) => (type === 'SutCreated' ? [position] : [])),
  )
})

test('an object created on another instance is found by id at once, without a position', async (t) => {
  const { services } = await three(t)
  for (let round = 0; round < rounds(6, 30); round++) {
    const [writer, reader] = [services[round % 3] as Running, services[(round + 1) % 3] as Running]
    const sut = await createSut(writer.as('admin'))
    t.is((await reader.as('alice').get(`/api/sut/${sut}`)).status, 200)
    const made = await reserved(writer.as('alice'), aReservation(sut))
    t.is((await reader.as('bob').get(String(made.headers.location))).text, made.text)
  }
  t.is((await services[0].as('alice').get(`/api/sut/${'6b'.padEnd(24, '0')}`)).status, 404)
})

test('thorough: every SUT has a unique port, whichever instance created it', async (t) => {
  const { services, log } = await three(t)
  const made = Array.from({ length: 60 }, (_, i) => createSut((services[i % 3] as Running).as('admin')))
  const ids = await Promise.all(made)
  const assigned = (await log()).filter(({ type }) => type === 'ListenPortAssigned').map(({ data }) => data)
  t.deepEqual(assigned.map(({ sut_id }) => sut_id).sort(), [...ids].sort())
  t.is(new Set(assigned.map(({ listen_port }) => listen_port)).size, ids.length)
})

test('thorough: a SUT retired on one instance cannot be reserved on the others', async (t) => {
  const { services } = await three(t)
  const sut = await createSut(services[0].as('admin'))
  for (const service of services) {
    const { location } = (await reserved(service.as('alice'), aReservation(sut))).headers
    await service.as('alice').request('POST', `${location}/cancel`)
  }
  t.is((await services[0].as('admin').request('POST', `/api/sut/${sut}/retire`)).status, 200)
  for (const service of services) {
    const refused = await reserve(service.as('alice'), aReservation(sut))
    t.deepEqual([refused.status, refused.json.code], [410, 'sut_retired'])
  }
})
