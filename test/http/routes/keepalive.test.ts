import test, { type ExecutionContext } from 'ava'
import { lab, said } from '../lab.ts'
import { createSut } from '../requests.ts'

/** A reservation of Alice's from 06:00 to 06:15, to be kept alive every two minutes. */
const given = async (t: ExecutionContext) => {
  const service = await lab(t)
  const made = await service.book('alice', {}, { keepalive: 120 })
  const path = `/api/sut_reservation/${made.json._id}`
  const keep = (who = 'alice', headers = {}) => service.ask(who, `POST ${path}/keepalive`, undefined, headers)
  const read = (query = '') => service.ask('alice', `GET ${path}${query}`)
  const kept = async () => (await service.recorded()).filter(({ type }) => type === 'ReservationKept').length
  return { ...service, made, path, keep, kept, read }
}

test('the first sign of life is recorded, and then only when less than half of the time is left, whatever its key', async (t) => {
  const { clock, keep, kept, read } = await given(t)
  t.is((await read('?include=state')).headers['keepalive-until'], '2030-05-02T06:02:00.000Z')
  for (const [time, count, headers] of [
    ['05:59:59.999', 0],
    ['06:00:00.000', 1, { 'Idempotency-Key': 'again' }],
    ['06:01:00.000', 1],
    ['06:01:00.001', 2, { 'Idempotency-Key': 'again' }],
    ['06:02:00.001', 2, { 'Idempotency-Key': 'not a\tkey' }],
  ] as const) {
    clock.set(`2030-05-02T${time}Z`)
    t.is((await keep('alice', headers)).status, 200, time)
    t.is(await kept(), count, time)
  }
  clock.set('2030-05-02T06:15:00Z')
  t.is((await read()).headers['keepalive-until'], undefined, 'it is over')
})

test('keepalive is 30 to 86,400 whole seconds', async (t) => {
  const { as, book } = await given(t)
  for (const keepalive of [29, 86_401, 60.5, null, '60'])
    t.is(said(await book('alice', '07:00-08:00', { keepalive })), '422 invalid #/keepalive', String(keepalive))
  for (const keepalive of [30, 86_400])
    t.is(said(await book('alice', {}, { sut_id: await createSut(as('admin')), keepalive })), '201')
})

test('ReservationKept is in the history of the reservation and of its SUT, and moves neither', async (t) => {
  const { ask, clock, keep, path, sut } = await given(t)
  const reads = async () => {
    const answers = [path, `/api/sut/${sut}`, '/api/sut_reservation'].map((read) => ask('admin', `GET ${read}`))
    return (await Promise.all(answers)).map(({ text, headers }) => [text, headers.etag])
  }
  const before = await reads()
  clock.set('2030-05-02T06:01:30Z')
  await keep()
  t.deepEqual(await reads(), before)
  for (const [history, first] of [
    [`${path}/history`, 'berth.ReservationCreated'],
    [`/api/sut/${sut}/history`, 'berth.ListenPortAssigned'],
  ] as const) {
    const { json } = await ask('admin', `GET ${history}`)
    const types = (json.events as readonly { type: string }[]).map(({ type }) => type)
    t.deepEqual([json.count, types[0], types.at(-1)], [types.length, first, 'berth.ReservationKept'])
  }
})
