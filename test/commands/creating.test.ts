/** SUTs are created, imported and retired in two appends. What crashes between them is finished by a retry or a sweep. */

import test from 'ava'
import type { Recorded } from '../../src/domain/event.ts'
import { aProcess, atEveryPoint, NAMES, portFaults, RANGE, stage, standingsIn, typesOf } from './port-setting.ts'
import { dying, interrupted } from './store/interrupted-store.ts'

const DAY = 86_400_000

const created = (log: readonly Recorded[]) => log.flatMap((event) => (event.type === 'SutCreated' ? [event] : []))
const assigned = (log: readonly Recorded[]) =>
  log.flatMap((event) => (event.type === 'ListenPortAssigned' ? [event] : []))

test('a creation that crashes at any point is completed by a retry with the same id, time and port', async (t) => {
  await atEveryPoint(
    t,
    (process) => process.create('k'),
    async ({ store, clock, log, bystander }) => {
      const [first] = assigned(await log()).filter(({ data }) => data.sut_id !== bystander)
      clock.pass(DAY)
      const other = aProcess(store, clock)
      await other.sweep()
      const id = await other.create('k')
      const last = created(await log()).at(-1)
      t.is(last?.data._id, id)
      if (first !== undefined) {
        t.deepEqual([id, last?.data.listen_port], [first.data.sut_id, first.data.listen_port])
        t.is(last?.metadata.time, first.metadata.time)
      }
      t.is(await aProcess(store, clock).create('k'), id, 'another retry')
      t.deepEqual([assigned(await log()).length, created(await log()).length], [2, 2])
    },
  )
})

test('the port of a creation that was broken off is given back at a start two days later, and not before', async (t) => {
  const { store, clock, log } = await stage(t)
  await aProcess(dying(store, 4).store, clock).create('k')
  t.deepEqual(typesOf(await log()).slice(2), ['ListenPortAssigned'])
  const other = aProcess(store, clock)
  for (const milliseconds of [0, DAY, DAY]) {
    clock.pass(milliseconds)
    await other.sweep()
    t.is((await log()).length, 3)
  }
  clock.pass(1)
  await other.sweep()
  t.deepEqual(typesOf(await log()).slice(3), ['ListenPortReleased'])
  t.deepEqual([(await log()).at(-1)?.metadata.actor, portFaults(await log())], ['berth', []])
})

test('no port is lost to crashes: every one can still be assigned, the longest free last', async (t) => {
  const { store, clock, log, bystander } = await stage(t)
  for (let nth = 1; nth <= 4; nth++) await aProcess(dying(store, nth).store, clock).create()
  await aProcess(dying(store, 3).store, clock).retire(bystander)
  clock.pass(2 * DAY + 1)
  await aProcess(store, clock).sweep()
  t.is(standingsIn(await log())(bystander), 'retired')
  t.deepEqual(portFaults(await log()), [])
  const last = aProcess(store, clock)
  for (let port = RANGE.first; port <= RANGE.last; port++) t.regex(await last.create(), /^[0-9a-f]{24}$/)
  t.is(await last.create(), 'listen_ports_exhausted')
  t.deepEqual(portFaults(await log()), [])
})

test('a sweep does not take the port of a SUT that the views do not know yet, or call retired', async (t) => {
  const { store, clock, log, bystander } = await stage(t)
  clock.pass(10 * DAY)
  await aProcess(store, clock).sweep(() => undefined)
  await aProcess(store, clock).sweep(() => 'retired')
  t.is((await log()).length, 2)
  await aProcess(store, clock).retire(bystander)
  t.is(typesOf(await log()).filter((type) => type === 'ListenPortReleased').length, 1)
})

