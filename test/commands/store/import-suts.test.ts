import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { importSuts } from '../../../src/commands/import-suts.ts'
import { makeRunner } from '../../../src/commands/loop.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, sutValues } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { aProcess, type Clock, portFaults } from '../port-setting.ts'
import { NO_SNAPSHOTS } from '../script.ts'
import { anIdempotencyKey } from '../steps.ts'
import { atEveryPoint, countOf, type Stage, stage } from './crash-points.ts'
import { dying, interrupted } from './interrupted-store.ts'

/** An import appends all ports at once, and then each SUT. These tests crash between the appends. */

const MINUTE = 60_000
const NAMES = ['one', 'two', 'three']
const RANGE = { first: 4000, last: 4009 }

/** The ids of the SUTs, or the code of the refusal. */
const importIn = async (store: EventStore, clock: Clock, key?: string, range = RANGE) => {
  const runner = makeRunner({ store, clock: clock.now, randomHex, snapshots: NO_SNAPSHOTS })
  const imported = await importSuts(
    { runner, store, range, randomHex },
    {
      actor: administrator,
      requestId: randomHex(8),
      idempotencyKey: key === undefined ? undefined : anIdempotencyKey(key),
    },
    NAMES.map((name) => ({ values: { ...sutValues(), name }, tags: { row: name }, seal: () => undefined })),
  ).catch((error: Error) => E.left({ code: error.name }))
  return E.isLeft(imported) ? imported.left.code : imported.right.map(({ _id }) => _id)
}

/** The names of SUTs that an import created, by id. */
const created = (log: readonly Recorded[]): ReadonlyMap<string, string> =>
  new Map(
    log.flatMap((event) => (event.type === 'SutCreated' && event.data.tags ? [[event.data._id, event.data.name]] : [])),
  )

const namesOf = (log: readonly Recorded[], ids: readonly string[] | string) =>
  Array.isArray(ids) ? ids.map((id) => created(log).get(id)) : ids

test('ports for all are taken in one append, whose last event has the key, or none is', async (t) => {
  const { store, clock, log } = await stage(t)
  t.is(await importIn(store, clock, 'k', { first: 4000, last: 4002 }), 'listen_ports_exhausted')
  t.is((await log()).length, 2)
  const ids = await importIn(store, clock, 'k')
  t.deepEqual(namesOf(await log(), ids), NAMES)
  const assigned = (await log()).slice(2, 5)
  t.deepEqual(
    assigned.map(({ type, metadata: { key } }) => [type, key !== undefined]),
    [
      ['ListenPortAssigned', false],
      ['ListenPortAssigned', false],
      ['ListenPortAssigned', true],
    ],
  )
  t.deepEqual(portFaults(await log()), [])
})

test('an import that crashes at any point is completed by a retry with the same ids', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const { store: dyingStore, calls } = dying(store, nth)
    const before = await importIn(dyingStore, clock, 'k')
    clock.pass(MINUTE / 2)
    await aProcess(store, clock).sweep()
    const ids = await importIn(store, clock, 'k')
    if (Array.isArray(before)) t.deepEqual(ids, before)
    t.deepEqual(namesOf(await log(), ids), NAMES)
    t.deepEqual([created(await log()).size, countOf(await log(), 'ListenPortAssigned')], [3, 4])
    t.deepEqual(await importIn(store, clock, 'k'), ids)
    t.deepEqual(portFaults(await log()), [])
    return calls()
  }
  await atEveryPoint(t, act, 4)
})

test('an import that crashes is finished by the sweep, and each retry after it finds the same SUTs', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const { store: dyingStore, calls } = dying(store, nth)
    await importIn(dyingStore, clock, 'k')
    const kept = created(await log())
    clock.pass(MINUTE + 1)
    await aProcess(store, clock).sweep()
    t.deepEqual(portFaults(await log()), [])
    const ids = await importIn(store, clock, 'k')
    t.deepEqual(namesOf(await log(), ids), NAMES)
    t.is(created(await log()).size, 3)
    for (const id of kept.keys()) t.true(ids.includes(id))
    clock.pass(2 * MINUTE)
    await aProcess(store, clock).sweep()
    for (let again = 0; again < 2; again++) t.deepEqual(await importIn(store, clock, 'k'), ids)
    t.is(created(await log()).size, 3)
    t.deepEqual(portFaults(await log()), [])
    return calls()
  }
  await atEveryPoint(t, act, 4)
})

test('an import that the sweep abandons at any point takes other ports within the same request', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const other = aProcess(store, clock)
    const slow = interrupted(store, nth, async () => {
      clock.pass(MINUTE + 1)
      await other.sweep()
    })
    const ids = await importIn(slow.store, clock, 'k')
    t.deepEqual(namesOf(await log(), ids), NAMES)
    t.is(created(await log()).size, 3)
    t.deepEqual(await importIn(store, clock, 'k'), ids)
    t.deepEqual(portFaults(await log()), [])
    return slow.calls()
  }
  await atEveryPoint(t, act, 4)
})

test('two imports with one key at the same time create the SUTs once', async (t) => {
  const { store, clock, log } = await stage(t)
  const [one, other] = await Promise.all([importIn(store, clock, 'k'), importIn(store, clock, 'k')])
  t.deepEqual(one, other)
  t.is(created(await log()).size, 3)
  t.deepEqual(portFaults(await log()), [])
})
