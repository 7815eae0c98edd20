import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../../src/event-store/event-store.ts'
import type { Running } from '../../../http/harness.ts'
import { refusalOf } from '../../../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../../../http/requests.ts'
import { makeHold } from '../../../http/store/held-views.ts'
import { startInstances } from './instances.ts'

/** A lagging subscription causes neither wrong refusals nor duplicates. */

/** One instance that is up to date, and one whose views can be paused. */
const upAndLagging = async (t: ExecutionContext) => {
  const { hold, letGo, change } = makeHold()
  const pausable = (store: EventStore): EventStore => ({ ...store, ...change(store) })
  const started = await startInstances(t, {
    now: NOW,
    count: 2,
    change: (instance) => (instance === 1 ? pausable : undefined),
  })
  t.teardown(letGo)
  const [up, lagging] = started.services as readonly [Running, Running]
  return { ...started, up, lagging, hold, letGo }
}

const window = (hour: number, quarters = 4) => ({
  start_time: `2030-05-03T${String(hour).padStart(2, '0')}:00:00Z`,
  end_time: new Date(Date.UTC(2030, 4, 3, hour) + quarters * 900_000).toISOString(),
})

test('thorough: a lagging instance accepts windows freed by another and refuses windows taken by another', async (t) => {
  const { up, lagging, hold, log } = await upAndLagging(t)
  const sut = await createSut(up.as('admin'))
  const taken = await reserved(lagging.as('alice'), aReservation(sut, window(8)))
  hold()
  const freed = await up.as('alice').request('POST', `${taken.headers.location}/cancel`)
  t.is(freed.status, 200)
  const other = await reserved(up.as('alice'), aReservation(sut, window(10)))
  const newSut = await createSut(up.as('admin'), { name: 'not yet known to the other' })
  // After waiting in vain for its views, it answers accepted commands from the log.
  const [again, beside, onNew, overlapping] = await Promise.all([
    reserve(lagging.as('bob'), aReservation(sut, { user_id: '590780914445534540190001', ...window(8) })),
    reserve(lagging.as('alice'), aReservation(sut, window(12))),
    reserve(lagging.as('alice'), aReservation(newSut, window(8))),
    reserve(lagging.as('alice'), aReservation(sut, window(10, 1))),
  ])
  t.deepEqual([again.status, beside.status, onNew.status], [201, 201, 201])
  t.deepEqual(refusalOf(overlapping), [409, 'reservation_conflict'])
  t.deepEqual((overlapping.json.conflicts as readonly { _id: string }[])[0]?._id, other.json._id)
  const twice = await reserve(up.as('alice'), aReservation(sut, window(8, 1)))
  t.deepEqual(refusalOf(twice), [409, 'reservation_conflict'])
  t.is((await log()).filter(({ type }) => type === 'ReservationCreated').length, 5)
})

test('a lagging instance never answers 404 for an object created on another', async (t) => {
  const { up, lagging, hold, letGo } = await upAndLagging(t)
  const before = await createSut(up.as('admin'), { name: 'before' })
  t.is((await lagging.as('alice').get(`/api/sut/${before}`)).status, 200)
  hold()
  const sut = await createSut(up.as('admin'))
  const made = await reserved(up.as('alice'), aReservation(sut, window(8)))
  const reads = [`/api/sut/${sut}`, String(made.headers.location)].map((path) => lagging.as('alice').get(path))
  const cancelling = lagging.as('alice').request('POST', `${made.headers.location}/cancel`)
  const after = { 'Berth-After': String(made.headers['berth-position']) }
  const list = lagging.as('alice').get('/api/sut?limit=1', after)
  // Reads without Berth-After are answered from the current views.
  const stale = await lagging.as('alice').get('/api/sut?limit=1')
  t.deepEqual((stale.json.suts as readonly { _id: string }[])[0]?._id, before)
  t.true(Number(stale.headers['berth-position']) < Number(made.headers['berth-position']))
  letGo()
  t.deepEqual(
    (await Promise.all(reads)).map(({ status }) => status),
    [200, 200],
  )
  t.is((await cancelling).status, 200)
  t.deepEqual(((await list).json.suts as readonly { _id: string }[])[0]?._id, sut)
})
