import test, { type ExecutionContext } from 'ava'
import type { Answer, Headers } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'
import { faultsOf } from './problems.ts'
import '../documents/fit-answers.ts'

/** Shows behaviour/errors-and-retrying.md, the order: pairs of faults that a reservation request cannot have. */

const UNKNOWN = '58c38f5d444553252cce0000'
const STALE: Headers = { 'If-Match': '"9"' }

/** A retired inactive SUT, and another with a running reservation of Alice's and a cancelled one. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const retired = await createSut(admin, { is_active: false })
  await admin.request('POST', `/api/sut/${retired}/retire`)
  const sut = await createSut(admin)
  const cancelled = String((await reserved(admin, aReservation(sut))).headers.location)
  await admin.request('POST', `${cancelled}/cancel`)
  await reserved(admin, aReservation(sut, { start_time: '2030-05-02T05:45:00Z' }))
  return {
    service,
    retired: `/api/sut/${retired}`,
    sut: `/api/sut/${sut}`,
    cancelled,
    sut_id: sut,
    retired_id: retired,
  }
}
type Stage = Awaited<ReturnType<typeof stage>>

const admin = ({ service }: Pick<Stage, 'service'>): ReturnType<Running['as']> => service.as('admin')
const inAnotherForm = (path: string, stage: Stage): Promise<Answer> =>
  admin(stage).request('POST', path, { ...STALE, 'Content-Type': 'text/plain' }, '{')

const PAIRS: Readonly<Record<string, readonly [ask: (stage: Stage) => Promise<Answer>, status: number, code: string]>> =
  {
    '415 before 400, 410 and 412': [(s) => inAnotherForm(`${s.retired}/update`, s), 415, 'unsupported_media_type'],
    '400 before 404 of an id': [
      (s) => admin(s).request('POST', `/api/sut/${UNKNOWN}/update`, { 'Content-Type': 'application/json' }, '{'),
      400,
      'malformed_json',
    ],
    '400 before a wrong parameter and a wrong header, which are 422': [
      (s) =>
        admin(s).request('POST', `${s.sut}/update?a=1`, { 'Content-Type': 'application/json', 'If-Match': 'x' }, '{'),
      400,
      'malformed_json',
    ],
    '403 by role before a wrong parameter, which is 422': [
      (s) => s.service.as('alice').get('/api/events?a=1'),
      403,
      'forbidden',
    ],
    '422 before 403 by owner, of another’s reservation': [
      (s) => s.service.as('bob').post(`${s.cancelled}/extend`, { color: 'red' }),
      422,
      'field_unknown',
    ],
    'a window’s 422 before 403 by owner': [
      (s) => reserve(s.service.as('bob'), aReservation(s.sut_id, { end_time: '2030-05-02T05:00:00Z' })),
      422,
      'window_empty',
    ],
    '422 before 404 of an id': [(s) => admin(s).post(`/api/sut/${UNKNOWN}/update`, { port: 0 }), 422, 'invalid'],
    '422 before 410': [(s) => admin(s).post(`${s.retired}/update`, { port: 0 }), 422, 'invalid'],
    '422 before 412': [(s) => admin(s).post(`${s.sut}/update`, { port: 0 }, STALE), 422, 'invalid'],
    '422 before 409': [(s) => admin(s).post(`${s.sut}/retire`, { now: true }), 422, 'field_unknown'],
    'a parameter’s 422 before 404 of an id': [(s) => admin(s).get(`/api/sut/${UNKNOWN}?a=1`), 422, 'invalid'],
    '403 by owner before 404 of the SUT': [
      (s) => reserve(s.service.as('bob'), aReservation(UNKNOWN)),
      403,
      'not_your_reservation',
    ],
    '403 by owner before 410 of the SUT': [
      (s) => reserve(s.service.as('bob'), aReservation(s.retired_id)),
      403,
      'not_your_reservation',
    ],
    '403 by owner before 410 of the reservation': [
      (s) => s.service.as('bob').post(`${s.cancelled}/extend`, { duration: 7200 }),
      403,
      'not_your_reservation',
    ],
    '403 by owner before 409': [
      (s) => reserve(s.service.as('bob'), aReservation(s.sut_id)),
      403,
      'not_your_reservation',
    ],
    '404 of the user before 410 of the SUT': [
      (s) => reserve(admin(s), aReservation(s.retired_id, { user_id: UNKNOWN })),
      404,
      'user_not_found',
    ],
    '404 of the user before 409': [
      (s) => reserve(admin(s), aReservation(s.sut_id, { user_id: UNKNOWN })),
      404,
      'user_not_found',
    ],
    '404 of an id before 412': [(s) => admin(s).post(`/api/sut/${UNKNOWN}/update`, {}, STALE), 404, 'sut_not_found'],
    '410 before 412': [(s) => admin(s).post(`${s.retired}/update`, {}, STALE), 410, 'sut_retired'],
    '410 before 409, of a SUT that is not active either': [
      (s) => reserve(admin(s), aReservation(s.retired_id, { user_id: idOf('alice') })),
      410,
      'sut_retired',
    ],
    '410 before 409, of a reservation that is cancelled and whose end is taken': [
      (s) => admin(s).post(`${s.cancelled}/extend`, { duration: 7200 }),
      410,
      'reservation_cancelled',
    ],
    '412 before 409': [(s) => admin(s).request('POST', `${s.sut}/retire`, STALE), 412, 'stale'],
    '422 before 404 of a user': [(s) => admin(s).post(`/api/user/${UNKNOWN}/update`, { role: 'root' }), 422, 'invalid'],
    '404 of a user before 412': [
      (s) => admin(s).post(`/api/user/${UNKNOWN}/update`, { role: 'tester' }, STALE),
      404,
      'user_not_found',
    ],
    '410 of a user before 412': [
      async (s) => {
        await admin(s).post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
        return admin(s).post(`/api/user/${idOf('bob')}/update`, { role: 'auditor' }, STALE)
      },
      410,
      'user_removed',
    ],
    '412 before 409 of the last administrator': [
      (s) => admin(s).post(`/api/user/${idOf('admin')}/update`, { role: 'tester' }, STALE),
      412,
      'stale',
    ],
    '409 of the last administrator before that of a name': [
      (s) => admin(s).post(`/api/user/${idOf('admin')}/update`, { role: 'tester', name: 'ALICE' }),
      409,
      'last_administrator',
    ],
    '409 of a restored user before that of its name': [
      async (s) => {
        await admin(s).post(`/api/user/${idOf('bob')}/update`, { name: 'robert' })
        return admin(s).request('POST', `/api/user/${idOf('bob')}/restore`)
      },
      409,
      'user_not_removed',
    ],
  }

for (const [pair, [ask, status, code]] of Object.entries(PAIRS)) {
  test(`a request with two faults is refused for the first: ${pair}`, async (t) => {
    const answer = await ask(await stage(t))
    t.deepEqual([answer.status, answer.json.code], [status, code])
    t.deepEqual(faultsOf(answer), [])
  })
}
