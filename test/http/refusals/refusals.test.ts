import test from 'ava'
import type { Answer, Client, Headers } from '../client.ts'
import { idOf, type Running, start, tidyingLater } from '../harness.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import { faultsOf, refusalOf } from './problems.ts'
import '../documents/fit-answers.ts'

/** Errors, one by one. None of the requests changes anything, so they share a service. */

const later = tidyingLater()
let service: Running
let activeSut: string
let inactive: string

test.before(async () => {
  service = await start(later, { now: NOW })
  activeSut = await createSut(service.as('admin'))
  inactive = await createSut(service.as('admin'), { is_active: false })
  await reserve(service.as('bob'), aReservation(activeSut, { ...window('09:00', '10:00'), user_id: idOf('bob') }))
})
test.after.always(later.tidy)

const window = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00Z`,
  end_time: `2030-05-02T${end}:00Z`,
})

type Ask = (as: (name: string) => Client) => Promise<Answer>
const NO_ID = '58c38f5d444553252cce0000'
const book = (name: string, more: Readonly<Record<string, unknown>>, headers: Headers = {}): Ask => {
  return (as) => reserve(as(name), aReservation(activeSut, more), headers)
}
const create = (more: Readonly<Record<string, unknown>>, headers: Headers = {}): Ask => {
  return (as) => as('admin').post('/api/sut/create', aSut(more), headers)
}
const update = (body: unknown): Ask => {
  return (as) => as('admin').post(`/api/sut/${activeSut}/update`, body)
}
const get = (path: string, headers: Headers = {}): Ask => {
  return (as) => as('alice').get(path, headers)
}

const rows: Readonly<Record<string, readonly [ask: Ask, ...refusal: unknown[]]>> = {
  'a body that is not JSON': [
    (as) => as('admin').request('POST', '/api/sut/create', { 'Content-Type': 'application/json' }, '{"a":'),
    400,
    'malformed_json',
  ],
  'an address with half a bracket for its host': [get('http://bert]/api/user/me'), 400, 'malformed_request'],
  'an address with letters for its port': [get('http://berth:a/api/user/me'), 400, 'malformed_request'],
  'an address without a host': [get('http:///api/user/me'), 400, 'malformed_request'],
  'an unknown path': [get('/api/nothing'), 404, 'not_found'],
  'a known path in another case': [get('/API/user/me'), 404, 'not_found'],
  'a known path with a trailing slash': [get('/api/user/me/'), 404, 'not_found'],
  'a path with an empty id': [get('/api/sut/'), 404, 'not_found'],
  'an unknown SUT': [get(`/api/sut/${NO_ID}`), 404, 'sut_not_found'],
  'a malformed SUT id': [get('/api/sut/..%2F..%2Fetc%2Fpasswd'), 404, 'sut_not_found'],
  'an id that is not UTF-8': [get('/api/sut/%ff'), 404, 'sut_not_found'],
  'an id with a percent sign and no digits': [get('/api/sut/%zz'), 404, 'sut_not_found'],
  'an unknown reservation': [get(`/api/sut_reservation/${NO_ID}`), 404, 'reservation_not_found'],
  'a SUT id in place of a reservation id': [
    (as) => as('alice').get(`/api/sut_reservation/${activeSut}`),
    404,
    'reservation_not_found',
  ],
  'an update of an unknown SUT': [
    (as) => as('admin').post(`/api/sut/${NO_ID}/update`, { name: 'a' }),
    404,
    'sut_not_found',
  ],
  'a reservation of an unknown SUT': [book('alice', { sut_id: NO_ID }), 404, 'sut_not_found', '#/sut_id'],
  'a reservation of a SUT with another form of id': [
    book('alice', { sut_id: 'böd !' }),
    404,
    'sut_not_found',
    '#/sut_id',
  ],
  'a reservation for an unknown user': [book('admin', { user_id: NO_ID }), 404, 'user_not_found', '#/user_id'],
  'a reservation with unknown SUT and user': [
    book('admin', { user_id: NO_ID, sut_id: NO_ID }),
    404,
    'sut_not_found',
    '#/user_id',
    '#/sut_id',
  ],
  'an unsupported method': [(as) => as('alice').request('DELETE', '/api/user/me'), 405, 'method_not_allowed'],
  'a GET of a creation path': [get('/api/sut/create'), 405, 'method_not_allowed'],
  'a POST to a read path': [(as) => as('alice').post(`/api/sut/${NO_ID}`, {}), 405, 'method_not_allowed'],
  'an Accept of HTML only': [get('/api/user/me', { Accept: 'text/html' }), 406, 'not_acceptable'],
  'an Accept that excludes JSON': [
    get('/api/user/me', { Accept: 'application/json;q=0, text/html' }),
    406,
    'not_acceptable',
  ],
  'an inactive SUT': [(as) => reserve(as('alice'), aReservation(inactive)), 409, 'sut_inactive'],
  'an unknown field': [create({ color: 'red' }), 422, 'field_unknown', '#/color'],
  'a field named __proto__': [
    (as) =>
      as('admin').request(
        'POST',
        '/api/sut/create',
        { 'Content-Type': 'application/json' },
        JSON.stringify(aSut()).replace('{', '{"__proto__":{"is_active":false},'),
      ),
    422,
    'field_unknown',
    '#/__proto__',
  ],
  'a field with a slash, a tilde and a blank in its name': [
    create({ 'a/~ b': 1 }),
    422,
    'field_unknown',
    '#/a~1~0%20b',
  ],
  'fields that the service assigns': [
    update({ _id: NO_ID, created_at: '', updated_at: '', listen_port: 1, monitoring: {}, tags: {} }),
    422,
    'field_read_only',
    ...['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring', 'tags'].map((name) => `#/${name}`),
  ],
  'a listen_port in a reservation': [book('alice', { listen_port: 20000 }), 422, 'field_read_only', '#/listen_port'],
  'a body that is a list': [update([]), 422, 'invalid', '#'],
  'a body that is null': [update(null), 422, 'invalid', '#'],
  'a SUT with only wrong fields': [
    (as) =>
      as('admin').post('/api/sut/create', {
        name: '',
        port: 0,
        is_active: 'yes',
        rdp_width: 1.5,
        password: 1,
        os: '\u0000',
      }),
    422,
    'invalid',
    ...['name', 'port', 'is_active', 'rdp_width', 'password', 'os', 'address', 'sut_type'].map((name) => `#/${name}`),
  ],
  'a null, which does not mean an omitted field,': [update({ name: null }), 422, 'invalid', '#/name'],
  'problems of several kinds': [
    update({ color: 1, tags: {}, port: 'x' }),
    422,
    'invalid',
    '#/color',
    '#/tags',
    '#/port',
  ],
  'an unknown parameter': [get('/api/user/me?pretty'), 422, 'invalid', 'pretty'],
  'a parameter on health': [get('/health/live?verbose=1&x='), 422, 'invalid', 'verbose', 'x'],
  'a parameter of a POST': [
    (as) => as('alice').post('/api/sut_reservation/create?dry_run=true', aReservation(activeSut, { sut_id: 1 })),
    422,
    'invalid',
    'dry_run',
    '#/sut_id',
  ],
  'a bad Idempotency-Key': [create({}, { 'Idempotency-Key': 'a b' }), 422, 'invalid', 'Idempotency-Key'],
  'a tester who reserves for another': [book('alice', { user_id: idOf('bob') }), 403, 'not_your_reservation'],
  'a window that is taken': [book('alice', window('09:45', '10:15')), 409, 'reservation_conflict'],
}

