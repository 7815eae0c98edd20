import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { sutStream } from '../../../src/domain/values/ids.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { explicit } from '../../domain/builders.ts'
import { aSecret, readAll } from '../../event-store/new-events.ts'
import { aPath, openStore } from '../../event-store/sqlite/subject.ts'
import { anInstance, type Instance } from '../setting.ts'

const SUTS = 12

/** Reserves the same window on every SUT concurrently, so that the appends share a batch. */
const reserveAll = ({ reserve }: Instance, suts: readonly string[], from: string, to: string) =>
  Promise.all(suts.map((sut) => reserve(sut, explicit(from, to))))

const all = (what: string): readonly string[] => Array.from({ length: SUTS }, () => what)

/** A log with room for little more than the SUTs, until `makeRoom`. */
const crowded = async (t: Parameters<typeof openStore>[0]) => {
  const path = await aPath(t)
  const store = openStore(t, path, { limits: { pagesMax: 60 } })
  await store.writeSecrets([aSecret('sut-somewhere', 'password', 120_000)])
  const suts = await Promise.all(Array.from({ length: SUTS }, () => anInstance(store).aSut()))
  const makeRoom = (): void => {
    const shell = new DatabaseSync(path)
    shell.exec('DELETE FROM vault')
    shell.close()
  }
  return { store, suts, makeRoom }
}

const windowOf = (n: number): readonly [string, string] => {
  const hour = (n: number) =>
    `${String(6 + Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`
  return [hour(n), hour(n + 1)]
}

/** Books windows on all SUTs until the store is full; returns the number of booked windows. */
const fill = async (instance: Instance, suts: readonly string[]): Promise<number> => {
  for (let n = 0; n < 64; n++) {
    const answers = await reserveAll(instance, suts, ...windowOf(n))
    if (answers.some((answer) => answer !== 'made')) {
      if (!answers.every((answer) => answer === 'store_full')) throw new Error(answers.join())
      return n
    }
  }
  throw new Error('there was room for everything')
}

const bookedOn = async (store: EventStore, sut: string): Promise<number> =>
  (await readAll(store, sutStream(sut))).filter(({ type }) => type === 'ReservationCreated').length

test('a batch refused by a full store is not cached; once there is room, the same requests succeed', async (t) => {
  const { store, suts, makeRoom } = await crowded(t)
  const instance = anInstance(store)
  const booked = await fill(instance, suts)
  t.deepEqual(await reserveAll(instance, suts, ...windowOf(booked)), all('store_full'))
  // Reads still work, and so do refusals.
  if (booked > 0) t.deepEqual(await reserveAll(instance, suts, ...windowOf(0)), all('reservation_conflict'))
  makeRoom()
  t.deepEqual(await reserveAll(instance, suts, ...windowOf(booked)), all('made'))
  t.deepEqual(await reserveAll(instance, suts, ...windowOf(booked)), all('reservation_conflict'))
  for (const sut of suts) t.is(await bookedOn(store, sut), booked + 1)
})
