/** The answer to a write is the object as of that write. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { EVENTS_OF_START, temporaryData } from '../harness.ts'
import { lab } from '../lab.ts'
import { until } from '../until.ts'
import { makeHold } from './held-views.ts'
import { changedStore } from './stores.ts'

type Write = readonly [who: string, request: string, body?: object, headers?: Readonly<Record<string, string>>]

/** A lab whose views can be delayed until several writes have been recorded. */
const stage = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  const { hold, letGo, change } = makeHold()
  const service = await lab(t, { data, openStore: changedStore(join(data, 'events.db'), change) })
  /** Sends each write after the previous has been recorded, and then releases the answers. */
  const recordAll = async (writes: readonly Write[]): Promise<readonly Answer[]> => {
    hold()
    const answers: Promise<Answer>[] = []
    for (const write of writes) {
      const recorded = (await service.recorded()).length
      answers.push(service.ask(...write))
      await until('recorded', async () => (await service.recorded()).length > recorded, 5_000)
    }
    letGo()
    return Promise.all(answers)
  }
  return { ...service, recordAll }
}

/** The first position after the creation of a SUT, which is two events. */
const FIRST = EVENTS_OF_START + 2

const positionsOf = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ headers }) => Number(headers['berth-position']) - FIRST)

test('each update, tagging and retirement returns the SUT as of that write, despite later ones', async (t) => {
  const { ask, sut, recordAll } = await stage(t)
  const path = `/api/sut/${sut}`
  const answers = await recordAll([
    ['admin', `POST ${path}/update`, { os: 'one' }],
    ['admin', `POST ${path}/tags`, { a: 'two' }],
    ['admin', `POST ${path}/update`, { os: 'three', is_active: false }],
    ['admin', `POST ${path}/retire`],
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
  t.deepEqual(positionsOf(answers), [0, 1, 2, 3])
  t.is((await ask('admin', `GET ${path}`)).text, String(answers.at(-1)?.text))
})

test('each extension and cancellation returns the reservation as of that write, and so does a retry', async (t) => {
  const { ask, book, recordAll } = await stage(t)
  const { location: path } = (await book('alice')).headers
  const extend: Write = ['alice', `POST ${path}/extend`, { duration: 1800 }, { 'Idempotency-Key': 'k' }]
  const answers = await recordAll([
    extend,
    ['alice', `POST ${path}/extend`, { duration: 2700 }],
    ['alice', `POST ${path}/cancel`],
  ])
  t.deepEqual(
    answers.map(({ status, json }) => [status, json.end_time]),
    ['06:30', '06:45', '06:45'].map((end) => [200, `2030-05-02T${end}:00+00:00`]),
  )
  t.deepEqual(positionsOf(answers), [1, 2, 3])
  t.is((await ask('alice', `GET ${path}`)).status, 410)
  const again = await ask(...extend)
  t.deepEqual([again.status, again.text, ...positionsOf([again])], [200, answers[0]?.text, 1])
})
