import test from 'ava'
import { start } from '../../harness.ts'
import { aReservation, aSut, createSut, NOW, reserved } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'

const LATER = '2030-05-02T07:00:00.001Z'

test("a SUT needs only name, address, port and type, and the answer has all the API's fields in order", async (t) => {
  const service = await start(t, { now: NOW })
  const answer = await service.as('admin').post('/api/sut/create', aSut())
  const _id = String(answer.json._id)
  t.is(answer.status, 201)
  t.regex(_id, /^717bb1f3[0-9a-f]{16}$/)
  t.is(
    answer.text,
    JSON.stringify({
      _id,
      created_at: '2030-05-02T05:58:11.400+00:00',
      updated_at: '2030-05-02T05:58:11.400+00:00',
      name: 'bench 4',
      description: '',
      address: '192.168.9.5',
      port: 5902,
      sut_type: 'vnc',
      is_active: true,
      manufacturer: '',
      model: '',
      os: '',
      version: '',
      monitoring: {
        status: 'SUT Monitoring Disabled',
        last_updated: '2030-05-02T05:58:11+00:00',
        status_description: 'SUT Monitoring is disabled',
      },
      tags: {},
    }),
  )
  t.is(answer.headers['content-type'], 'application/json')
  t.is(answer.headers.location, `/api/sut/${_id}`)
  t.is(answer.headers.etag, '"0"')
})

test('two SUTs may have the same name', async (t) => {
  const service = await start(t)
  t.not(await createSut(service.as('admin')), await createSut(service.as('admin')))
})

const EXTREMES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the longest name, in characters of two code units': { name: '\u{1f5a5}'.repeat(256) },
  'the longest description, with line breaks and tabs': { description: `a\r\n\tb${'\u{1f5a5}'.repeat(4091)}` },
  'a name of one blank': { name: ' ' },
  'values that are special to other programs': { name: '__proto__', model: '<b>"\'; --', version: '\u2028' },
  'the lowest numbers': { port: 1, rdp_height: 1, rdp_width: 1 },
  'the highest numbers': { port: 65535, rdp_height: 16384, rdp_width: 16384 },
  'an IPv6 address': { address: '2001:db8::192.0.2.1', sut_type: 'rdp' },
  'a host name': { address: 'bench-4.lab.example', sut_type: 'tcp' },
}

for (const [what, values] of Object.entries(EXTREMES)) {
  test(`a SUT with ${what} is stored as sent and is the same after a restart`, async (t) => {
    const service = await start(t)
    const created = await service.as('admin').post('/api/sut/create', aSut(values))
    const { rdp_height: _height, rdp_width: _width, ...returned } = values
    t.is(created.status, 201)
    t.like(created.json, returned)
    await service.stop()
    const again = await start(t, { data: service.data })
    t.is((await again.as('alice').get(String(created.headers.location))).text, created.text)
  })
}

test('write-only fields are never returned', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const secrets = { password: 'hunter2 canary', user_name: 'root canary', rdp_height: 1050, rdp_width: 1680 }
  const created = await admin.post('/api/sut/create', aSut(secrets))
  const path = String(created.headers.location)
  const answers = [created, await admin.get(path), await admin.post(`${path}/update`, { ...secrets, os: 'linux' })]
  for (const { json, text } of answers) {
    for (const field of Object.keys(secrets)) t.false(Object.hasOwn(json, field))
    // The random digits of an id may contain a number.
    t.notRegex(text.replaceAll(String(json._id), ''), /canary|1050|1680|credentials/)
  }
})

test('an update changes its fields, updated_at and the ETag, and keeps the rest', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const before = await admin.post('/api/sut/create', aSut({ description: 'old', is_active: false, os: 'windows' }))
  const path = String(before.headers.location)
  service.clock.set(LATER)
  const after = await admin.post(`${path}/update`, { description: 'new', is_active: true })
  t.is(after.status, 200)
  const expected = { ...before.json, updated_at: '2030-05-02T07:00:00.001+00:00', description: 'new', is_active: true }
  t.is(after.text, JSON.stringify(expected))
  t.is(after.headers.etag, '"1"')
  t.is(after.headers.location, undefined)
  t.is((await admin.get(path)).text, after.text)
})

test('an update records only the fields that change', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const _id = await createSut(admin, { os: 'windows', rdp_width: 800 })
  await admin.post(`/api/sut/${_id}/update`, { name: 'bench 4', os: 'linux', rdp_width: 800, rdp_height: 600 })
  t.deepEqual((await logOf(service)).at(-1), { type: 'SutUpdated', data: { _id, os: 'linux', rdp_height: 600 } })
})

test('an update that changes nothing returns the SUT and records nothing', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const created = await admin.post('/api/sut/create', aSut())
  const recorded = (await logOf(service)).length
  service.clock.set(LATER)
  for (const nothing of [{}, { name: 'bench 4' }, { port: 5902, is_active: true, description: '' }]) {
    const answer = await admin.post(`${created.headers.location}/update`, nothing)
    t.is(answer.status, 200)
    t.is(answer.text, created.text)
    t.is(answer.headers.etag, created.headers.etag)
  }
  t.is((await logOf(service)).length, recorded)
})

test('submitted credentials always count as a change, so nobody can test a guess', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const _id = await createSut(admin, { password: 'right' })
  service.clock.set(LATER)
  const answers = []
  for (const password of ['right', 'wrong']) answers.push(await admin.post(`/api/sut/${_id}/update`, { password }))
  t.deepEqual(
    answers.map(({ status, headers }) => [status, headers.etag]),
    [
      [200, '"1"'],
      [200, '"2"'],
    ],
  )
  t.is(answers[0]?.text, answers[1]?.text)
  t.is(answers[0]?.json.updated_at, '2030-05-02T07:00:00.001+00:00')
  const credentials = (await logOf(service))
    .slice(-2)
    .map(({ data }) => data.credentials as { id: string; changed: unknown })
  for (const { changed } of credentials) t.deepEqual(changed, ['password'])
  t.not(credentials[0]?.id, credentials[1]?.id)
})

test('an inactive SUT cannot be reserved until it is active again', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const _id = await createSut(admin, { is_active: false })
  const refused = await service.as('alice').post('/api/sut_reservation/create', aReservation(_id))
  t.deepEqual([refused.status, refused.json.code], [409, 'sut_inactive'])
  await admin.post(`/api/sut/${_id}/update`, { is_active: true })
  await reserved(service.as('alice'), aReservation(_id))
})

test('a reservation changes neither updated_at nor the ETag of its SUT', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const created = await admin.post('/api/sut/create', aSut())
  await reserved(service.as('alice'), aReservation(String(created.json._id)))
  const read = await admin.get(String(created.headers.location))
  t.is(read.text, created.text)
  t.is(read.headers.etag, created.headers.etag)
  const updated = await admin.post(`${created.headers.location}/update`, { os: 'linux' })
  t.is(updated.headers.etag, '"2"')
})

test('a SUT is refused when all listen_ports are assigned, and the others remain', async (t) => {
  const service = await start(t, { environment: { BERTH_LISTEN_PORTS: '4000-4001' } })
  const admin = service.as('admin')
  const first = await createSut(admin)
  await createSut(admin)
  const refused = await admin.post('/api/sut/create', aSut())
  t.deepEqual([refused.status, refused.json.code], [503, 'listen_ports_exhausted'])
  t.regex(refused.headers['retry-after'] ?? '', /^\d+$/)
  t.is((await admin.get(`/api/sut/${first}`)).status, 200)
})
