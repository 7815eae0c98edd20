import test, { type ExecutionContext } from 'ava'
import { idOf, start } from '../harness.ts'
import { asks, during, lab, said } from '../lab.ts'
import { aReservation, NOW, reserve } from '../requests.ts'

/** Alice's reservation from 06:00 to 07:00, with its end in another UTC offset. */
const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const made = await service.book('alice', {
    start_time: '2030-05-02T06:00:00Z',
    end_time: '2030-05-02T09:00:00+02:00',
  })
  const path = String(made.headers.location)
  const change = (verb: string) => (body: object) => service.ask('alice', `POST ${path}/${verb}`, body)
  return { ...service, made, path, extend: change('extend'), shorten: change('shorten') }
}

const REFUSED: readonly (readonly [what: string, verb: string, refusal: string, body?: unknown])[] = [
  ['by and another end', 'extend', '422 window_ambiguous #/by', { by: 900, duration: 7200 }],
  ['by nothing', 'extend', '422 invalid #/by', { by: 0 }],
  ['more than the longest length', 'extend', '422 window_too_long #/by', { by: 8 * 86_400 }],
  ['no end', 'extend', '422 window_required #/end_time', {}],
  ['two ends', 'extend', '422 window_ambiguous #/duration', { end_time: '2030-05-02T08:00:00Z', duration: 7200 }],
  ['an earlier end', 'extend', '422 end_not_later #/end_time', { end_time: '2030-05-02T06:45:00Z' }],
  ['a shorter duration', 'extend', '422 end_not_later #/duration', { duration: 2700 }],
  ['a fractional duration', 'extend', '422 invalid #/duration', { duration: 7200.5 }],
  ['an end without an offset', 'extend', '422 invalid #/end_time', { end_time: '2030-05-02T08:00:00' }],
  ['another start', 'extend', '422 field_unknown #/start_time', { start_time: '2030-05-02T06:00:00Z' }],
  ['what the service assigns', 'extend', '422 field_read_only #/listen_port', { duration: 7200, listen_port: 1 }],
  ['a list', 'extend', '422 invalid #', []],
  ['no body', 'extend', '400 malformed_json'],
  ['a later end', 'shorten', '422 end_not_earlier #/end_time', { end_time: '2030-05-02T07:00:01Z' }],
  ['an end that has passed', 'shorten', '422 end_not_later_than_now #/end_time', { end_time: NOW }],
  ['an end at its start', 'shorten', '422 window_empty #/end_time', { end_time: '2030-05-02T06:00:00Z' }],
  ['no end', 'shorten', '422 invalid #/end_time', {}],
]

test('an end that is none, is on the wrong side or is sent in another form is refused', async (t) => {
  const lab = await stage(t)
  await asks(
    t,
    lab,
    REFUSED.map(([, verb, refusal, body]) => ['alice', `POST ${lab.path}/${verb}`, refusal, body]),
  )
  t.is((await lab.ask('alice', `GET ${lab.path}`)).text, lab.made.text)
})

test('a shorter reservation counts what is left of it, also once the views are read again', async (t) => {
  const { as, ask, book, data, stop, sut } = await lab(t)
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { quota: { hours_per_week: 2 } })
  const made = await book('alice', '06:00-08:00')
  t.is(said(await book('alice', '10:00-11:00')), '403 quota_exceeded')
  await ask('alice', `POST ${made.headers.location}/shorten`, { end_time: '2030-05-02T07:15:00Z' })
  const used = async (client = as('alice')) => (await client.get('/api/user/me?include=used')).json.used
  const before = await used()
  await stop()
  const again = (await start(t, { now: NOW, data })).as('alice')
  t.deepEqual(await used(again), before)
  t.is((await reserve(again, aReservation(sut, during('10:00-11:00')))).json.code, 'quota_exceeded')
  t.is((await reserve(again, aReservation(sut, during('10:00-10:45')))).status, 201)
})
