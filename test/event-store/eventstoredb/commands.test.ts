import test, { type ExecutionContext } from 'ava'
import { BEGINNING, type EventStore } from '../../../src/event-store/event-store.ts'
import { aClock, aProcess, portFaults } from '../../commands/port-setting.ts'
import { anInstance } from '../../commands/setting.ts'
import { typesOf } from '../../commands/store/crash-points.ts'
import { dying } from '../../commands/store/interrupted-store.ts'
import { explicit } from '../../domain/builders.ts'
import type { Running } from '../../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../../http/requests.ts'
import { readLog } from '../new-events.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { aServer } from './server-and-client.ts'
import { openAdapter, startInstances } from './service/instances.ts'

/** Cached states, refusals on stale states, creation in two appends, idempotency keys. */

const MINUTE = 60_000

const countsOf = ({ counters }: ProtocolServer) => ({ appends: counters.appends, reads: counters.reads })

const processes = async (t: ExecutionContext) => {
  const server = await aServer(t)
  const [one, other] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  return { server, one, other, log: () => readLog(other, BEGINNING) }
}

test('an accepted command on a cached stream costs one append and no read', async (t) => {
  const { server, one } = await processes(t)
  const instance = anInstance(one)
  const sut = await instance.aSut()
  t.is(await instance.reserve(sut, explicit('08:00', '09:00')), 'made')
  const { appends, reads } = countsOf(server)
  for (let i = 0; i < 20; i++) {
    const hour = String(9 + Math.floor(i / 2)).padStart(2, '0')
    const [from, to] = i % 2 === 0 ? ['00', '15'] : ['30', '45']
    t.is(await instance.reserve(sut, explicit(`${hour}:${from}`, `${hour}:${to}`)), 'made')
  }
  t.is(await instance.describe(sut, 'another'), 'recorded')
  t.deepEqual(countsOf(server), { appends: appends + 21, reads })
})

test('an accepted HTTP reservation of a cached SUT costs one append and no read', async (t) => {
  const { server, services } = await startInstances(t, { now: NOW, count: 1 })
  const [service] = services as readonly [Running]
  const sut = await createSut(service.as('admin'))
  const ask = (hour: number) => {
    const time = (minute: string) => `2030-05-03T${String(hour).padStart(2, '0')}:${minute}:00Z`
    return reserved(service.as('alice'), aReservation(sut, { start_time: time('00'), end_time: time('15') }))
  }
  await ask(0)
  const round = async (first: number) => {
    const before = countsOf(server)
    const made = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(first + i)))
    t.is(made.length, 10)
    const { appends, reads } = countsOf(server)
    return { appends: appends - before.appends, reads: reads - before.reads }
  }
  const rounds = [await round(1), await round(11)]
  // Checking the secrets after startup also reads, once.
  t.true(rounds.some(({ reads }) => reads === 0))
  t.deepEqual(
    rounds.map(({ appends }) => appends),
    [10, 10],
  )
})

test('a refusal, or a command without effect, costs one read and no append', async (t) => {
  const { server, one } = await processes(t)
  const instance = anInstance(one)
  const sut = await instance.aSut()
  await instance.reserve(sut, explicit('08:00', '09:00'))
  await instance.describe(sut, 'another')
  const { appends, reads } = countsOf(server)
  t.is(await instance.reserve(sut, explicit('08:30', '09:30')), 'reservation_conflict')
  t.is(await instance.describe(sut, 'another'), 'already')
  t.deepEqual(countsOf(server), { appends, reads: reads + 2 })
})

test('a refusal is decided again with the events of other instances', async (t) => {
  const { one, other } = await processes(t)
  const [first, second] = [anInstance(one), anInstance(other)]
  const sut = await first.aSut()
  t.is(await second.describe(sut, 'one'), 'recorded')
  t.is(await first.describe(sut, 'two'), 'recorded')
  // By the cached state of the second instance, this has no effect.
  t.is(await second.describe(sut, 'one'), 'recorded')
  t.is(await first.reserve(sut, explicit('08:00', '09:00')), 'made')
  t.is(await second.reserve(sut, explicit('08:30', '08:45')), 'reservation_conflict')
})

