import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { makeCatchUpStates } from '../../../src/commands/states.ts'
import { sutStream } from '../../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore, NO_STREAM } from '../../../src/event-store/event-store.ts'
import { explicit } from '../../domain/builders.ts'
import { readLog } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { start, temporaryData } from '../../http/harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../../http/requests.ts'
import { anInstance } from '../setting.ts'
import { counting } from '../store/counting-store.ts'
import { keptStates } from './kept-states.ts'

const window = (hour: number) => explicit(`${hour}:00`, `${hour}:30`)
const HOURS = [10, 11, 12, 13, 14, 15]

/** SUTs with a reservation in each hour; hour by hour, the SUTs in turn. */
const aLab = async (t: ExecutionContext, count: number) => {
  const store = openStore(t, await aPath(t))
  const instance = anInstance(store)
  const suts = await Promise.all(Array.from({ length: count }, () => instance.aSut()))
  for (const hour of HOURS) {
    for (const sut of suts) t.is(await instance.reserve(sut, window(hour)), 'made')
  }
  return { store, suts }
}

test('states folded during catch-up decide the first command without a read', async (t) => {
  const { store, suts } = await aLab(t, 3)
  const { snapshots, written } = keptStates(t)
  const caughtUp = makeCatchUpStates()
  for (const event of await readLog(store, BEGINNING)) caughtUp.fold([event])
  caughtUp.saveTo(snapshots, 100)
  t.is(written(), suts.length)
  const { store: counted, eventsRead } = counting(store)
  const instance = anInstance(counted, { snapshots })
  for (const sut of suts) {
    for (const hour of HOURS) t.is(await instance.reserve(sut, window(hour)), 'reservation_conflict')
    t.is(await instance.reserve(sut, window(20)), 'made')
  }
  t.is(eventsRead(), 0)
  caughtUp.saveTo(snapshots, 100)
  t.is(written(), suts.length, 'states are handed over only once')
})

test('beyond the limit, only the most recently used states are handed over', async (t) => {
  const { store, suts } = await aLab(t, 3)
  const { snapshots, written } = keptStates(t)
  const caughtUp = makeCatchUpStates()
  caughtUp.fold(await readLog(store, BEGINNING))
  caughtUp.saveTo(snapshots, 2)
  t.is(written(), 2)
  const { store: counted, eventsRead } = counting(store)
  const instance = anInstance(counted, { snapshots })
  for (const sut of suts.slice(1)) t.is(await instance.reserve(sut, window(20)), 'made')
  t.is(eventsRead(), 0)
  t.is(await instance.reserve(suts[0] as string, window(20)), 'made')
  t.true(eventsRead() > 0, 'the remaining state is folded from its stream')
})

test('states beyond the limit are dropped, never kept with a gap', async (t) => {
  const { store, suts } = await aLab(t, 3)
  const { snapshots, written } = keptStates(t)
  const events = await readLog(store, BEGINNING)
  // Room for one of the three: each state is evicted before its next event.
  const caughtUp = makeCatchUpStates(1)
  for (const event of events) caughtUp.fold([event])
  caughtUp.saveTo(snapshots, 100)
  t.true(written() < suts.length, `${written()} of the states`)
  const instance = anInstance(store, { snapshots })
  for (const sut of suts) {
    for (const hour of HOURS) t.is(await instance.reserve(sut, window(hour)), 'reservation_conflict')
  }
})

/** A service, and the streams it reads from their start. */
const reading = async (t: ExecutionContext, data: string) => {
  const store = openStore(t, join(data, 'events.db'))
  const folded: string[] = []
  const recording: EventStore = {
    ...store,
    readStream: (stream, after) => {
      if (after === NO_STREAM) folded.push(stream)
      return store.readStream(stream, after)
    },
  }
  return { service: await start(t, { now: NOW, data, openStore: () => recording }), folded }
}

test('thorough: after a rebuild of the views, the first command on each SUT folds no stream, nor after a restart', async (t) => {
  const data = await temporaryData(t)
  const { service } = await reading(t, data)
  const suts: string[] = []
  for (let n = 0; n < 4; n++) {
    const sut = await createSut(service.as('admin'))
    suts.push(sut)
    for (const minute of ['00', '15', '30']) {
      const [start_time, end_time] = [`2030-05-02T06:${minute}:00Z`, `2030-05-02T06:${Number(minute) + 10}:00Z`]
      await reserved(service.as('alice'), aReservation(sut, { start_time, end_time }))
    }
  }
  await service.stop()
  for (const file of ['views.db', 'views.db-wal', 'views.db-shm']) await rm(join(data, file), { force: true })
  for (let round = 0; round < 2; round++) {
    const { service: restarted, folded } = await reading(t, data)
    for (const sut of suts) t.is((await reserve(restarted.as('alice'), aReservation(sut))).status, 409)
    t.deepEqual(
      suts.filter((sut) => folded.includes(sutStream(sut))),
      [],
    )
    await restarted.stop()
  }
})
