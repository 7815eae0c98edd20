import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { asks, lab, said } from '../lab.ts'
import { createSut } from '../requests.ts'

const untilIn = ({ headers }: Answer): unknown => headers['keepalive-until']

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

test('creation, reads and keeping say until when a reservation is kept alive', async (t) => {
  const { clock, made, keep, read } = await given(t)
  t.deepEqual(Object.keys(made.json), [
    ...['_id', 'created_at', 'updated_at', 'start_time', 'end_time', 'user_id', 'sut_id', 'listen_port'],
  ])
  for (const answer of [made, await read(), await read('?include=state')])
    t.is(untilIn(answer), '2030-05-02T06:02:00.000Z')
  clock.set('2030-05-02T06:01:30.250Z')
  const answer = await keep()
  t.deepEqual([answer.status, answer.text, untilIn(answer)], [200, made.text, '2030-05-02T06:03:30.250Z'])
  t.is(untilIn(await read()), '2030-05-02T06:03:30.250Z')
  clock.set('2030-05-02T06:15:00Z')
  t.is(untilIn(await read()), undefined, 'it is over')
})

test('the first sign of life is recorded, and then only when less than half of the time is left, whatever its key', async (t) => {
  const { clock, keep, kept } = await given(t)
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
})

test('only the holder and administrators keep a reservation alive, while it is not over or cancelled', async (t) => {
  const { ask, book, clock, keep, path, read } = await given(t)
  t.is((await keep('admin')).status, 200)
  const other = `/api/sut_reservation/${(await book('alice', '07:00-08:00')).json._id}`
  t.is(untilIn(await ask('alice', `GET ${other}`)), undefined)
  clock.set('2030-05-02T06:00:30Z')
  await asks(t, { ask }, [
    ['bob', `POST ${path}/keepalive`, '403 not_your_reservation'],
    ['audrey', `POST ${path}/keepalive`, '403 forbidden'],
    ['alice', `POST ${other}/keepalive`, '409 not_kept_alive'],
    ['alice', `POST ${other}/cancel`, '200'],
    ['alice', `POST ${other}/keepalive`, '410 reservation_cancelled'],
    ['alice', `POST ${path}/cancel`, '200'],
    ['alice', `POST ${path}/keepalive`, '409 reservation_over'],
    ['alice', 'POST /api/sut_reservation/58c38f5d444553252cce0000/keepalive', '404 reservation_not_found'],
  ])
  t.is(untilIn(await read()), undefined)
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
