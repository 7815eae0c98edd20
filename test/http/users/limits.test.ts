import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { NOW } from '../requests.ts'
import '../documents/fit-answers.ts'

/** Shows how administrators set the quotas and scopes of testers. */

const given = (t: ExecutionContext): Promise<Running> =>
  start(t, { now: NOW, environment: { BERTH_QUOTA_DEFAULT: 'hours_per_week=40,reservations_max=7' } })

const create = (service: Running, more: object): Promise<Answer> =>
  service.as('admin').post('/api/user/create', { name: 'carol', role: 'tester', ...more })
const update = (service: Running, name: string, body: object): Promise<Answer> =>
  service.as('admin').post(`/api/user/${idOf(name)}/update`, body)

const WHOLE = { hours_per_week: 1.25, reservations_max: null, priority_max: 5 }

test('a tester is created with a quota and a scope, which is shown in its canonical form', async (t) => {
  const service = await given(t)
  const { status, json } = await create(service, { quota: WHOLE, scope: 'team=a%2Cb, rack=4' })
  t.is(status, 201)
  t.like(json, { quota: WHOLE, scope: 'rack=4,team=a%2Cb' })
  t.like((await service.as('audrey').get(`/api/user/${json._id}`)).json, { quota: WHOLE, scope: 'rack=4,team=a%2Cb' })
})

test('thorough: limits that a new quota omits are those of the service', async (t) => {
  const service = await given(t)
  const { json } = await create(service, { quota: { reservations_max: 1 } })
  t.deepEqual(json.quota, { hours_per_week: 40, reservations_max: 1, priority_max: 0 })
})

test('an update changes the limits that it names, and null is the quota of the service again', async (t) => {
  const service = await given(t)
  const quotaOf = async (quota: object | null) => (await update(service, 'alice', { quota })).json.quota
  t.deepEqual(await quotaOf(WHOLE), WHOLE)
  t.deepEqual(await quotaOf({ hours_per_week: null }), { ...WHOLE, hours_per_week: null })
  t.deepEqual(await quotaOf({}), { ...WHOLE, hours_per_week: null })
  t.is(await quotaOf(null), null)
  t.is((await update(service, 'alice', { scope: 'rack=4' })).json.scope, 'rack=4')
  t.is((await update(service, 'alice', { scope: '' })).json.scope, '')
})

test('only testers get a quota or a scope, and another role drops both', async (t) => {
  const service = await given(t)
  const places = ({ status, json }: Answer) => [
    status,
    ...(json.errors as readonly { pointer: string }[]).map(({ pointer }) => pointer),
  ]
  const both = { quota: WHOLE, scope: 'rack=4' }
  t.deepEqual(places(await update(service, 'audrey', both)), [422, '#/quota', '#/scope'])
  t.deepEqual(places(await create(service, { role: 'administrator', ...both })), [422, '#/quota', '#/scope'])
  t.like((await update(service, 'bob', both)).json, both)
  t.like((await update(service, 'bob', { role: 'auditor' })).json, { role: 'auditor', quota: null, scope: '' })
})

const refusals: readonly (readonly [body: object, ...pointers: readonly string[]])[] = [
  [
    { quota: { hours_per_week: 168.25, reservations_max: 10_001, priority_max: -1 } },
    '/hours_per_week',
    '/reservations_max',
    '/priority_max',
  ],
  [{ quota: { hours_per_week: 0.1, reservations_max: 1.5 } }, '/hours_per_week', '/reservations_max'],
  [{ quota: { hours: 40 } }, '/hours'],
  [{ quota: 'default' }, ''],
]
for (const [body, ...pointers] of refusals) {
  test(`the quota of ${JSON.stringify(body)} is refused, with the place of each problem`, async (t) => {
    const service = await given(t)
    const { status, json } = await update(service, 'alice', body)
    t.is(status, 422)
    t.deepEqual(
      (json.errors as readonly { pointer: string }[]).map(({ pointer }) => pointer),
      pointers.map((pointer) => `#/quota${pointer}`),
    )
  })
}

for (const scope of [
  'rack',
  'rack=4,rack=5',
  'rack=50%',
  ',',
  Array.from({ length: 17 }, (_, n) => `t${n}=1`).join(),
]) {
  test(`the scope ${JSON.stringify(scope)} is refused`, async (t) => {
    const { status, json } = await update(await given(t), 'alice', { scope })
    t.deepEqual([status, json.code], [422, 'invalid'])
  })
}
