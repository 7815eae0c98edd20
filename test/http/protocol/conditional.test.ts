import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { type Running, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows behaviour/errors-and-retrying.md: ETag, If-Match and If-None-Match as in RFC 9110, section 13. */

/** A SUT whose record is at revision 2. Its reservation is at revision 1. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const _id = await createSut(admin)
  const reservation = await reserved(service.as('alice'), aReservation(_id))
  const path = `/api/sut/${_id}`
  const current = await admin.post(`${path}/update`, { os: 'linux' })
  t.is(current.headers.etag, '"2"')
  return { service, path, current, reservation }
}

/** A write of each kind that evaluates If-Match. Each changes something once. */
const WRITES: Readonly<Record<string, (service: Running, path: string, ifMatch: string) => Promise<Answer>>> = {
  update: (service, path, ifMatch) =>
    service.as('admin').post(`${path}/update`, { name: 'changed' }, { 'If-Match': ifMatch }),
  tags: (service, path, ifMatch) => service.as('admin').post(`${path}/tags`, { a: '1' }, { 'If-Match': ifMatch }),
  retire: (service, path, ifMatch) => {
    service.clock.set('2030-05-02T07:00:00Z')
    return service.as('admin').request('POST', `${path}/retire`, { 'If-Match': ifMatch })
  },
}

const MATCHING: Readonly<Record<string, string>> = {
  'the ETag': '"2"',
  'a list that has the ETag': '"0", "abc","2" ,"7"',
  'a star': '*',
  'a star with blanks': ' * ',
  'the ETag with blanks around it': '  "2"  ',
  'a list with empty elements': ', "2",,"7" ,',
  'a list with a tag that holds a comma': '"a,b", "2"',
  'a list with a weak tag and the ETag': 'W/"1", "2"',
}

const OLD: Readonly<Record<string, string>> = {
  'an old ETag': '"0"',
  'the revision of a reservation of it': '"1"',
  'a future ETag': '"3"',
  'a list of others': '"0", "1", "3"',
  'the ETag as a weak tag, which never matches': 'W/"2"',
  'a list of weak tags': 'W/"2", W/"*"',
  'tags that Berth never sent': '"abc", "2.0", "02", "", "*"',
}

const MALFORMED: Readonly<Record<string, string>> = {
  'a tag without quotes': '2',
  'half a quote': '"2',
  'a list with something else in it': '"2", 3',
  'a star in a list': '*, "2"',
  'a tag in single quotes': "'2'",
  'a weak tag with a small w': 'w/"2"',
  'two tags without a comma': '"1" "2"',
  'an empty list': ',',
  'a blank in a tag': '"2 "',
}

for (const [kind, write] of Object.entries(WRITES)) {
  test(`${kind} is refused if If-Match names another revision or is malformed`, async (t) => {
    const { service, path, current } = await stage(t)
    const recorded = await logOf(service)
    for (const [what, ifMatch] of Object.entries({ ...OLD, ...MALFORMED })) {
      const refused = await write(service, path, ifMatch)
      t.deepEqual(refusalOf(refused), what in OLD ? [412, 'stale'] : [422, 'invalid', 'If-Match'], what)
      t.deepEqual(faultsOf(refused), [])
    }
    t.deepEqual(await logOf(service), recorded)
    t.is((await service.as('admin').get(path)).text, current.text)
  })

  test(`${kind === 'update' ? '' : 'thorough: '}${kind} succeeds if If-Match names the current revision of the SUT`, async (t) => {
    for (const [what, ifMatch] of Object.entries(MATCHING)) {
      const { service, path } = await stage(t)
      const taken = await write(service, path, ifMatch)
      t.deepEqual([taken.status, taken.headers.etag], [200, '"3"'], what)
    }
  })
}

test('one of two updates with the same ETag is stale, and succeeds with the new one', async (t) => {
  const { service, path, current } = await stage(t)
  const update = (os: string, etag: unknown) =>
    service.as('admin').post(`${path}/update`, { os }, { 'If-Match': String(etag) })
  const answers = await Promise.all(['one', 'other'].map((os) => update(os, current.headers.etag)))
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 412])
  const winner = answers.find(({ status }) => status === 200)
  t.is((await service.as('admin').get(path)).text, winner?.text ?? 'no winner')
  t.is((await update('last', winner?.headers.etag)).json.os, 'last')
})

test('a write that would change nothing is stale too', async (t) => {
  const { service, path } = await stage(t)
  const unchanged = await service.as('admin').post(`${path}/update`, { os: 'linux' }, { 'If-Match': '"0"' })
  t.deepEqual(refusalOf(unchanged), [412, 'stale'])
  t.is((await service.as('admin').post(`${path}/update`, { os: 'linux' }, { 'If-Match': '"2"' })).status, 200)
})

