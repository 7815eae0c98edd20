/** What administrators set and the document of a SUT leaves out, on request. */

import test from 'ava'
import { start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { createSut, NOW } from '../../requests.ts'
import '../../documents/fit-answers.ts'

const NOTHING = {
  turnaround: 0,
  release_unused_after: 0,
  listen_port: 20_000,
  monitoring_interval: null,
  has_password: false,
  has_user_name: false,
  rdp_width: null,
  rdp_height: null,
}

test('include=settings adds what was set last, until monitoring ends and the SUT is retired', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const id = await createSut(admin)
  const settings = async () => (await admin.get(`/api/sut/${id}?include=settings`)).json.settings
  t.deepEqual(await settings(), NOTHING)
  const changed = {
    rdp_width: 1_280,
    rdp_height: 800,
    password: 's3cret',
    user_name: '',
    turnaround: 901,
    release_unused_after: 300,
  }
  await admin.post(`/api/sut/${id}/update`, changed)
  await admin.post(`/api/sut/${id}/monitoring`, { enabled: true, interval: 30 })
  const set = {
    ...NOTHING,
    rdp_width: 1_280,
    rdp_height: 800,
    has_password: true,
    turnaround: 1_800,
    release_unused_after: 300,
  }
  t.deepEqual(await settings(), { ...set, monitoring_interval: 30 })
  await admin.post(`/api/sut/${id}/monitoring`, { enabled: false })
  await admin.post(`/api/sut/${id}/update`, { password: '', user_name: 'lab' })
  t.deepEqual(await settings(), { ...set, has_password: false, has_user_name: true })
  await admin.post(`/api/sut/${id}/monitoring`, { enabled: true })
  await admin.post(`/api/sut/${id}/retire`, {})
  t.deepEqual(await settings(), { ...set, listen_port: null, has_password: false, has_user_name: true })
})

test('lists have of the settings what everybody sees, as they are now', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const [plain, own] = [await createSut(admin), await createSut(admin, { turnaround: 600, release_unused_after: 300 })]
  await admin.post(`/api/sut/${own}/update`, { turnaround: 1_800 })
  const ofAll = [
    [own, { turnaround: 1_800, release_unused_after: 300 }],
    [plain, { turnaround: 0, release_unused_after: 0 }],
  ]
  const listed = async (name: string, more = '') => {
    const { json } = await service.as(name).get(`/api/sut?include=settings${more}`)
    return (json.suts as readonly { _id: string; settings: object }[]).map(({ _id, settings }) => [_id, settings])
  }
  for (const name of ['admin', 'alice', 'audrey']) t.deepEqual(await listed(name), ofAll, name)
  t.deepEqual(await listed('alice', '&limit=1&offset=1'), [ofAll[1]])
  const [{ settings: _, ...sut }] = (await admin.get('/api/sut?include=settings&limit=1')).json.suts as [
    Record<string, unknown>,
  ]
  t.deepEqual(sut, (await admin.get(`/api/sut/${own}`)).json)
  await admin.post(`/api/sut/${own}/retire`, {})
  t.deepEqual(await listed('admin', '&retired=true'), [ofAll[0]])
  t.deepEqual(refusalOf(await admin.get('/api/sut?include=settings&as_of=0')), [422, 'invalid', 'include'])
  const csv = await admin.request('GET', '/api/sut?include=settings', { Accept: 'text/csv' })
  t.deepEqual(refusalOf(csv), [422, 'invalid', 'include'])
})

test('everybody sees the turnaround, administrators alone the other settings, and nobody as of the past', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const id = await createSut(admin, { turnaround: 600, release_unused_after: 86_400 })
  const path = `/api/sut/${id}?include=settings`
  for (const name of ['alice', 'audrey'])
    t.deepEqual(
      (await service.as(name).get(path)).json.settings,
      { turnaround: 900, release_unused_after: 86_400 },
      name,
    )
  t.deepEqual(refusalOf(await admin.get(`${path}&as_of=0`)), [422, 'invalid', 'include'])
  t.deepEqual(refusalOf(await admin.get(`/api/sut/${id}?include=names`)), [422, 'invalid', 'include'])
  t.is((await admin.get(`/api/sut/${'5'.repeat(24)}?include=settings`)).json.code, 'sut_not_found')
})