test('an acceptance on a stale state conflicts at its append and is decided again', async (t) => {
  const { server, one, other, log } = await processes(t)
  const [first, second] = [anInstance(one), anInstance(other)]
  const sut = await first.aSut()
  t.is(await second.reserve(sut, explicit('06:00', '06:15')), 'made')
  t.is(await first.reserve(sut, explicit('08:00', '09:00')), 'made')
  const { appends, reads } = countsOf(server)
  t.is(await second.reserve(sut, explicit('10:00', '11:00')), 'made')
  t.deepEqual(countsOf(server), { appends: appends + 2, reads: reads + 1 })
  t.is(await first.reserve(sut, explicit('10:30', '10:45')), 'reservation_conflict')
  t.is((await log()).length, 4)
})

/** A process that dies at the nth store call while creating a SUT with an idempotency key. */
const crashed = async (store: EventStore, clock: ReturnType<typeof aClock>, nth: number) => {
  await aProcess(dying(store, nth).store, clock).create('k')
}

for (let nth = 1; nth <= 5; nth++) {
  test(`a creation whose instance dies at store call ${nth} is completed by another, with its id, time and port`, async (t) => {
    const { one, other, log } = await processes(t)
    const clock = aClock()
    await crashed(one, clock, nth)
    const [assigned] = await log()
    clock.pass(MINUTE / 2)
    const successor = aProcess(other, clock)
    await successor.sweep()
    const id = await successor.create('k')
    const events = await log()
    t.deepEqual(typesOf(events), ['ListenPortAssigned', 'SutCreated'])
    if (assigned?.type === 'ListenPortAssigned') {
      t.is(id, assigned.data.sut_id)
      t.is(events[1]?.metadata.time, assigned.metadata.time)
    }
    t.is(await aProcess(one, clock).create('k'), id)
    t.is((await log()).length, 2)
    t.deepEqual(portFaults(events), [])
  })
}

test('the sweep of another instance abandons an unfinished creation and releases its port', async (t) => {
  const { one, other, log } = await processes(t)
  const clock = aClock()
  await crashed(one, clock, 4)
  t.deepEqual(typesOf(await log()), ['ListenPortAssigned'])
  clock.pass(MINUTE + 1)
  await aProcess(other, clock).sweep()
  t.deepEqual(typesOf(await log()), ['ListenPortAssigned', 'SutCreationAbandoned', 'ListenPortReleased'])
  // A retry starts over and creates one SUT.
  const id = await aProcess(one, clock).create('k')
  t.is(await aProcess(other, clock).create('k'), id)
  const events = await log()
  t.deepEqual(typesOf(events).slice(3), ['ListenPortAssigned', 'SutCreated'])
  t.deepEqual(portFaults(events), [])
})

test('concurrent retries and sweeps of two instances leave one SUT with one port', async (t) => {
  const { one, other, log } = await processes(t)
  const clock = aClock()
  await crashed(one, clock, 4)
  clock.pass(MINUTE + 1)
  const [first, second] = [aProcess(one, clock), aProcess(other, clock)]
  const [a, b] = await Promise.all([first.create('k'), second.create('k'), first.sweep(), second.sweep()])
  t.is(a, b)
  await second.sweep()
  const events = await log()
  t.is(typesOf(events).filter((type) => type === 'SutCreated').length, 1)
  t.deepEqual(portFaults(events), [])
})

test('an idempotency key works on an instance that has not cached its stream', async (t) => {
  const { one, other, log } = await processes(t)
  const clock = aClock()
  const first = aProcess(one, clock)
  const id = await first.create('k')
  t.is(await aProcess(other, clock).create('k'), id)
  t.is(await first.retire(id, 'r'), 'recorded')
  t.is(await aProcess(other, clock).retire(id, 'r'), 'repeated')
  t.deepEqual(typesOf(await log()), ['ListenPortAssigned', 'SutCreated', 'SutRetired', 'ListenPortReleased'])
})
