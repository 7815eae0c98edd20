import test from 'ava'
import { releasePort } from '../../../src/commands/listen-ports.ts'
import { aProcess, portFaults, RANGE, SWEEPER } from '../port-setting.ts'
import { atEveryPoint, countOf, crashedCreation, type Stage, stage, typesOf } from './crash-points.ts'
import { dying, interrupted } from './interrupted-store.ts'

/** A SUT is created in two appends. These tests crash between them, and check retries and sweeps. */

const SECOND = 1000
const MINUTE = 60 * SECOND

test('a creation that crashes at any point is completed by a retry with the same id, time and port', async (t) => {
  const act = async (given: Stage, nth: number): Promise<number> => {
    const { store, clock, log } = given
    const { calls, assigned } = await crashedCreation(given, nth)
    clock.pass(30 * SECOND)
    const other = aProcess(store, clock)
    await other.sweep()
    const id = await other.create('k')
    const created = (await log()).filter((event) => event.type === 'SutCreated').at(-1)
    t.is(created?.data._id, id)
    if (assigned !== undefined) {
      t.is(id, assigned.data.sut_id)
      t.is(created?.metadata.time, assigned.metadata.time)
      t.is(created?.data.listen_port, assigned.data.listen_port)
    }
    // Another retry returns the same SUT.
    t.is(await aProcess(store, clock).create('k'), id)
    t.deepEqual([countOf(await log(), 'ListenPortAssigned'), countOf(await log(), 'SutCreated')], [2, 2])
    clock.pass(2 * MINUTE)
    await other.sweep()
    t.is((await log()).length, 4)
    t.deepEqual(portFaults(await log()), [])
    return calls
  }
  await atEveryPoint(t, act, 4)
})

test('a creation retried after the sweep starts over, and the first port is released', async (t) => {
  const act = async (given: Stage, nth: number): Promise<number> => {
    const { store, clock, log } = given
    const { calls, assigned } = await crashedCreation(given, nth)
    const isOpen = assigned !== undefined && countOf(await log(), 'SutCreated') === 1
    clock.pass(MINUTE + 1)
    const other = aProcess(store, clock)
    await other.sweep()
    const closed = (await log()).slice(isOpen ? -2 : (await log()).length)
    t.deepEqual(typesOf(closed), isOpen ? ['SutCreationAbandoned', 'ListenPortReleased'] : [])
    for (const { metadata } of closed) t.deepEqual([metadata.actor, metadata.role], [SWEEPER, 'system'])
    t.deepEqual(portFaults(await log()), [])
    const id = await other.create('k')
    if (assigned !== undefined) t.is(id === assigned.data.sut_id, !isOpen)
    t.is(await aProcess(store, clock).create('k'), id)
    t.is(countOf(await log(), 'SutCreated'), 2)
    t.deepEqual(portFaults(await log()), [])
    return calls
  }
  await atEveryPoint(t, act, 4)
})

test('repeated crashes lose no port: every port can still be assigned', async (t) => {
  const { store, clock, log } = await stage(t)
  for (let round = 0; round < 3; round++) {
    for (let nth = 1; nth <= 4; nth++) {
      await aProcess(dying(store, nth).store, clock).create()
      clock.pass(MINUTE + 1)
      await aProcess(store, clock).sweep()
      t.deepEqual(portFaults(await log()), [])
    }
  }
  const last = aProcess(store, clock)
  for (let port = RANGE.first; port < RANGE.last; port++) t.regex(await last.create(), /^[0-9a-f]{24}$/)
  t.is(await last.create(), 'listen_ports_exhausted')
  t.deepEqual(portFaults(await log()), [])
})

test('a sweep abandons an unfinished creation only after a minute', async (t) => {
  const { store, clock, log } = await stage(t)
  await aProcess(dying(store, 4).store, clock).create('k')
  t.deepEqual(typesOf(await log()).slice(2), ['ListenPortAssigned'])
  const other = aProcess(store, clock)
  for (const milliseconds of [0, 59 * SECOND, SECOND]) {
    clock.pass(milliseconds)
    await other.sweep()
    t.is((await log()).length, 3)
  }
  clock.pass(1)
  await other.sweep()
  t.is((await log()).length, 5)
})

test('a creation abandoned at any point starts over with a new id', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const other = aProcess(store, clock)
    const slow = interrupted(store, nth, async () => {
      clock.pass(MINUTE + 1)
      await other.sweep()
    })
    const id = await aProcess(slow.store, clock, store).create('k')
    const created = (await log()).flatMap((event) => (event.type === 'SutCreated' ? [event.data._id] : []))
    t.is(created.at(-1), id)
    const abandoned = (await log()).flatMap((event) => (event.type === 'SutCreationAbandoned' ? [event.data._id] : []))
    t.false(abandoned.includes(id))
    t.is(await other.create('k'), id)
    t.deepEqual(portFaults(await log()), [])
    return slow.calls()
  }
  await atEveryPoint(t, act, 4)
})

test('control: a sweep that releases the port without abandoning the creation is detected', async (t) => {
  const { store, clock, log } = await stage(t)
  const other = aProcess(store, clock)
  const slow = interrupted(store, 4, async () => {
    const assigned = (await log()).at(-1)
    if (assigned?.type === 'ListenPortAssigned') await releasePort(other.runner, assigned.data.sut_id, 'sweep')
  })
  await aProcess(slow.store, clock).create()
  t.not(portFaults(await log()).length, 0)
})

test('a sweep does not abandon a SUT that the views do not know yet', async (t) => {
  const { store, clock, log } = await stage(t)
  clock.pass(10 * MINUTE)
  await aProcess(store, clock).sweep(() => undefined)
  t.is((await log()).length, 2)
})
