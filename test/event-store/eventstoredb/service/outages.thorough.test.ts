/** Outages of the store while the service runs. */

import test, { type ExecutionContext } from 'ava'
import { aReservation, aSut, createSut, reserve } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import type { ProtocolServer } from '../protocol/protocol-server.ts'
import { aServer } from '../server-and-client.ts'
import { aReadyService, escapedErrors, isAgainInTime, readinessOf, ready, recordedOf } from './outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

type Act = (server: ProtocolServer) => unknown

const outages: Readonly<Record<string, readonly [leave: Act, comeBack: Act]>> = {
  'was down': [(server) => server.stop(), (server) => server.start()],
  'was restarted': [() => undefined, (server) => server.restart()],
  'was frozen': [(server) => server.freeze(), (server) => server.thaw()],
  'was not ready': [(server) => server.setReady(false), (server) => server.setReady(true)],
  'reset its connections': [() => undefined, (server) => server.dropConnections()],
}

for (const [how, [leave, comeBack]] of Object.entries(outages)) {
  test.serial(
    `${how === 'was down' ? '' : 'thorough: '}after the store ${how}, the service recovers within 2 s and answers all waiting requests`,
    async (t) => {
      const { server, service } = await aReadyService(t)
      const admin = service.as('admin')
      await createSut(admin)
      await leave(server)
      const meanwhile = Array.from({ length: 20 }, () => admin.post('/api/sut/create', aSut()))
      // When this is answered (without the store), all earlier requests are being processed.
      await admin.get('/api/sut?limit=1')
      await comeBack(server)
      await isAgainInTime(t, service)
      const answers = await Promise.all(meanwhile)
      t.deepEqual([...new Set(answers.map(({ status: code }) => code))], [201])
      const recorded = (await recordedOf(t, server, 'SutCreated')).map(({ data }) => data._id)
      t.is(new Set(recorded).size, 22)
      t.true(answers.every(({ json }) => recorded.includes(json._id)))
      const after = { 'Berth-After': String(answers[0]?.headers['berth-position']) }
      t.is(((await admin.get('/api/sut?limit=100', after)).json.suts as readonly unknown[]).length, 22)
    },
  )
}

/** Two nodes of a cluster, the first of them the leader. The address names both, or only the first. */
const twoNodes = async (t: ExecutionContext, namesBoth = true) => {
  const other = await aServer(t)
  const first = await aServer(t, { log: other.log })
  const hosts = [first, ...(namesBoth ? [other] : [])].map(({ endpoint }) => `127.0.0.1:${endpoint.port}`)
  other.setLeader(first.endpoint)
  const address = `esdb://${hosts.join()}?tls=false&keepAliveInterval=10020`
  return { ...(await aReadyService(t, { address })), first, other }
}

test.serial('after a change of leader, the service recovers within 2 s', async (t) => {
  const { service, first, other } = await twoNodes(t)
  const sut = await createSut(service.as('admin'))
  t.true(first.counters.appends > 0)
  first.setLeader(other.endpoint)
  other.setLeader(undefined)
  await isAgainInTime(t, service)
  t.true(other.counters.appends > 0)
  t.is((await reserve(service.as('alice'), aReservation(sut))).status, 201)
})

test.serial('after the leader is lost, the service moves to the next one without losses or duplicates', async (t) => {
  const { service, first, other } = await twoNodes(t)
  const sut = await createSut(service.as('admin'))
  first.faultAppends({ how: 'lost-silent', when: ({ types }) => types.includes('ReservationCreated') })
  const written = Promise.withResolvers<void>()
  t.teardown(first.log.watch(written.resolve))
  const attempt = reserve(service.as('alice'), aReservation(sut))
  await written.promise
  await first.stop()
  other.setLeader(undefined)
  await isAgainInTime(t, service)
  t.is((await attempt).status, 201)
  t.is((await recordedOf(t, other, 'ReservationCreated')).length, 1)
})

test.serial(
  'thorough: after the leader froze, the service is ready once it creates and reads at the next one',
  async (t) => {
    const { service, first, other } = await twoNodes(t)
    const admin = service.as('admin')
    await createSut(admin)
    const isReady = async () => (await readinessOf(service)).status === 200
    first.freeze()
    const ask = () => admin.post('/api/sut/create', aSut({ name: 'meanwhile' }), { 'Idempotency-Key': 'meanwhile' })
    const meanwhile = ask()
    await until('not ready', async () => !(await isReady()), 60_000)
    other.setLeader(undefined)
    await ready(service)
    for (let n = 0; n < 3; n++) {
      await isAgainInTime(t, service)
      t.true(await isReady())
    }
    // On a busy machine its own ten seconds may pass first: then it is sent again with its key.
    const answer = await meanwhile
    t.is((answer.status === 503 ? await ask() : answer).status, 201)
    const made = (await recordedOf(t, other, 'SutCreated')).filter(({ data }) => data.name === 'meanwhile')
    t.is(made.length, 1)
  },
)

test.serial('thorough: the address of a single follower leads the service to the leader', async (t) => {
  const { service, first, other } = await twoNodes(t, false)
  first.setLeader(other.endpoint)
  other.setLeader(undefined)
  await isAgainInTime(t, service)
  t.true(other.counters.appends > 0)
})
