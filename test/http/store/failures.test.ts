/** 503 errors. `faultsOf` checks their `Retry-After`. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type AppendFailure, type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { temporaryData } from '../harness.ts'
import { type Lab, lab, said } from '../lab.ts'
import { aReservation, aSut, reserve } from '../requests.ts'
import { changedStore } from './stores.ts'
import { withWrites } from './writes.ts'

interface Broken {
  readonly service: Lab
  /** Makes the store fail in this way. Without an argument it works again. */
  readonly fail: (how?: AppendFailure | 'unreadable') => void
}

const WHY = 'the disk does not answer'

/** A service on a store that can be broken. With lost answers the store still records. */
const stage = async (t: ExecutionContext): Promise<Broken> => {
  const data = await temporaryData(t)
  let failing: AppendFailure | 'unreadable' | undefined
  const change = (store: EventStore): Partial<EventStore> => ({
    append: async (...given) => {
      if (failing === undefined || failing === 'unreadable') return store.append(...given)
      if (failing === 'unknown') await store.append(...given)
      return E.left(failing)
    },
    head: async () => {
      if (failing === 'unreadable') throw new StoreUnavailable(WHY)
      return store.head()
    },
    readStream: (...given) => {
      if (failing === 'unreadable') throw new StoreUnavailable(WHY)
      return store.readStream(...given)
    },
  })
  const service = await lab(t, { data, openStore: changedStore(join(data, 'events.db'), change) })
  return {
    service,
    fail: (how) => {
      failing = how
    },
  }
}

const KEY = { 'Idempotency-Key': 'k' }

for (const [how, code] of [
  ['full', 'store_full'],
  ['unavailable', 'unavailable'],
] as const) {
  test(`with the store ${how} every write is 503 ${code}, nothing is recorded, and reads work`, async (t) => {
    const { service, fail } = await stage(t)
    const { refusesWrites, writeAll } = await withWrites(service)
    fail(how)
    await refusesWrites(t, `503 ${code}`)
    fail()
    await writeAll(t)
  })
}

test('a full store raises one alarm, which ends with the next write that succeeds', async (t) => {
  const { service, fail } = await stage(t)
  const admin = service.as('admin')
  const create = () => admin.post('/api/sut/create', aSut())
  const isRaised = async (): Promise<boolean> =>
    (await admin.get('/metrics')).text.includes('berth_alarm{part="store"} 1\n')
  const told = (): readonly string[] =>
    service.log.filter(({ facts }) => 'alarm' in facts && facts.alarm === 'store').map(({ sentence }) => sentence)
  t.false(await isRaised())
  fail('full')
  for (const _ of [1, 2]) t.is(said(await create()), '503 store_full')
  t.true(await isRaised())
  t.is((await service.anyone.get('/health/ready')).status, 200, 'reads are served')
  fail()
  t.is((await create()).status, 201)
  t.false(await isRaised())
  t.deepEqual(told(), [
    'the event store is full; writes are refused until there is room',
    'the event store has room again',
  ])
})

test('a lost answer of the store is 503 outcome_unknown, and a retry with the key gets the recorded object', async (t) => {
  const { service, fail } = await stage(t)
  const attempt = () => service.book('alice', {}, {}, KEY)
  fail('unknown')
  const unknown = await attempt()
  t.is(said(unknown), '503 outcome_unknown')
  fail()
  const recorded = await service.recorded()
  const made = await attempt()
  t.is(made.status, 201)
  t.is(made.json._id, recorded.at(-1)?.data._id)
  t.deepEqual(await service.recorded(), recorded)
})

test('a read that needs an unreadable store is 503 unavailable', async (t) => {
  const { service, fail } = await stage(t)
  fail('unreadable')
  const refused = await service.as('alice').get('/api/sut/58c38f5d444553252cce0000')
  t.is(said(refused), '503 unavailable')
  fail()
  t.is((await service.as('alice').get('/api/sut/58c38f5d444553252cce0000')).status, 404)
})

test('why the store is unavailable is logged once a minute for commands and once for other requests', async (t) => {
  const { service, fail } = await stage(t)
  fail('unreadable')
  const id = '58c38f5d444553252cce0000'
  const failEach = async (): Promise<readonly unknown[]> => {
    const command = await reserve(service.as('alice'), aReservation(id))
    const read = await service.as('alice').get(`/api/sut/${id}`)
    t.deepEqual([command, read].map(said), ['503 unavailable', '503 unavailable'])
    return [
      ['the event store is unavailable; a command was refused', WHY, command.json.instance],
      ['the event store is unavailable; a request failed', WHY, read.json.instance],
    ]
  }
  const logged = () =>
    service.log.flatMap(({ level, facts, sentence }) => {
      const { err, request_id } = facts as { err?: Error; request_id?: string }
      return level === 'warn' && err instanceof StoreUnavailable ? [[sentence, err.message, request_id]] : []
    })
  const first = await failEach()
  await failEach()
  t.deepEqual(logged(), first)
  service.clock.set('2030-05-02T05:59:11.401Z')
  const later = await failEach()
  t.deepEqual(logged(), [...first, ...later])
})