for (const [what, [ask, ...refusal]] of Object.entries(rows)) {
  test(`${what} is refused: ${refusal.join(' ')}`, async (t) => {
    const answer = await ask(service.as)
    t.deepEqual(refusalOf(answer), refusal)
    t.deepEqual(faultsOf(answer), [])
  })
}

test('an error is application/problem+json if Accept names it', async (t) => {
  for (const accept of ['application/problem+json', 'text/html, Application/Problem+JSON;q=0.5']) {
    for (const ask of [get('/api/nothing', { Accept: accept }), book('alice', { user_id: '/' }, { Accept: accept })]) {
      t.deepEqual(faultsOf(await ask(service.as), 'application/problem+json'), [])
    }
  }
  const success = await get('/api/user/me', { Accept: 'application/problem+json' })(service.as)
  t.deepEqual([success.status, success.headers['content-type']], [200, 'application/json'])
})

test('an Accept of more than 1,024 characters takes anything', async (t) => {
  const statusOf = async (length: number) =>
    (await get('/api/user/me', { Accept: `text/html${','.repeat(length - 9)}` })(service.as)).status
  t.deepEqual([await statusOf(1_024), await statusOf(1_025)], [406, 200])
})

test('a 405 lists the supported methods in Allow', async (t) => {
  const admin = service.as('admin')
  for (const [method, path, allow] of [
    ['GET', '/api/sut/create', 'OPTIONS, POST'],
    ['HEAD', `/api/sut/${activeSut}/update`, 'OPTIONS, POST'],
    ['PUT', `/api/sut/${activeSut}`, 'GET, HEAD, OPTIONS'],
    ['POST', '/health/live', 'GET, HEAD, OPTIONS'],
  ] as const) {
    t.is((await admin.request(method, path)).headers.allow, allow)
  }
})

test('a repeated parameter is named', async (t) => {
  const answer = await get(`/api/sut/${activeSut}?a=1&a=2`)(service.as)
  t.deepEqual([...new Set(refusalOf(answer))], [422, 'invalid', 'a'])
  t.deepEqual(faultsOf(answer), [])
})