test('ports for all of an import are taken in one append, whose last event has the key, or none is', async (t) => {
  const { store, clock, log } = await stage(t)
  const process = aProcess(store, clock)
  t.is(await process.import('k', { first: 4000, last: 4002 }), 'listen_ports_exhausted')
  t.is((await log()).length, 2)
  const ids = await process.import('k')
  const names = new Map(created(await log()).map(({ data }) => [data._id, data.name]))
  t.deepEqual(
    [...ids].map((id) => names.get(id)),
    NAMES,
  )
  t.deepEqual(
    (await log()).slice(2, 5).map(({ type, metadata: { key } }) => [type, key !== undefined]),
    [
      ['ListenPortAssigned', false],
      ['ListenPortAssigned', false],
      ['ListenPortAssigned', true],
    ],
  )
})

test('an import that crashes at any point is completed by a retry with the same ids', async (t) => {
  await atEveryPoint(
    t,
    (process) => process.import('k'),
    async ({ store, clock, log }) => {
      const before = created(await log()).map(({ data }) => data._id)
      clock.pass(DAY)
      await aProcess(store, clock).sweep()
      const ids = await aProcess(store, clock).import('k')
      t.deepEqual(
        created(await log())
          .slice(1)
          .map(({ data }) => data._id)
          .toSorted(),
        [...ids].toSorted(),
      )
      for (const id of before.slice(1)) t.true(ids.includes(id))
      t.deepEqual(await aProcess(store, clock).import('k'), ids)
      t.deepEqual([created(await log()).length, assigned(await log()).length], [4, 4])
    },
  )
})

test('two creations or imports with one key at the same time, and a sweep, create the SUTs once', async (t) => {
  const { store, clock, log } = await stage(t)
  const [one, other] = [aProcess(store, clock), aProcess(store, clock)]
  for (const act of ['create', 'import'] as const) {
    const [first, second] = await Promise.all([one[act](act), other[act](act), one.sweep()])
    t.deepEqual(first, second)
  }
  t.is(created(await log()).length, 5)
  t.deepEqual(portFaults(await log()), [])
})

for (const how of ['a retry with its key', 'a retry without a key', 'the sweep'] as const) {
  test(`a retirement that crashes is completed by ${how}, releasing the port once`, async (t) => {
    await atEveryPoint(
      t,
      (process, { bystander }) => process.retire(bystander, 'k'),
      async ({ store, clock, log, bystander }) => {
        const isRetired = typesOf(await log()).includes('SutRetired')
        if (how !== 'the sweep')
          await aProcess(store, clock).retire(bystander, how === 'a retry with its key' ? 'k' : undefined)
        for (let sweeps = 0; sweeps < 2; sweeps++) await aProcess(store, clock).sweep()
        const done = isRetired || how !== 'the sweep' ? ['SutRetired', 'ListenPortReleased'] : []
        t.deepEqual(typesOf(await log()).slice(2), done)
      },
    )
  })
}

test('a sweep between any two calls of a retirement releases the port once', async (t) => {
  for (let nth = 1; nth <= 4; nth++) {
    const { store, clock, log, bystander } = await stage(t)
    const slow = interrupted(store, nth, () => aProcess(store, clock).sweep())
    t.is(await aProcess(slow.store, clock).retire(bystander), 'recorded')
    t.deepEqual(typesOf(await log()).slice(2), ['SutRetired', 'ListenPortReleased'])
  }
})

test('a sweep that crashes is completed by the next, and eight at the same time release each port once', async (t) => {
  await atEveryPoint(
    t,
    async (process, { store, clock, bystander }) => {
      await aProcess(dying(store, 4).store, clock).create('k')
      await aProcess(dying(store, 3).store, clock).retire(bystander, 'r')
      clock.pass(2 * DAY + 1)
      await process.sweep()
    },
    async ({ store, clock, log }) => {
      await Promise.all(Array.from({ length: 8 }, () => aProcess(store, clock).sweep()))
      t.deepEqual(typesOf(await log()).slice(4), ['ListenPortReleased', 'ListenPortReleased'])
    },
  )
})
