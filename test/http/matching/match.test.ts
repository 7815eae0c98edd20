import '../documents/fit-answers.ts'
import test from 'ava'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { createSut, NOW, reserve } from '../requests.ts'

const HOUR = { start_time: '2030-05-02T06:00:00+00:00', end_time: '2030-05-02T07:00:00+00:00' }

const match = (client: Client, criteria: object, more: object = HOUR) => reserve(client, { match: criteria, ...more })

test('a request with criteria reserves a SUT that fits, and the event records them', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  await createSut(admin, { os: 'linux', tags: { rack: '3' } })
  const fitting = await createSut(admin, { os: 'Windows', tags: { rack: '4' } })
  await createSut(admin, { os: 'windows', tags: { rack: '9' } })
  const criteria = { os: 'WINDOWS', tags: { rack: ['3', '4'], gpu: null }, not: { tags: { rack: '9' } } }
  const made = await match(as('alice'), criteria)
  t.is(made.status, 201, made.text)
  t.is(made.json.sut_id, fitting)
  t.is(made.json.start_time, HOUR.start_time)
  t.is(made.headers.location, `/api/sut_reservation/${made.json._id}`)
  const { json } = await admin.get(`/api/sut_reservation/${made.json._id}/history`)
  t.deepEqual((json.events as { data: { match: object } }[])[0]?.data.match, criteria)
})

test('no SUT that fits is 422, none that is free is 409 and says what to ask for instead', async (t) => {
  const { as } = await start(t, { now: NOW })
  const [admin, alice] = [as('admin'), as('alice')]
  const one = await createSut(admin, { os: 'windows' })
  const other = await createSut(admin, { os: 'windows' })
  const inactive = await createSut(admin, { os: 'windows', is_active: false })
  const retired = await createSut(admin, { os: 'beos' })
  await admin.post(`/api/sut/${retired}/retire`, {})
  const none = await match(alice, { os: 'beos' })
  t.deepEqual([none.status, none.json.code], [422, 'no_sut_matches'])
  t.deepEqual(none.json.errors, [{ pointer: '#/match', detail: 'fits no SUT' }])

  await reserve(admin, { sut_id: one, ...HOUR })
  await reserve(admin, { sut_id: other, start_time: '2030-05-02T06:30:00Z', end_time: '2030-05-02T09:00:00Z' })
  const taken = await match(alice, { os: 'windows' })
  t.deepEqual([taken.status, taken.json.code, taken.json.matching], [409, 'no_sut_free', 3])
  t.deepEqual(taken.json.next_available, {
    sut_id: one,
    start_time: '2030-05-02T07:00:00+00:00',
    end_time: '2030-05-02T08:00:00+00:00',
  })
  t.deepEqual(taken.json.longest, {
    sut_id: other,
    start_time: '2030-05-02T06:00:00+00:00',
    end_time: '2030-05-02T06:30:00+00:00',
  })
  const nothing = await match(alice, { name: 'bench 4', not: { os: 'x' } }, { ...HOUR, user_id: idOf('alice') })
  t.is(nothing.json.code, 'no_sut_free')
  await admin.post(`/api/sut/${one}/update`, { is_active: false })
  await admin.post(`/api/sut/${other}/update`, { is_active: false })
  const idle = await match(alice, { os: 'windows' })
  t.deepEqual([idle.json.matching, idle.json.next_available, idle.json.longest], [3, null, null])
  await admin.post(`/api/sut/${inactive}/update`, { is_active: true })
  t.is((await match(alice, { os: 'windows' })).json.sut_id, inactive)
})

test('SUTs that are offline or outside a scope are no candidates', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const inside = await createSut(admin, { tags: { team: 'qa' } })
  await createSut(admin, { tags: { team: 'dev' } })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa' })
  t.is((await match(as('alice'), { tags: { team: 'dev' } })).json.code, 'no_sut_matches')
  const forAlice = await match(admin, { tags: { team: ['qa', 'dev'] } }, { ...HOUR, user_id: idOf('alice') })
  t.is(forAlice.json.sut_id, inside)
  const again = await match(as('alice'), { os: null })
  t.deepEqual([again.json.code, again.json.matching], ['no_sut_free', 1])
})

test('a request has either a SUT or criteria, and refusals keep their order', async (t) => {
  const { as } = await start(t, { now: NOW })
  const [admin, alice] = [as('admin'), as('alice')]
  const sut_id = await createSut(admin)
  const code = async (body: object, client = alice) => (await reserve(client, body)).json.code
  t.is(await code({ sut_id, match: { os: null }, ...HOUR }), 'sut_ambiguous')
  t.is(await code({ match: { os: '' }, ...HOUR }), 'invalid')
  t.is(await code({ match: { sut_type: 'ssh' }, ...HOUR }), 'invalid')
  t.is(await code(HOUR), 'sut_required')
  t.is(await code({ match: {}, ...HOUR }), 'invalid')
  t.is(await code({ match: { os: 'x' } }), 'window_required')
  t.is(await code({ match: { os: 'x' }, ...HOUR, end_time: HOUR.start_time }), 'window_empty')
  t.is(await code({ match: { os: 'x' }, ...HOUR, user_id: idOf('bob') }), 'not_your_reservation')
  t.is(await code({ match: { os: 'x' }, ...HOUR, user_id: 'nobody' }, admin), 'user_not_found')
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { reservations_max: 0 } })
  t.is(await code({ match: { os: 'x' }, ...HOUR }), 'no_sut_matches')
  t.is(await code({ match: { os: null }, ...HOUR }), 'quota_exceeded')
  await reserve(admin, { sut_id, ...HOUR })
  t.is(await code({ match: { os: null }, ...HOUR }), 'no_sut_free')
})
