import test, { type ExecutionContext } from 'ava'
import { idOf, start } from '../harness.ts'
import { createSut, NOW, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

/** A running reservation of Alice's, and a read of it that waits for a minute. */
const given = async (t: ExecutionContext, duration = 3600) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(service.as('alice'), { sut_id, user_id: idOf('alice'), start_in: 0, duration })
  const path = String(made.headers.location)
  const read = (query = '?wait=60&include=state', who = 'alice') => service.as(who).get(`${path}${query}`)
  const change = (verb: string, body = {}) => service.as('alice').post(`${path}/${verb}`, body)
  return { service, path, read, change, made }
}

test('a read that waits is answered when the reservation is released', async (t) => {
  const { read, change } = await given(t)
  const reading = read()
  await change('cancel')
  t.like((await reading).json, { state: 'released' })
  t.like((await read()).json, { state: 'released' }, 'one that is over is answered at once')
})

test('a read that waits is answered when the reservation changes, and not before', async (t) => {
  const { read, change } = await given(t)
  const [short, long] = [await read('?wait=1&include=state'), read('?wait=60')]
  t.like(short.json, { state: 'running' })
  const { json } = await change('extend', { by: 900 })
  t.is((await long).json.end_time, json.end_time)
})

test('a read that waits is answered at the end of the window, and when it is cancelled before its start', async (t) => {
  const { service, read, made } = await given(t)
  service.clock.set(new Date(Date.parse(String(made.json.end_time)) - 300).toISOString())
  t.is((await read('?wait=60')).json.end_time, made.json.end_time)
  const later = await reserved(service.as('alice'), {
    ...{ sut_id: made.json.sut_id, user_id: idOf('alice'), start_in: 7200, duration: 900 },
  })
  const reading = service.as('alice').get(`${later.headers.location}?wait=60`)
  await service.as('alice').post(`${later.headers.location}/cancel`, {})
  t.like((await reading).json, { status: 410, code: 'reservation_cancelled' })
})

test('a read that waits is refused to a user who has been removed meanwhile, and with as_of', async (t) => {
  const { service, path, read, change } = await given(t)
  const reading = read('?wait=60', 'bob')
  await service.as('admin').post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  await change('cancel')
  t.is((await reading).status, 401)
  const both = await service.as('audrey').get(`${path}?wait=1&as_of=1`)
  t.deepEqual(both.json.errors, [{ parameter: 'wait', detail: 'cannot be combined with as_of' }])
  t.is((await read('?wait=61')).status, 422)
})

test('a refusal says how a reservation ended, and by whom to those who may know', async (t) => {
  const { service, path, made, change } = await given(t)
  const by = (who: string) => ({ by: idOf(who) })
  await service.as('admin').post(`${path}/cancel`, {})
  const released = (await change('extend', { by: 900 })).json
  t.like(released, { status: 409, code: 'reservation_over', cause: 'released', ...by('admin') })
  t.is(released.detail, 'The reservation has been released by admin.')
  const window = { sut_id: made.json.sut_id, user_id: idOf('alice'), start_in: 7200, duration: 900 }
  const later = String((await reserved(service.as('alice'), window)).headers.location)
  await service.as('alice').post(`${later}/cancel`, {})
  const cancelled = { code: 'reservation_cancelled', cause: 'cancelled' }
  t.like((await service.as('alice').post(`${later}/update`, {})).json, { ...cancelled, ...by('alice') })
  t.like((await service.as('alice').get(`${later}/connection`)).json, { ...cancelled, ...by('alice') })
  t.is(
    (await service.as('audrey').get(later)).json.detail,
    'The reservation has been cancelled by alice. Its history remains available.',
  )
  t.like((await service.as('bob').get(later)).json, {
    ...{ ...cancelled, by: null },
    detail: 'The reservation has been cancelled. Its history remains available.',
  })
  const third = await reserved(service.as('alice'), { ...window, start_in: 0 })
  service.clock.set('2030-05-02T09:00:00.000Z')
  const over = await service.as('alice').post(`${third.headers.location}/extend`, { by: 900 })
  t.like(over.json, { code: 'reservation_over', cause: 'ended', by: null, detail: 'The reservation has ended.' })
})
