/** Lists as CSV. */

import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { parse } from 'csv-parse/sync'
import * as E from 'fp-ts/lib/Either.js'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import type { StreamedBody } from '../../../src/http/protocol/call.ts'
import { makeCsvLists } from '../../../src/http/response/csv-lists.ts'
import { rightOf } from '../../users/builders.ts'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

const ACCEPT = { Accept: 'text/csv' }
const SUTS = '/api/sut'
const RESERVATIONS = '/api/sut_reservation'

type Row = Readonly<Record<string, unknown>>

const rowsOf = (text: string): readonly Row[] => parse(text, { columns: true }) as Row[]

/** The same list as JSON, with values as CSV has them. */
const asText = (rows: unknown): readonly Row[] =>
  (rows as readonly Row[]).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)])),
  )

const make = async (by: Client, sut: string, hour: number, holder = 'alice'): Promise<string> => {
  const at = (n: number): string => `2030-05-02T${String(n).padStart(2, '0')}:00:00Z`
  const window = { start_time: at(hour), end_time: at(hour + 1), user_id: idOf(holder) }
  return String((await reserved(by, aReservation(sut, window))).json._id)
}

test('a list of reservations as CSV has all that match and what include adds, in chunks', async (t) => {
  const service = await start(t, { now: NOW, csv: { chunk: 2 } })
  const [admin, audrey, alice] = [service.as('admin'), service.as('audrey'), service.as('alice')]
  const [sut, other] = [await createSut(admin), await createSut(admin, { name: 'say "no", twice' })]
  for (const hour of [6, 7, 8, 9]) await make(admin, sut, hour)
  const cancelled = await make(admin, other, 6, 'bob')
  await admin.post(`${RESERVATIONS}/${cancelled}/cancel`, {})
  for (const query of ['', '?include=names', '?include=names,state,cancelled', `?user_id=${idOf('bob')}`]) {
    const [csv, json] = [await audrey.get(RESERVATIONS + query, ACCEPT), await audrey.get(RESERVATIONS + query)]
    t.is(csv.headers['content-type'], 'text/csv; charset=utf-8')
    t.is(csv.headers.vary, 'Accept')
    t.is(csv.headers['berth-position'], json.headers['berth-position'])
    t.deepEqual(rowsOf(csv.text), asText(json.json.sut_reservations), query)
    t.true(csv.text.startsWith('_id,created_at,updated_at,start_time,end_time,user_id,sut_id,listen_port'))
    t.true(csv.text.endsWith('\r\n'))
  }
  const then = (await audrey.get(RESERVATIONS)).headers['berth-position']
  await make(admin, sut, 10)
  const past = `${RESERVATIONS}?as_of=${then}&include=state`
  t.deepEqual(rowsOf((await audrey.get(past, ACCEPT)).text), asText((await audrey.get(past)).json.sut_reservations))
  await admin.post(`${SUTS}/${other}/tags`, { team: 'qa1' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  const own = `${RESERVATIONS}?include=names,state,cancelled`
  const seen = rowsOf((await alice.get(own, ACCEPT)).text)
  t.deepEqual(seen, asText((await alice.get(own)).json.sut_reservations))
  t.is(seen.length, 6)
})

test('a list of SUTs as CSV flattens monitoring, and no field is taken for a formula', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const names = ['=1+1', '+1', '-1', '@x', 'plain', 'with, "quotes"']
  for (const name of names) await createSut(admin, { name, description: '@x' })
  const { text } = await admin.get(`${SUTS}?sut_type=vnc`, ACCEPT)
  const rows = rowsOf(text).toReversed()
  t.deepEqual(
    rows.map(({ name }) => name),
    ["'=1+1", "'+1", "'-1", "'@x", 'plain', 'with, "quotes"'],
  )
  const [row] = rows
  t.deepEqual([row?.description, row?.['monitoring.status'], row?.tags], ["'@x", 'SUT Monitoring Disabled', '{}'])
  await admin.post(`${SUTS}/${String(row?._id)}/tags`, { rack: '4' })
  const tagged = rowsOf((await admin.get(`${SUTS}?tag.rack=4`, ACCEPT)).text)
  t.deepEqual(
    tagged.map(({ tags }) => tags),
    ['{"rack":"4"}'],
  )
})

test('CSV takes neither limit nor offset, and refuses too many rows', async (t) => {
  const service = await start(t, { now: NOW, csv: { rows: 2 } })
  const admin = service.as('admin')
  for (const path of [SUTS, RESERVATIONS, '/api/session']) {
    t.deepEqual(refusalOf(await admin.get(`${path}?limit=5`, ACCEPT)), [422, 'invalid', 'limit'])
    t.deepEqual(refusalOf(await admin.get(`${path}?offset=0`, ACCEPT)), [422, 'invalid', 'offset'])
    t.is(rowsOf((await admin.get(path, ACCEPT)).text).length, 0)
    t.is((await admin.request('HEAD', path, ACCEPT)).status, 200)
  }
  await createSut(admin)
  const second = await createSut(admin)
  t.is(rowsOf((await admin.get(SUTS, ACCEPT)).text).length, 2)
  await createSut(admin)
  t.deepEqual(refusalOf(await admin.get(SUTS, ACCEPT)), [422, 'list_too_large'])
  t.is(rowsOf((await admin.get(`${SUTS}?before=${second}`, ACCEPT)).text).length, 1)
})

/** A list of so many rows, whose entries have a name. */
const listOf = (rows: number, name: string) => ({
  columns: ['name'],
  positions: Array.from({ length: rows }, (_, n) => toPublicPosition(n)),
  readEntries: async () => [JSON.stringify({ name })],
})
const POSITION = toPublicPosition(5)

test('a client that has left before its list was read is no fault', async (t) => {
  const csv = makeCsvLists({ total: 1 })
  const ask = () => csv.respond(listOf(1, 'a'), POSITION, 'alice')
  const left = new PassThrough()
  left.destroy()
  await t.notThrowsAsync(async () => (rightOf(ask()).body as StreamedBody).run(left as unknown as ServerResponse))
  t.true(E.isRight(ask()), 'its place is free')
})

test('a client that takes no CSV holds a place until its time is over, and is then cut off', async (t) => {
  const csv = makeCsvLists({ total: 2, perUser: 1, timeout: 1 })
  const ask = (userId: string) => csv.respond(listOf(2, 'a'.repeat(1 << 20)), POSITION, userId)
  const begun = rightOf(ask('alice'))
  t.deepEqual([ask('alice'), ask('bob'), ask('carol')].map(E.isRight), [false, true, false])
  const unread = new PassThrough()
  await (begun.body as StreamedBody).run(unread as unknown as ServerResponse)
  t.true(unread.destroyed)
  t.true(E.isRight(ask('carol')))
})
