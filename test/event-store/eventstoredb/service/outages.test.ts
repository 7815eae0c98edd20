import { status } from '@grpc/grpc-js'
import test from 'ava'
import { aReservation, aSut, createSut, reserve, reserved } from '../../../http/requests.ts'
import { until } from '../../../http/until.ts'
import type { ProtocolServer } from '../protocol/protocol-server.ts'
import { failure, notReady } from '../protocol/wire.ts'
import { aServer, exhausted } from '../server-and-client.ts'
import { AGAIN_WITHIN, aReadyService, escapedErrors, recordedOf, sentencesOf, serviceAgain } from './outage.ts'

/** A store that goes away while the service runs, in every way, and comes back. */

test.after.always('no error has escaped', (t) => t.deepEqual(escapedErrors(), []))

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
    `after a store ${how} the service works again within 2 s, and whoever asked meanwhile is answered`,
    async (t) => {
      const { server, service } = await aReadyService(t)
      const admin = service.as('admin')
      await createSut(admin)
      await leave(server)
      const meanwhile = Array.from({ length: 20 }, () => admin.post('/api/sut/create', aSut()))
      // What came before this has been taken in hand when it is answered, which the store is not needed for.
      await admin.get('/api/sut?limit=1')
      await comeBack(server)
      const gap = await serviceAgain(service)
      t.log(`${Math.round(gap)} ms`)
      t.true(gap < AGAIN_WITHIN, `${gap} ms`)
      const answers = await Promise.all(meanwhile)
      t.deepEqual([...new Set(answers.map(({ status: code }) => code))], [201])
      const ids = (await recordedOf(t, server, 'SutCreated')).map(({ data }) => data._id)
      t.is(new Set(ids).size, 22)
      t.deepEqual(
        answers.map(({ json }) => json._id).filter((id) => !ids.includes(id as string)),
        [],
      )
      const list = await admin.get('/api/sut?limit=100', {
        'Berth-After': String(answers[0]?.headers['berth-position']),
      })
      t.is((list.json.suts as readonly unknown[]).length, 22)
    },
  )
}

const endings = {
  CANCELLED: failure(status.CANCELLED, 'The operation was cancelled.'),
  UNAVAILABLE: failure(status.UNAVAILABLE, 'Server Is Shutting Down'),
  INTERNAL: failure(status.INTERNAL, 'Received RST_STREAM with code 2'),
  ABORTED: failure(status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live'),
  RESOURCE_EXHAUSTED: exhausted,
  'not ready': notReady(),
  UNKNOWN: failure(status.UNKNOWN, 'Exception was thrown by handler.'),
}

for (const [how, ending] of Object.entries(endings)) {
  test(`views whose subscription ended with ${how}, again and again, go on with every event once`, async (t) => {
    const { server, service } = await aReadyService(t)
    const admin = service.as('admin')
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      server.endSubscriptions(ending)
      server.failNext('subscription', ending)
      ids.push(await createSut(admin, { name: `bench ${i}` }))
    }
    const list = await admin.get('/api/sut?limit=100')
    t.deepEqual((list.json.suts as readonly { _id: string }[]).map(({ _id }) => _id).toSorted(), ids.toSorted())
    // The upgrade of the log, and one port and one SUT each: what the views count is what the log has, from 0 on.
    const position = async () => Number((await admin.get('/api/sut')).headers['berth-position'])
    await until('all', async () => (await position()) === 10, 5_000)
    t.is((await recordedOf(t, server, 'SutCreated')).length, 5)
  })
}

test.serial('a store that is asked too much of is asked again, for reads and subscriptions too', async (t) => {
  const { server, service } = await aReadyService(t)
  server.failNext('read', exhausted, 4)
  server.failNext('append', exhausted, 4)
  server.failNext('subscription', exhausted, 4)
  server.endSubscriptions(exhausted)
  t.true((await serviceAgain(service)) < AGAIN_WITHIN)
})

const twoNodes = async (t: Parameters<typeof aServer>[0], isDiscovered: boolean) => {
  const other = await aServer(t)
  const hosts = (port: number) => (isDiscovered ? `127.0.0.1:${port},127.0.0.1:${other.endpoint.port}` : '')
  const first = await aServer(t, { log: other.log })
  const { port } = first.endpoint
  const address = isDiscovered
    ? `esdb://${hosts(port)}?tls=false&keepAliveInterval=10020`
    : `${first.address}&keepAliveInterval=10020`
  other.setLeader(first.endpoint)
  const given = await aReadyService(t, { address })
  return { ...given, first, other }
}

test.serial('when another node becomes the leader it is found, and the service goes on within 2 s', async (t) => {
  const { service, first, other } = await twoNodes(t, true)
  const sut = await createSut(service.as('admin'))
  t.true(first.counters.classicAppends > 0)
  first.setLeader(other.endpoint)
  other.setLeader(undefined)
  const gap = await serviceAgain(service)
  t.true(gap < AGAIN_WITHIN, `${gap} ms`)
  t.true(other.counters.classicAppends > 0)
  t.is((await reserve(service.as('alice'), aReservation(sut))).status, 201)
})

test.serial(
  'when the leader is lost, appends and views go to the next one, and nothing is lost or recorded twice',
  async (t) => {
    const { service, first, other } = await twoNodes(t, true)
    const sut = await createSut(service.as('admin'))
    first.faultAppends({ how: 'lost-silent', when: ({ types }) => types.includes('ReservationCreated') })
    const written = Promise.withResolvers<void>()
    t.teardown(first.log.watch(written.resolve))
    const attempt = reserve(service.as('alice'), aReservation(sut))
    await written.promise
    await first.stop()
    other.setLeader(undefined)
    const gap = await serviceAgain(service)
    t.log(`${Math.round(gap)} ms`)
    t.true(gap < AGAIN_WITHIN, `${gap} ms`)
    t.is((await attempt).status, 201)
    t.is((await recordedOf(t, other, 'ReservationCreated')).length, 1)
  },
)

test.serial('an address that names one node which does not lead is led on to the leader', async (t) => {
  const { service, first, other } = await twoNodes(t, false)
  first.setLeader(other.endpoint)
  other.setLeader(undefined)
  const gap = await serviceAgain(service)
  t.true(gap < AGAIN_WITHIN, `${gap} ms`)
  t.true(other.counters.classicAppends > 0)
})

test('under a crowd of requests to a node that hangs, few are sent at a time, and all are answered when it goes on', async (t) => {
  const { server, service } = await aReadyService(t)
  const admin = service.as('admin')
  const sut = await createSut(admin)
  await reserved(service.as('alice'), aReservation(sut))
  server.freeze()
  const { classicAppends, reads } = server.counters
  const crowd = Array.from({ length: 200 }, () => admin.post('/api/sut/create', aSut()))
  const many = () => server.counters.classicAppends - classicAppends + server.counters.reads - reads
  await until('asked', async () => many() > 0, 5_000)
  t.true(many() <= 100, `${many()}`)
  server.thaw()
  const answers = await Promise.all(crowd)
  t.deepEqual([...new Set(answers.map(({ status: code }) => code))], [201])
  t.true((await serviceAgain(service)) < AGAIN_WITHIN)
  t.false(sentencesOf(service.log).includes('a request failed'))
})
