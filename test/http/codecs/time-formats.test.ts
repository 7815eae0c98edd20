import test from 'ava'
import { during, lab, said } from '../lab.ts'
import { aSut, NOW } from '../requests.ts'
import { withWrites } from '../store/writes.ts'

for (const milliseconds of ['400', '000', '999']) {
  test(`at 11.${milliseconds} every assigned time has its documented format, and seconds are truncated`, async (t) => {
    const time = `2030-05-02T05:58:11.${milliseconds}`
    const { ask, book } = await lab(t, { now: `${time}Z` })
    const sut = await ask('admin', 'POST /api/sut/create', aSut())
    t.like(sut.json, { created_at: `${time}+00:00`, updated_at: `${time}+00:00` })
    t.like(sut.json.monitoring, { last_updated: '2030-05-02T05:58:11+00:00' })
    t.like((await book('alice')).json, { created_at: `${time}Z`, updated_at: `${time}Z` })
  })
}

test('with a clock up to a minute behind every write has the time of the last event; beyond that it is 503 clock_behind', async (t) => {
  const { clock, refusesWrites, writeAll } = await withWrites(await lab(t))
  clock.set('2030-05-02T05:57:11.399Z')
  await refusesWrites(t, '503 clock_behind')
  clock.set('2030-05-02T05:57:11.400Z')
  for (const { json } of await writeAll(t)) t.is(Date.parse(String(json.updated_at)), Date.parse(NOW))
})

test('the server’s clock decides, not the Date of a request', async (t) => {
  const { book } = await lab(t)
  const headers = { Date: 'Thu, 02 May 2030 01:00:00 GMT' }
  t.is(said(await book('alice', '01:00-02:00', {}, headers)), '422 window_over #/end_time')
  t.is((await book('alice', '06:00-06:15', {}, headers)).json.created_at, NOW)
})

test('-00:00 and Z are returned as +00:00, for both ends and in extensions', async (t) => {
  const { ask, book } = await lab(t)
  for (const [zone, hour] of [
    ['-00:00', '07'],
    ['Z', '08'],
    ['z', '09'],
  ] as const) {
    const made = await book('alice', during(`${hour}:00-${hour}:15`, zone))
    t.like(made.json, during(`${hour}:00-${hour}:15`))
    const end_time = `2030-05-02T${hour}:30:00`
    const extended = await ask('alice', `POST ${made.headers.location}/extend`, { end_time: end_time + zone })
    t.is(extended.json.end_time, `${end_time}+00:00`)
  }
})
