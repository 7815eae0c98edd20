import test from 'ava'
import { aProcess, portFaults, standingsIn } from './port-setting.ts'
import {
  atEveryPoint,
  countOf,
  crashedCreation,
  crashedRetirement,
  type Stage,
  stage,
  typesOf,
} from './store/crash-points.ts'
import { dying, interrupted } from './store/interrupted-store.ts'

/** A SUT is retired in two appends. The next sweep cleans up after any crash, even of a sweep. */

const MINUTE = 60_000

for (const key of ['k', undefined]) {
  test(`a retirement that crashes is completed by a retry ${key ? 'with its key' : 'without a key'}, releasing the port once`, async (t) => {
    const act = async (given: Stage, nth: number): Promise<number> => {
      const { store, clock, log, bystander } = given
      const calls = await crashedRetirement(given, nth)
      await aProcess(store, clock).retire(bystander, key)
      await aProcess(store, clock).sweep()
      t.deepEqual(typesOf(await log()).slice(2), ['SutRetired', 'ListenPortReleased'])
      t.deepEqual(portFaults(await log()), [])
      return calls
    }
    await atEveryPoint(t, act, 4)
  })
}

test('a retirement that crashes at any point is completed by the sweep, releasing the port once', async (t) => {
  const act = async (given: Stage, nth: number): Promise<number> => {
    const { store, clock, log } = given
    const calls = await crashedRetirement(given, nth)
    const isRetired = countOf(await log(), 'SutRetired') === 1
    for (let sweeps = 0; sweeps < 2; sweeps++) await aProcess(store, clock).sweep()
    t.deepEqual(typesOf(await log()).slice(2), isRetired ? ['SutRetired', 'ListenPortReleased'] : [])
    t.deepEqual(portFaults(await log()), [])
    return calls
  }
  await atEveryPoint(t, act, 4)
})

test('a sweep between any two calls of a retirement releases the port once', async (t) => {
  const act = async ({ store, clock, log, bystander }: Stage, nth: number): Promise<number> => {
    const slow = interrupted(store, nth, () => aProcess(store, clock).sweep())
    t.is(await aProcess(slow.store, clock).retire(bystander), 'recorded')
    t.deepEqual(typesOf(await log()).slice(2), ['SutRetired', 'ListenPortReleased'])
    return slow.calls()
  }
  await atEveryPoint(t, act, 4)
})

test('a sweep that crashes at any point is completed by the next', async (t) => {
  const act = async (given: Stage, nth: number): Promise<number> => {
    const { store, clock, log } = given
    await crashedCreation(given, 4)
    await crashedRetirement(given, 3)
    clock.pass(MINUTE + 1)
    const { store: dyingStore, calls } = dying(store, nth)
    await aProcess(dyingStore, clock, store)
      .sweep()
      .catch(() => undefined)
    await aProcess(store, clock).sweep()
    const left = typesOf(await log()).slice(4)
    t.deepEqual(left.toSorted(), ['ListenPortReleased', 'ListenPortReleased', 'SutCreationAbandoned'])
    t.deepEqual(portFaults(await log()), [])
    return calls()
  }
  await atEveryPoint(t, act, 5)
})

test('concurrent sweeps of eight processes clean up everything once', async (t) => {
  const given = await stage(t)
  const { store, clock, log } = given
  await crashedCreation(given, 4)
  await crashedRetirement(given, 3)
  clock.pass(MINUTE + 1)
  await Promise.all(Array.from({ length: 8 }, () => aProcess(store, clock).sweep()))
  t.is((await log()).length, 7)
  t.deepEqual(portFaults(await log()), [])
})

test('two concurrent retries and a sweep leave one SUT with one port', async (t) => {
  for (let round = 0; round < 10; round++) {
    const given = await stage(t)
    const { store, clock, log } = given
    await crashedCreation(given, 4)
    clock.pass(MINUTE + 1)
    const [one, other] = await Promise.all([
      aProcess(store, clock).create('k'),
      aProcess(store, clock).create('k'),
      aProcess(store, clock).sweep(),
    ])
    t.is(one, other)
    await aProcess(store, clock).sweep()
    t.is(countOf(await log(), 'SutCreated'), 2)
    t.deepEqual(portFaults(await log()), [])
  }
})

test('swept ports are reassigned, the longest free first', async (t) => {
  const { store, clock, log, bystander } = await stage(t)
  const portsGiven = async (): Promise<readonly number[]> =>
    (await log()).flatMap((event) => (event.type === 'ListenPortAssigned' ? [event.data.listen_port] : []))
  // A creation leaves 4001 orphaned, then a retirement 4000; 4002 was never used.
  await aProcess(dying(store, 4).store, clock).create()
  clock.pass(MINUTE + 1)
  await aProcess(store, clock).sweep()
  await aProcess(dying(store, 3).store, clock).retire(bystander)
  await aProcess(store, clock).sweep()
  t.is(standingsIn(await log())(bystander), 'retired')
  const last = aProcess(store, clock)
  for (let n = 0; n < 3; n++) await last.create()
  t.deepEqual((await portsGiven()).slice(2), [4002, 4001, 4000])
})

test('a wrong "retired" status in the views does not release the port of an active SUT', async (t) => {
  const { store, clock, log, bystander } = await stage(t)
  await aProcess(store, clock).sweep(() => 'retired')
  t.deepEqual(typesOf(await log()).slice(2), [])
  await aProcess(store, clock).retire(bystander)
  t.is(countOf(await log(), 'ListenPortReleased'), 1)
})
