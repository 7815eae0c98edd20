import test from 'ava'
import { lab, said } from '../lab.ts'
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
