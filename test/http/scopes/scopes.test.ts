/** Shows what a tester with a scope, alice, sees and may do. */

import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { begin, within } from '../logins/login.ts'
import { refusalOf } from '../refusals/problems.ts'
import { at, INSIDE, idIn, type Lab, openLab, SCOPE } from './lab.ts'
import '../documents/fit-answers.ts'

const OUTSIDE = { team: 'qa2', rack: '4' }

const given = async (t: ExecutionContext): Promise<Lab> => {
  const lab = await openLab(t)
  await lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope: SCOPE })
  await lab.addSut('inside', INSIDE)
  await lab.addSut('outside', OUTSIDE)
  return lab
}

const get = (lab: Lab, path: string, who = 'alice'): Promise<Answer> => lab.service.as(who).get(path)

type Listed = readonly { readonly _id: string; readonly name?: string }[]

/** The labels of what a list shows, newest first. They must be as many as it counts. */
const listed = async (t: ExecutionContext, lab: Lab, path: string): Promise<readonly string[]> => {
  const { json } = await get(lab, path)
  const [entries] = Object.values(json).filter(Array.isArray) as unknown as readonly [Listed]
  t.is(json.count, entries.length)
  const labels = new Map([...lab.ids].map(([label, id]) => [id, label]))
  return entries.map(({ _id }) => labels.get(_id) ?? _id)
}

const reserveAs = (lab: Lab, who: string, sut: string, start: string, end: string): Promise<Answer> =>
  lab.service
    .as(who)
    .post('/api/sut_reservation/create', { sut_id: idIn(lab, sut), start_time: at(start), end_time: at(end) })

test('a tester sees and reserves the machines in its scope only', async (t) => {
  const lab = await given(t)
  t.deepEqual(await listed(t, lab, '/api/sut'), ['inside'])
  t.is((await get(lab, `/api/sut/${idIn(lab, 'inside')}`)).status, 200)
  t.is((await reserveAs(lab, 'alice', 'inside', '06:00', '07:00')).status, 201)
  for (const path of ['', '/availability']) {
    t.deepEqual(refusalOf(await get(lab, `/api/sut/${idIn(lab, 'outside')}${path}`)), [404, 'sut_not_found'])
  }
  const refused = await reserveAs(lab, 'alice', 'outside', '06:00', '07:00')
  t.deepEqual([refused.status, refused.json.code], [404, 'sut_not_found'])
  t.deepEqual(refused.json.errors, [{ pointer: '#/sut_id', detail: 'is not the id of a SUT' }])
})

test('others’ reservations outside do not exist for it, those inside do', async (t) => {
  const lab = await given(t)
  await lab.reserve('bob inside', 'inside', 'bob', at('06:00'), at('07:00'))
  await lab.reserve('bob outside', 'outside', 'bob', at('06:00'), at('07:00'))
  t.deepEqual(await listed(t, lab, '/api/sut_reservation'), ['bob inside'])
  t.deepEqual(await listed(t, lab, `/api/sut_reservation?user_id=${idIn(lab, 'bob')}`), ['bob inside'])
  t.deepEqual(await listed(t, lab, `/api/sut_reservation?sut_id=${idIn(lab, 'outside')}`), [])
  t.is((await get(lab, `/api/sut_reservation/${idIn(lab, 'bob inside')}`)).status, 200)
  for (const path of ['', '/history', '/connection']) {
    const answer = await get(lab, `/api/sut_reservation/${idIn(lab, 'bob outside')}${path}`)
    t.deepEqual(refusalOf(answer), [404, 'reservation_not_found'])
  }
  for (const what of ['cancel', 'update', 'console']) {
    const path = `/api/sut_reservation/${idIn(lab, 'bob outside')}/${what}`
    t.deepEqual(refusalOf(await lab.service.as('alice').request('POST', path)), [404, 'reservation_not_found'])
  }
})

test('an administrator reserves outside for it: that can be read, bound, cancelled, not extended', async (t) => {
  const lab = await given(t)
  await lab.reserve('own', 'outside', 'alice', at('05:45'), at('06:15'))
  await lab.reserve('bob', 'outside', 'bob', at('06:15'), at('06:30'))
  const path = `/api/sut_reservation/${idIn(lab, 'own')}`
  t.deepEqual(await listed(t, lab, '/api/sut_reservation'), ['own'])
  t.deepEqual(await listed(t, lab, '/api/sut_reservation?current=true'), ['own'])
  t.deepEqual(await listed(t, lab, `/api/sut_reservation?sut_id=${idIn(lab, 'outside')}`), ['own'])
  t.is((await get(lab, path)).json._id, idIn(lab, 'own'))
  t.is((await get(lab, `${path}/connection`)).status, 200)
  t.is((await get(lab, `/api/sut/${idIn(lab, 'outside')}`)).status, 404)
  const alice = lab.service.as('alice')
  t.is((await alice.request('POST', `${path}/update`)).status, 200)
  // The next quarter-hour is bob's, which must not show.
  const extended = await alice.post(`${path}/extend`, { duration: 3600 })
  t.deepEqual(refusalOf(extended), [404, 'sut_not_found'])
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  const { json } = await get(lab, `${path}/history`)
  const types = (json.events as readonly { type: string; revision?: number }[]).map(({ type, revision }) => [
    type,
    revision,
  ])
  t.deepEqual(types, [
    ['berth.ReservationCreated', undefined],
    ['berth.ReservationBound', undefined],
    ['berth.ReservationReleased', undefined],
  ])
})

