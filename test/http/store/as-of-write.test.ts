import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { EVENTS_OF_START, type Running, start, temporaryData } from '../harness.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import { until } from '../until.ts'
import { makeHold } from './held-views.ts'
import { logOf } from './log-rows.ts'
import { changedStore } from './stores.ts'

/** Shows behaviour/errors-and-retrying.md: the answer to a write is the object as of that write. */

/** A service whose views can be delayed until several writes have been recorded. */
const stage = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  const { hold, letGo, change } = makeHold()
  const service = await start(t, { now: NOW, data, openStore: changedStore(join(data, 'events.db'), change) })
  const sut_id = await createSut(service.as('admin'))
  /** Sends each write after the previous has been recorded, and then releases the answers. */
  const recordAll = async (writes: readonly (() => Promise<Answer>)[]): Promise<readonly Answer[]> => {
    hold()
    const answers: Promise<Answer>[] = []
    for (const write of writes) {
      const recorded = (await logOf({ data })).length
      answers.push(write())
      await until('recorded', async () => (await logOf({ data })).length > recorded, 5_000)
    }
    letGo()
    return Promise.all(answers)
  }
  return { service, sut_id, recordAll }
}

/** The first position after the creation of a SUT, which is two events. */
const FIRST = EVENTS_OF_START + 2

const positionsOf = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ headers }) => Number(headers['berth-position']))

test('each update, tagging and retirement returns the SUT as of that write, despite later ones', async (t) => {
  const { service, sut_id, recordAll } = await stage(t)
  const admin = service.as('admin')
  const path = `/api/sut/${sut_id}`
  const answers = await recordAll([
    () => admin.post(`${path}/update`, { os: 'one' }),
    () => admin.post(`${path}/tags`, { a: 'two' }),
    () => admin.post(`${path}/update`, { os: 'three', is_active: false }),
    () => admin.request('POST', `${path}/retire`),
  ])
  t.deepEqual(
    answers.map(({ json: { os, tags, is_active }, headers: { etag } }) => [os, tags, is_active, etag]),
    [
      ['one', {}, true, '"1"'],
      ['one', { a: 'two' }, true, '"2"'],
      ['three', { a: 'two' }, false, '"3"'],
      ['three', { a: 'two' }, false, '"4"'],
    ],
  )
  t.deepEqual(
    positionsOf(answers),
    [0, 1, 2, 3].map((n) => FIRST + n),
  )
  t.is((await admin.get(path)).text, String(answers.at(-1)?.text))
})

const extended = (service: Running, path: string, duration: number) => (): Promise<Answer> =>
  service.as('alice').post(`${path}/extend`, { duration })

test('each extension and cancellation returns the reservation as of that write', async (t) => {
  const { service, sut_id, recordAll } = await stage(t)
  const made = await reserved(service.as('alice'), aReservation(sut_id))
  const path = String(made.headers.location)
  const answers = await recordAll([
    extended(service, path, 1800),
    extended(service, path, 2700),
    () => service.as('alice').request('POST', `${path}/cancel`),
  ])
  t.deepEqual(
    answers.map(({ status, json }) => [status, json.end_time]),
    [
      [200, '2030-05-02T06:30:00+00:00'],
      [200, '2030-05-02T06:45:00+00:00'],
      [200, '2030-05-02T06:45:00+00:00'],
    ],
  )
  t.deepEqual(
    positionsOf(answers),
    [1, 2, 3].map((n) => FIRST + n),
  )
  t.is((await service.as('alice').get(path)).status, 410)
})

test('a retry returns the object as of the write that it repeats', async (t) => {
  const { service, sut_id, recordAll } = await stage(t)
  const made = await reserved(service.as('alice'), aReservation(sut_id))
  const path = String(made.headers.location)
  const extend = () => service.as('alice').post(`${path}/extend`, { duration: 1800 }, { 'Idempotency-Key': 'k' })
  const [first] = await recordAll([extend, extended(service, path, 2700)])
  await service.as('alice').request('POST', `${path}/cancel`)
  const again = await extend()
  t.deepEqual([again.status, again.text], [200, first?.text])
  t.is(again.headers['berth-position'], first?.headers['berth-position'])
})
