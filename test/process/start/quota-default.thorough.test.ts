import { join } from 'node:path'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { serve } from '../harness.ts'

test('the quota of BERTH_QUOTA_DEFAULT is reported at the start and limits new testers', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data, env: { BERTH_QUOTA_DEFAULT: 'hours_per_week=1.5,reservations_max=1' } })
  const reported = JSON.parse(await service.line('"msg":"listening"')) as { quota_default: string }
  t.is(reported.quota_default, 'hours_per_week=1.5,reservations_max=1,priority_max=0')
  const password = 'battery staple'
  const added = await service.post('/api/user/create', { name: 'anna', role: 'tester', password })
  t.like(added, { status: 201, json: { quota: null } })
  const sut_id = (await service.post('/api/sut/create', aSut())).json._id as string
  const reserve = (start_in: number, duration: number) =>
    service.as('anna', password).post('/api/sut_reservation/create', { sut_id, start_in, duration })
  t.like(await reserve(7_200, 7_200), { status: 403, json: { code: 'quota_exceeded', quota: { hours_per_week: 1.5 } } })
  t.is((await reserve(7_200, 900)).status, 201)
  t.like(await reserve(14_400, 900), { status: 403, json: { code: 'quota_exceeded', week: null } })
  await service.stop()
})