test('a machine whose tags change enters and leaves the scope at once', async (t) => {
  const lab = await given(t)
  await lab.reserve('bob', 'outside', 'bob', at('06:00'), at('07:00'))
  const tags = (label: string, changed: object) => lab.post(`/api/sut/${idIn(lab, label)}/tags`, changed)
  await tags('outside', { team: 'qa1' })
  t.deepEqual(await listed(t, lab, '/api/sut'), ['outside', 'inside'])
  t.deepEqual(await listed(t, lab, '/api/sut_reservation'), ['bob'])
  await tags('outside', { rack: null })
  await tags('inside', { team: 'qa10' })
  t.deepEqual(await listed(t, lab, '/api/sut'), [])
  t.deepEqual(await listed(t, lab, '/api/sut_reservation'), [])
  t.is((await reserveAs(lab, 'alice', 'inside', '06:00', '07:00')).status, 404)
})

test('a changed scope counts for the next request, and an empty one or another role ends it', async (t) => {
  const lab = await given(t)
  const update = (change: object) => lab.post(`/api/user/${lab.ids.get('alice')}/update`, change)
  t.deepEqual(await listed(t, lab, '/api/sut'), ['inside'])
  await update({ scope: 'team=qa2' })
  t.deepEqual(await listed(t, lab, '/api/sut'), ['outside'])
  await update({ scope: '' })
  t.deepEqual(await listed(t, lab, '/api/sut'), ['outside', 'inside'])
  await update({ scope: 'team=qa3' })
  t.deepEqual(await listed(t, lab, '/api/sut'), [])
  await update({ role: 'auditor' })
  t.deepEqual(await listed(t, lab, '/api/sut'), ['outside', 'inside'])
})

test('tokens and sessions have the scope of their user', async (t) => {
  const lab = await given(t)
  const { json } = await lab.service.as('alice').post('/api/user/me/token', { name: 'ci' })
  for (const secret of [String(json.token), await begin(lab.service, 'alice')]) {
    const client = within(lab.service, secret)
    t.is((await client.get('/api/sut')).json.count, 1)
    t.is((await client.get(`/api/sut/${idIn(lab, 'outside')}`)).status, 404)
    await lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope: 'team=qa3' })
    t.is((await client.get('/api/sut')).json.count, 0)
    await lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope: SCOPE })
  }
})

test('it sees itself among the users, and who holds machines that it sees', async (t) => {
  const lab = await given(t)
  await lab.addUser('dora')
  await lab.addUser('otto')
  t.deepEqual(await listed(t, lab, '/api/user'), ['alice'])
  await lab.reserve('dora inside', 'inside', 'dora', at('06:00'), at('07:00'))
  await lab.reserve('otto outside', 'outside', 'otto', at('06:00'), at('07:00'))
  t.deepEqual(await listed(t, lab, '/api/user'), ['dora', 'alice'])
  t.deepEqual((await get(lab, '/api/user/id-of-dora')).json, { _id: 'id-of-dora', name: 'dora' })
  for (const id of ['id-of-otto', lab.ids.get('admin'), 'none']) {
    t.deepEqual(refusalOf(await get(lab, `/api/user/${id}`)), [404, 'user_not_found'])
  }
  await lab.post('/api/user/id-of-dora/remove', { reservations: 'keep' })
  t.deepEqual(await listed(t, lab, '/api/user'), ['alice'])
  t.deepEqual(await listed(t, lab, '/api/user?removed=true'), ['dora', 'alice'])
  await lab.post(`/api/sut_reservation/${idIn(lab, 'dora inside')}/cancel`)
  t.deepEqual(await listed(t, lab, '/api/user?removed=true'), ['alice'])
})

test('its own entity tag changes with what it sees of itself, and is no count', async (t) => {
  const lab = await given(t)
  const first = await get(lab, '/api/user/me')
  t.regex(String(first.headers.etag), /^"[A-Za-z0-9_-]{22}"$/)
  const again = (etag: unknown) => lab.service.as('alice').get('/api/user/me', { 'If-None-Match': String(etag) })
  t.is((await again(first.headers.etag)).status, 304)
  await lab.post(`/api/user/${lab.ids.get('alice')}/update`, { quota: { hours_per_week: 1 } })
  t.is((await again(first.headers.etag)).status, 200)
})
