/** A removal that ends all reservations, beside somebody who makes more of them on the other instance. */

import test from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Answer } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { aReservation, createSut, reserve } from '../../http/requests.ts'
import { stopwatch, until } from '../../http/until.ts'
import { type Two, twoInstances } from './stage.ts'

const ALICE = idOf('alice')
/** Milliseconds after the removal's answer in which the other instance learns of it. */
const KNOWN_WITHIN = 2_000
/** Milliseconds after the removal's answer until none of the user's reservations is unfinished. */
const FINISHED_WITHIN = 10_000
/** Reservations, at most: a day has 96. */
const WINDOWS = 2_000
const DAY = Date.parse('2030-05-03T00:00:00Z')

const windowOf = (n: number) => ({
  start_time: new Date(DAY + n * 900_000).toISOString(),
  end_time: new Date(DAY + (n + 1) * 900_000).toISOString(),
})

/** Reserves for Alice, by turns as herself and as an administrator, until that is refused or `isOver`. */
const reserving = async (
  service: Running,
  sut: string,
  { isOver = () => false, answers = [] }: { readonly isOver?: () => boolean; readonly answers?: Answer[] },
): Promise<readonly Answer[]> => {
  for (let n = 0; n < WINDOWS && !isOver(); n++) {
    const client = service.as(n % 2 === 0 ? 'alice' : 'admin')
    const answer = await reserve(client, aReservation(sut, windowOf(n)))
    answers.push(answer)
    if (answer.status !== 201) break
  }
  return answers
}

/** A store that takes reservations only while it is open, as if the way to it were slow. */
const makeGate = () => {
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  let waiting = 0
  return {
    waiting: () => waiting,
    shut: (): void => {
      opened = Promise.withResolvers()
    },
    open: (): void => opened.resolve(),
    change: (store: EventStore): EventStore => ({
      ...store,
      append: async (stream, expected, events, secrets) => {
        if (events.some(({ type }) => type === 'ReservationCreated')) {
          waiting++
          await opened.promise
          waiting--
        }
        return store.append(stream, expected, events, secrets)
      },
    }),
  }
}

const remove = ({ one }: Two): Promise<Answer> =>
  one.as('admin').post(`/api/user/${ALICE}/remove`, { reservations: 'cancel' })

/** How many are not finished, once the instance has looked at the clock. */
const unfinished = async (service: Running): Promise<number> => {
  service.tick()
  return Number(
    (await service.as('admin').get(`/api/sut_reservation?user_id=${ALICE}&from=2030-05-02T00:00:00Z`)).json.count,
  )
}

test('thorough: after a removal beside creates on another instance, none of the reservations is left unfinished', async (t) => {
  const gate = makeGate()
  const two = await twoInstances(t, {
    environment: { BERTH_HORIZON: 'P60D' },
    change: (instance) => (instance === 1 ? gate.change : undefined),
  })
  const { one, other } = two
  const suts = await Promise.all(Array.from({ length: 8 }, () => createSut(one.as('admin'))))
  const answers: Answer[] = []
  const writers = suts.map((sut) => reserving(other, sut, { answers }))
  await until('there are reservations', async () => answers.length >= 40, 60_000)
  gate.shut()
  await until('each writer has one under way', async () => gate.waiting() === suts.length, 60_000)
  const before = answers.length
  const removed = await remove(two)
  t.deepEqual([removed.status, removed.json.cancelled], [200, before])
  // These were decided before the removal, and are recorded after its answer.
  gate.open()
  const taken = stopwatch()
  await Promise.all(writers)
  t.true(taken() < KNOWN_WITHIN)
  const made = answers.filter(({ status }) => status === 201).length
  t.true(made >= before + suts.length)
  for (const { status, text } of answers) t.true([201, 401, 404, 422].includes(status), text)
  const isDone = async (): Promise<boolean> => (await unfinished(one)) + (await unfinished(other)) === 0
  await until('all are finished', isDone, FINISHED_WITHIN)
  const rows = await two.log()
  const ofType = (type: string) => rows.filter((row) => row.type === type).length
  t.deepEqual([ofType('ReservationCreated'), ofType('ReservationCancelled')], [made, made])
  // Whoever asks again is told that nothing is left.
  const again = await remove(two)
  t.deepEqual([again.status, again.json.cancelled, again.json.released], [200, 0, 0])
})

test('another instance ends what a crash has left of a removal', async (t) => {
  // The first instance cannot record that reservations end, as if it were killed after the removal.
  let isKilled = false
  const two = await twoInstances(t, {
    change: (instance) =>
      instance === 1
        ? undefined
        : (store) => ({
            ...store,
            append: (stream, expected, events, secrets) =>
              isKilled && events.some(({ type }) => type === 'ReservationCancelled')
                ? new Promise(() => undefined)
                : store.append(stream, expected, events, secrets),
          }),
  })
  const { one, other } = two
  const sut = await createSut(one.as('admin'))
  for (let n = 0; n < 3; n++) t.is((await reserve(one.as('alice'), aReservation(sut, windowOf(n)))).status, 201)
  isKilled = true
  void remove(two).catch(() => undefined)
  await until('all are finished', async () => (await unfinished(other)) === 0, FINISHED_WITHIN)
  t.is((await two.log()).filter(({ type }) => type === 'ReservationCancelled').length, 3)
})
