/** The time that a SUT needs between two reservations. */

import test from 'ava'
import type { Client } from '../../client.ts'
import { during, lab } from '../../lab.ts'
import { createSut } from '../../requests.ts'

const spanOf = (window: string, names: readonly [string, string] = ['from', 'to']): string => {
  const { start_time, end_time } = during(window, 'Z')
  return `${names[0]}=${start_time}&${names[1]}=${end_time}`
}

/** `06:00-07:00` for each free window. */
const freeIn = async (client: Client, sut: string, window: string): Promise<readonly string[]> => {
  const { json } = await client.get(`/api/sut/${sut}/availability?${spanOf(window)}`)
  const free = json.free as readonly Readonly<Record<'start_time' | 'end_time', string>>[]
  return free.map(({ start_time, end_time }) => `${start_time.slice(11, 16)}-${end_time.slice(11, 16)}`)
}

const isFree = async (client: Client, sut: string, window: string): Promise<boolean> => {
  const { json } = await client.get(`/api/sut?${spanOf(window, ['free_from', 'free_to'])}`)
  return (json.suts as readonly { readonly _id: string }[]).some(({ _id }) => _id === sut)
}

test('a turnaround is rounded up to quarter-hours, recorded as a change of the SUT, and in no SUT as it is read', async (t) => {
  const { ask, recorded, sut } = await lab(t)
  for (const [sent, turnaround, etag] of [
    [1, 900, '"1"'],
    [900, 900, '"1"'],
    [901, 1_800, '"2"'],
    [86_400, 86_400, '"3"'],
    [0, 0, '"4"'],
  ] as const) {
    const updated = await ask('admin', `POST /api/sut/${sut}/update`, { turnaround: sent })
    t.deepEqual([updated.status, updated.headers.etag, 'turnaround' in updated.json], [200, etag, false], `${sent}`)
    const { settings } = (await ask('alice', `GET /api/sut/${sut}?include=settings`)).json
    t.deepEqual(settings, { release_unused_after: 0, turnaround })
  }
  t.deepEqual((await recorded()).at(-1)?.data, { _id: sut, turnaround: 0 })
})

test('exactly what availability lists and the lists of free SUTs name can be booked whole', async (t) => {
  const { as, ask, book, clock, sut } = await lab(t, {}, { turnaround: 900 })
  const alice = as('alice')
  const other = await createSut(as('admin'))
  const [running] = await Promise.all(
    [sut, other].flatMap((sut_id) => ['06:00-07:00', '08:00-08:30'].map((window) => book('alice', window, { sut_id }))),
  )
  clock.set('2030-05-02T06:20:02Z')
  await ask('alice', `POST ${running?.headers.location}/cancel`)
  t.deepEqual(await freeIn(alice, sut, '06:00-10:00'), ['06:45-07:45', '08:45-10:00'])
  // Also where only the turnaround reaches into the span.
  t.deepEqual(await freeIn(alice, sut, '08:30-09:00'), ['08:45-09:00'])
  t.deepEqual(await freeIn(alice, sut, '07:15-08:00'), ['07:15-07:45'])
  for (const window of ['06:30-06:45', '06:45-07:00', '07:30-07:45', '07:45-08:00', '08:30-08:45', '08:45-09:00']) {
    const isListed = await isFree(alice, sut, window)
    const made = await book('alice', window)
    t.is(isListed, made.status === 201, window)
    if (made.status === 201) await ask('alice', `POST ${made.headers.location}/cancel`)
  }
  t.deepEqual(await freeIn(alice, other, '06:00-10:00'), ['07:00-08:00', '08:30-10:00'])
})