test('410 and 404 take precedence over 412, and 412 over 409', async (t) => {
  const { service, path } = await stage(t)
  const admin = service.as('admin')
  const old = { 'If-Match': '"0"' }
  t.is((await admin.request('POST', `${path}/retire`)).json.code, 'sut_reserved')
  t.is((await admin.request('POST', `${path}/retire`, old)).json.code, 'stale')
  t.is((await admin.post('/api/sut/58c38f5d444553252cce0000/update', {}, old)).json.code, 'sut_not_found')
  service.clock.set('2030-05-02T07:00:00Z')
  await admin.request('POST', `${path}/retire`)
  t.is((await admin.post(`${path}/update`, { os: 'x' }, old)).json.code, 'sut_retired')
  t.is((await admin.post(`${path}/tags`, { a: 'x' }, old)).json.code, 'sut_retired')
})

test('a repeated request gets its first answer, even if its If-Match is stale by then', async (t) => {
  const { service, path } = await stage(t)
  const headers = { 'If-Match': '"2"', 'Idempotency-Key': 'k' }
  const update = () => service.as('admin').post(`${path}/update`, { os: 'other' }, headers)
  const first = await update()
  const again = await update()
  t.deepEqual([first.status, again.status, again.headers.etag, again.text], [200, 200, '"3"', first.text])
})

test('If-Match on a read, a creation or a reservation is ignored', async (t) => {
  const { service, path, reservation } = await stage(t)
  const header = { 'If-Match': '"0"' }
  t.is((await service.as('admin').get(path, header)).status, 200)
  const cancelled = await service.as('alice').request('POST', `${reservation.headers.location}/cancel`, header)
  t.is(cancelled.status, 200)
  const sut = { name: 'a', address: 'a', port: 1, sut_type: 'tcp' }
  t.is((await service.as('admin').post('/api/sut/create', sut, header)).status, 201)
})

test('every answer with a SUT has the same ETag, and a reservation has none', async (t) => {
  const { service, path, current, reservation } = await stage(t)
  t.is(reservation.headers.etag, undefined)
  t.is((await service.as('alice').get(String(reservation.headers.location))).headers.etag, undefined)
  const answers = [
    current,
    await service.as('audrey').get(path),
    await service.as('alice').request('HEAD', path),
    await service.as('admin').post(`${path}/update`, {}),
  ]
  for (const { headers } of answers) t.is(headers.etag, '"2"')
})

const KNOWN = ['"2"', 'W/"2"', '*', '"0", "2"', '"0",W/"2"', '"a,b",, "2"']
const NEW = ['"0"', '"1"', 'W/"1"', '"0", "3"', '2', '"2', '', '"*"', '"02"']

test('GET and HEAD with the current ETag in If-None-Match are 304 without a body', async (t) => {
  const { service, path } = await stage(t)
  for (const method of ['GET', 'HEAD']) {
    for (const known of KNOWN) {
      const answer = await service.as('alice').request(method, path, { 'If-None-Match': known })
      t.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', '"2"'], known)
      t.is(answer.headers['content-type'], undefined)
      t.regex(String(answer.headers['berth-position']), /^\d{20}$/)
    }
  }
})

test('GET with another or malformed If-None-Match returns the SUT', async (t) => {
  const { service, path, current } = await stage(t)
  for (const unknown of NEW) {
    const answer = await service.as('alice').get(path, { 'If-None-Match': unknown })
    t.deepEqual([answer.status, answer.text], [200, current.text], unknown)
  }
})

test('If-None-Match: * is 404 for an unknown SUT, and ignored for a reservation', async (t) => {
  const { service, reservation } = await stage(t)
  const header = { 'If-None-Match': '*' }
  t.is((await service.as('alice').get('/api/sut/58c38f5d444553252cce0000', header)).status, 404)
  t.is((await service.as('alice').get(String(reservation.headers.location), header)).status, 200)
})

test('every kind of change invalidates the previous ETag', async (t) => {
  const { service, path } = await stage(t)
  let etag = '"2"'
  for (const [kind, write] of Object.entries(WRITES)) {
    t.is((await service.as('alice').get(path, { 'If-None-Match': etag })).status, 304)
    const written = await write(service, path, etag)
    const read = await service.as('alice').get(path, { 'If-None-Match': etag })
    t.deepEqual([read.status, read.text, read.headers.etag], [200, written.text, written.headers.etag], kind)
    etag = String(written.headers.etag)
  }
})
