import test from 'ava'
import { start } from '../../harness.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: changes of SUTs. */

const VALUES = {
  name: 'other',
  description: 'line\none\tand two',
  address: '2001:db8::1',
  port: 22,
  sut_type: 'rdp',
  is_active: false,
  manufacturer: 'acer',
  model: 'aspire',
  os: 'windows',
  version: 'xp',
}

test('is_active defaults to true, and optional strings to ""', async (t) => {
  const service = await start(t, { now: NOW })
  const { json } = await service.as('admin').post('/api/sut/create', aSut())
  t.like(json, { is_active: true, description: '', manufacturer: '', model: '', os: '', version: '' })
  const { json: inactive } = await service.as('admin').post('/api/sut/create', aSut({ is_active: false }))
  t.is(inactive.is_active, false)
})

test('create and update accept the same fields and return the submitted values', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const submitted = { ...VALUES, password: 'secret', user_name: 'root', rdp_height: 1050, rdp_width: 1680 }
  const created = await admin.post('/api/sut/create', submitted)
  t.is(created.status, 201)
  t.like(created.json, VALUES)
  const updated = await admin.post(`/api/sut/${await createSut(admin)}/update`, submitted)
  t.is(updated.status, 200)
  t.like(updated.json, VALUES)
})

for (const [field, value] of Object.entries(VALUES)) {
  test(`an update of ${field} records only that field, keeps the rest and changes updated_at`, async (t) => {
    const service = await start(t, { now: NOW })
    const admin = service.as('admin')
    const created = await admin.post('/api/sut/create', aSut())
    service.clock.set('2030-05-02T07:00:00Z')
    const updated = await admin.post(`${created.headers.location}/update`, { ...aSut(), [field]: value })
    const updated_at = '2030-05-02T07:00:00.000+00:00'
    t.deepEqual(updated.json, { ...created.json, [field]: value, updated_at })
    const { _id } = created.json
    t.deepEqual((await logOf(service)).slice(2), [{ type: 'SutUpdated', data: { _id, [field]: value } }])
  })
}

test('updated_at changes with every recorded change of the SUT, but not with its reservations', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const path = `/api/sut/${await createSut(admin)}`
  let minute = 0
  const changes: readonly (readonly [what: string, moves: boolean, change: () => Promise<unknown>])[] = [
    ['a value', true, () => admin.post(`${path}/update`, { os: 'linux' })],
    ['the same value', false, () => admin.post(`${path}/update`, { os: 'linux' })],
    ['credentials', true, () => admin.post(`${path}/update`, { user_name: 'root' })],
    ['the same credentials', true, () => admin.post(`${path}/update`, { user_name: 'root' })],
    ['a write-only value', true, () => admin.post(`${path}/update`, { rdp_width: 800 })],
    ['a tag', true, () => admin.post(`${path}/tags`, { a: '1' })],
    ['the same tag', false, () => admin.post(`${path}/tags`, { a: '1' })],
    ['a reservation', false, () => reserved(admin, aReservation(path.slice('/api/sut/'.length)))],
    ['a refusal', false, () => admin.post(`${path}/update`, { port: 0 })],
  ]
  for (const [what, moves, change] of changes) {
    const before = await admin.get(path)
    service.clock.set(`2030-05-02T06:0${++minute}:00Z`)
    await change()
    const after = await admin.get(path)
    const expected = moves ? `2030-05-02T06:0${minute}:00.000+00:00` : before.json.updated_at
    t.is(after.json.updated_at, expected, what)
    t.is(after.headers.etag === before.headers.etag, !moves, what)
  }
})

test('an inactive SUT refuses new reservations and extensions, and existing ones can be cancelled', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut_id = await createSut(admin)
  const existing = await reserved(alice, aReservation(sut_id))
  const path = String(existing.headers.location)
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: false })
  const later = { start_time: '2030-05-02T08:00:00Z', end_time: '2030-05-02T09:00:00Z' }
  const refused = [
    await reserve(alice, aReservation(sut_id, later)),
    // Neither a free window nor the role matters.
    await reserve(alice, aReservation(sut_id)),
    await reserve(admin, aReservation(sut_id, later)),
    await alice.post(`${path}/extend`, { end_time: '2030-05-02T06:30:00Z' }),
    await admin.post(`${path}/extend`, { duration: 1800 }),
  ]
  for (const answer of refused) {
    t.deepEqual(refusalOf(answer), [409, 'sut_inactive'])
    t.deepEqual(faultsOf(answer), [])
  }
  t.is((await alice.get(path)).text, existing.text)
  t.is((await alice.post(`${path}/extend`, { end_time: '2030-05-02T06:15:00Z' })).status, 200, 'the current end')
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: true })
  t.is((await reserve(alice, aReservation(sut_id))).status, 201)
})

test('a SUT keeps its listen_port for life', async (t) => {
  const service = await start(t, { now: NOW, environment: { BERTH_LISTEN_PORTS: '4000-4009' } })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  const ports = []
  for (const hour of ['07', '08', '09']) {
    const ends = { start_time: `2030-05-02T${hour}:00:00Z`, end_time: `2030-05-02T${hour}:15:00Z` }
    ports.push((await reserved(admin, aReservation(sut_id, ends))).json.listen_port)
    await createSut(admin)
    await admin.post(`/api/sut/${sut_id}/update`, { name: hour, port: Number(hour) })
  }
  t.deepEqual(ports, [4000, 4000, 4000])
})

test('a listen_port in a request is 422, for a SUT and for a reservation', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  const answers = [
    await admin.post('/api/sut/create', aSut({ listen_port: 20000 })),
    await admin.post(`/api/sut/${sut_id}/update`, { listen_port: 20000 }),
    await reserve(admin, aReservation(sut_id, { listen_port: 20000 })),
  ]
  for (const answer of answers) t.deepEqual(refusalOf(answer), [422, 'field_read_only', '#/listen_port'])
})
