/** Errors, one by one, each in the documented form. None of the requests changes anything, so they share a service. */

import test from 'ava'
import { type Asked, asks, lab } from '../lab.ts'
import { aReservation, aSut } from '../requests.ts'
import { shared } from '../shared.ts'
import { faultsOf } from './problems.ts'

const service = shared(async (scope) => {
  const service = await lab(scope)
  await service.book('bob', '09:00-10:00')
  return service
})

const NO_ID = '58c38f5d444553252cce0000'
const CREATE = 'POST /api/sut/create'
const RESERVE = 'POST /api/sut_reservation/create'
const me = (headers: Readonly<Record<string, string>>): Asked => [
  'alice',
  'GET /api/user/me',
  '406 not_acceptable',
  undefined,
  headers,
]
const json = (text: string): Buffer => Buffer.from(text)
const pointers = (...names: readonly string[]): string => names.map((name) => `#/${name}`).join(' ')

test('a request that is not well-formed, or whose address, method or answer there is not, is refused', async (t) => {
  const { sut } = service
  const rows: Readonly<Record<string, Asked>> = {
    'a body that is not JSON': ['admin', CREATE, '400 malformed_json', json('{"a":')],
    'an address with half a bracket for its host': ['alice', 'GET http://bert]/api/user/me', '400 malformed_request'],
    'an address with letters for its port': ['alice', 'GET http://berth:a/api/user/me', '400 malformed_request'],
    'an address without a host': ['alice', 'GET http:///api/user/me', '400 malformed_request'],
    'an unknown path': ['alice', 'GET /api/nothing', '404 not_found'],
    'a known path in another case': ['alice', 'GET /API/user/me', '404 not_found'],
    'a known path with a trailing slash': ['alice', 'GET /api/user/me/', '404 not_found'],
    'a path with an empty id': ['alice', 'GET /api/sut/', '404 not_found'],
    'a malformed SUT id': ['alice', 'GET /api/sut/..%2F..%2Fetc%2Fpasswd', '404 sut_not_found'],
    'an id that is not UTF-8': ['alice', 'GET /api/sut/%ff', '404 sut_not_found'],
    'an id with a percent sign and no digits': ['alice', 'GET /api/sut/%zz', '404 sut_not_found'],
    'a SUT id in place of a reservation id': ['alice', `GET /api/sut_reservation/${sut}`, '404 reservation_not_found'],
    'an unsupported method': ['alice', 'DELETE /api/user/me', '405 method_not_allowed'],
    'a POST to a read path': ['alice', `POST /api/sut/${NO_ID}`, '405 method_not_allowed', {}],
    'an Accept of HTML only': me({ Accept: 'text/html' }),
    'an Accept that excludes JSON': me({ Accept: 'application/json;q=0, text/html' }),
  }
  await asks(t, service, Object.values(rows))
})

test('what a body, a parameter or a header says wrong is refused and named', async (t) => {
  const { sut } = service
  const update = `POST /api/sut/${sut}/update`
  const assigned = { _id: NO_ID, created_at: '', updated_at: '', listen_port: 1, monitoring: {}, tags: {} }
  const wrong = { name: '', port: 0, is_active: 'yes', rdp_width: 1.5, password: 1, os: '\u0000' }
  const proto = JSON.stringify(aSut()).replace('{', '{"__proto__":{"is_active":false},')
  const rows: Readonly<Record<string, Asked>> = {
    'an unknown field': ['admin', CREATE, '422 field_unknown #/color', aSut({ color: 'red' })],
    'a field named __proto__': ['admin', CREATE, '422 field_unknown #/__proto__', json(proto)],
    'a field with a slash, a tilde and a blank in its name': [
      'admin',
      CREATE,
      '422 field_unknown #/a~1~0%20b',
      aSut({ 'a/~ b': 1 }),
    ],
    'fields that the service assigns': [
      'admin',
      update,
      `422 field_read_only ${pointers(...Object.keys(assigned))}`,
      assigned,
    ],
    'a body that is null': ['admin', update, '422 invalid #', null],
    'a SUT with only wrong fields': [
      'admin',
      CREATE,
      `422 invalid ${pointers(...Object.keys(wrong), 'address', 'sut_type')}`,
      wrong,
    ],
    'a null, which does not mean an omitted field,': ['admin', update, '422 invalid #/name', { name: null }],
    'problems of several kinds': [
      'admin',
      update,
      '422 invalid #/color #/tags #/port',
      { color: 1, tags: {}, port: 'x' },
    ],
    'a parameter of a POST': [
      'alice',
      `${RESERVE}?dry_run=true`,
      '422 invalid dry_run #/sut_id',
      aReservation(sut, { sut_id: 1 }),
    ],
    'a listen_port in a reservation': [
      'alice',
      RESERVE,
      '422 field_read_only #/listen_port',
      aReservation(sut, { listen_port: 20000 }),
    ],
  }
  await asks(t, service, Object.values(rows))
})

test('an error is application/problem+json if Accept names it', async (t) => {
  for (const Accept of ['application/problem+json', 'text/html, Application/Problem+JSON;q=0.5']) {
    const unknown = await service.ask('alice', 'GET /api/nothing', undefined, { Accept })
    const invalid = await service.book('alice', {}, { user_id: '/' }, { Accept })
    for (const answer of [unknown, invalid]) t.deepEqual(faultsOf(answer, 'application/problem+json'), [])
  }
  const success = await service.as('alice').get('/api/user/me', { Accept: 'application/problem+json' })
  t.deepEqual([success.status, success.headers['content-type']], [200, 'application/json'])
})

test('an Accept of more than 1,024 characters takes anything', async (t) => {
  const statusOf = async (length: number) =>
    (await service.as('alice').get('/api/user/me', { Accept: `text/html${','.repeat(length - 9)}` })).status
  t.deepEqual([await statusOf(1_024), await statusOf(1_025)], [406, 200])
})

test('a 405 lists the supported methods in Allow', async (t) => {
  for (const [request, allow] of [
    ['GET /api/sut/create', 'OPTIONS, POST'],
    [`HEAD /api/sut/${service.sut}/update`, 'OPTIONS, POST'],
    [`PUT /api/sut/${service.sut}`, 'GET, HEAD, OPTIONS'],
    ['POST /health/live', 'GET, HEAD, OPTIONS'],
  ] as const) {
    t.is((await service.ask('admin', request)).headers.allow, allow)
  }
})
