/** Shows how administrators set the quotas and scopes of testers. */

import test, { type ExecutionContext } from 'ava'
import { idOf } from '../harness.ts'
import { asks, lab, said } from '../lab.ts'

const given = async (t: ExecutionContext) => {
  const service = await lab(t, { environment: { BERTH_QUOTA_DEFAULT: 'hours_per_week=40,reservations_max=7' } })
  const create = (more: object) =>
    service.ask('admin', 'POST /api/user/create', { name: 'carol', role: 'tester', ...more })
  const update = (name: string, body: object) => service.ask('admin', `POST /api/user/${idOf(name)}/update`, body)
  return { ...service, create, update }
}

const WHOLE = { hours_per_week: 1.25, reservations_max: null, priority_max: 5 }

test('a tester is created with a quota and a scope, which is shown in its canonical form', async (t) => {
  const { ask, create, update } = await given(t)
  const { status, json } = await create({ quota: WHOLE, scope: 'team=a%2Cb, rack=4' })
  t.is(status, 201)
  t.like(json, { quota: WHOLE, scope: 'rack=4,team=a%2Cb' })
  t.like((await ask('audrey', `GET /api/user/${json._id}`)).json, { quota: WHOLE, scope: 'rack=4,team=a%2Cb' })
  const other = await create({ name: 'dave', quota: { reservations_max: 1 } })
  t.deepEqual(other.json.quota, { hours_per_week: 40, reservations_max: 1, priority_max: 0 }, 'the service’s others')
  t.is((await update('alice', { quota: null })).json.quota, null)
  t.deepEqual((await update('alice', { quota: { reservations_max: 1 } })).json.quota, other.json.quota)
})

test('only testers get a quota or a scope, another role drops both, and what is none is refused by its place', async (t) => {
  const { ask, create, update } = await given(t)
  const both = { quota: WHOLE, scope: 'rack=4' }
  t.is(said(await update('audrey', both)), '422 invalid #/quota #/scope')
  t.is(said(await create({ role: 'administrator', ...both })), '422 invalid #/quota #/scope')
  t.like((await update('bob', both)).json, both)
  t.like((await update('bob', { role: 'auditor' })).json, { role: 'auditor', quota: null, scope: '' })
  const path = `POST /api/user/${idOf('alice')}/update`
  const all = { hours_per_week: 168.25, reservations_max: 10_001, priority_max: -1 }
  await asks(t, { ask }, [
    [
      ...(['admin', path] as const),
      '422 invalid #/quota/hours_per_week #/quota/reservations_max #/quota/priority_max',
      { quota: all },
    ],
    ['admin', path, '422 invalid #/quota/reservations_max', { quota: { reservations_max: 1.5 } }],
    ['admin', path, '422 field_unknown #/quota/hours', { quota: { hours: 40 } }],
    ['admin', path, '422 invalid #/quota', { quota: 'default' }],
    ...['rack', 'rack=4,rack=5', ','].map((scope) => ['admin', path, '422 invalid #/scope', { scope }] as const),
  ])
})
