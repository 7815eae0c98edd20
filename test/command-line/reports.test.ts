/** Reports on the command line. */

import test from 'ava'
import { idOf } from '../http/harness.ts'
import { aReservation, createSut, reserved } from '../http/requests.ts'
import { type } from './terminal.ts'
import { follow } from './transcript.ts'
import { besideService } from './users/stage.ts'

const SPAN = '--from 2030-05-02T00:00:00Z --to 2030-05-03T00:00:00Z'

test('a report is a table between tabs, CSV or JSON, and has columns and bars on a terminal', async (t) => {
  const { service, at } = await besideService(t)
  const admin = service.as('admin')
  const [one, two] = [await createSut(admin, { name: 'bench 1' }), await createSut(admin, { name: 'bench 2' })]
  const until = (end: string) => ({ start_time: '2030-05-02T06:00:00Z', end_time: `2030-05-02T${end}:00Z` })
  await reserved(admin, aReservation(one, { ...until('10:00'), user_id: idOf('alice') }))
  await reserved(admin, aReservation(two, { ...until('07:30'), user_id: idOf('bob') }))
  service.clock.set('2030-05-02T12:00:00Z')
  const environment = await at('admin')
  await follow(
    t,
    `
$ berth report usage ${SPAN} --by user --bucket day --time-zone Asia/Kolkata
${idOf('alice')}\talice\t2030-05-02T00:00:00+05:30\t14400\t-\t1\t-\t0\t0\t1\t1
${idOf('bob')}\tbob\t2030-05-02T00:00:00+05:30\t5400\t-\t1\t-\t0\t0\t1\t1
$ berth report demand ${SPAN}
$ berth report usage --from 2030-05-02T00:00:00Z
berth: a --to is required
usage: …
# exit 2
$ berth report usage --from 2030-05-01 --to 2030-05-02
berth: 422 invalid: …
# exit 1`,
    environment,
  )
  const words = `report usage ${SPAN} --by user`.split(' ')
  const { out } = await type([...words, '--json'], environment)
  const csv = await type([...words, '--csv'], environment)
  t.deepEqual(
    csv.out.split('\r\n').map((row) => row.split(',').slice(1, 4).join()),
    ['name,bucket,held_seconds', 'alice,,14400', 'bob,,5400', ''],
  )
  t.is(JSON.parse(out).rows.length, 2)
  const table = await type(words, environment, { columns: 140 })
  const [head = '', ...rows] = table.out.trimEnd().split('\n')
  t.regex(head, /^name +held h +used h +reservations +unused .* suts$/)
  t.deepEqual(
    rows.map((row) => row.replace(/ +/g, ' ')),
    ['alice ░░░░░░░░░░░░░░░░░░░░░░░░ 4.0 - 1 - 0 0.0 1 1', 'bob ░░░░░░░░░ 1.5 - 1 - 0 0.0 1 1'],
  )
  t.is((await type(`report demand ${SPAN}`.split(' '), environment, { columns: 80 })).out, '')
  const narrow = await type(words, environment, { columns: 30 })
  t.true(narrow.out.split('\n').every(({ length }) => length <= 30))
})
