/** A new password ends the bindings of the user's running reservations. */

import { join } from 'node:path'
import test from 'ava'
import { basic, passwordOf } from '../client.ts'
import { idOf, type Running, type Setting, start, temporaryData } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { createSut, reserved } from '../requests.ts'
import { logOf, type Row } from '../store/log-rows.ts'
import { changedStore, failingAppends, makeGate } from '../store/stores.ts'
import '../documents/fit-answers.ts'

const NOW = '2030-05-02T06:02:00.000Z'
const NEW = 'a new password'
const RUNNING = { start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T06:15:00Z' }
const LATER = { start_time: '2030-05-02T06:15:00Z', end_time: '2030-05-02T06:30:00Z' }
const BERTH_TRUSTED_PROXIES = '127.0.0.1'

const given = (t: Parameters<typeof start>[0], setting: Setting = {}): Promise<Running> =>
  start(t, { now: NOW, environment: { BERTH_TRUSTED_PROXIES }, ...setting })

/** Reserves a SUT of its own. Returns the id of the reservation. */
const reserve = async (service: Running, window: object = RUNNING, who = 'alice', by = who): Promise<string> => {
  const sut_id = await createSut(service.as('admin'))
  return String((await reserved(service.as(by), { user_id: idOf(who), sut_id, ...window })).json._id)
}

const setPassword = ({ as }: Running, password = NEW, headers = {}) =>
  as('admin').post(`/api/user/${idOf('alice')}/password`, { password }, headers)

const bind = ({ anyone }: Running, id: string, password = passwordOf('alice')) =>
  anyone.request('POST', `/api/sut_reservation/${id}/update`, {
    Authorization: basic('alice', password),
    'X-Forwarded-For': '192.0.2.1',
  })

const isOfBindings = ({ type, data }: Row): boolean =>
  /Reservation(Unb|B)ound/.test(type) || (type === 'UserChanged' && 'credentials' in data)

/** Bindings made and ended, and passwords set, in order. */
const story = async (service: Running): Promise<readonly string[]> =>
  (await logOf(service)).filter(isOfBindings).map(({ type }) => type)

/** The reservations whose binding has ended, in order. */
const unbound = async (service: Running): Promise<readonly unknown[]> =>
  (await logOf(service)).filter(({ type }) => type === 'ReservationUnbound').map(({ data }) => data._id)

test('thorough: a new password unbinds each running reservation of the user once, however many, and no others', async (t) => {
  const service = await given(t, { environment: { BERTH_TRUSTED_PROXIES, BERTH_LISTEN_PORTS: '20000-20299' } })
  // More than are read at once.
  const running = await Promise.all(Array.from({ length: 103 }, () => reserve(service)))
  await reserve(service, LATER)
  await reserve(service, RUNNING, 'bob')
  await reserve(service, RUNNING, 'alice', 'admin')
  const released = await reserve(service)
  await service.as('alice').request('POST', `/api/sut_reservation/${released}/cancel`)
  t.is((await setPassword(service)).status, 200)
  t.deepEqual((await unbound(service)).toSorted(), running.toSorted())
})

test('users who change their own password end their bindings, and a wrong old password ends none', async (t) => {
  const service = await given(t)
  const id = await reserve(service)
  const change = (old_password: string) =>
    service.as('alice').post('/api/user/me/password', { old_password, password: NEW })
  t.deepEqual(refusalOf(await change('not the old one')), [403, 'wrong_password'])
  t.deepEqual(await unbound(service), [])
  t.is((await change(passwordOf('alice'))).status, 200)
  t.deepEqual(await unbound(service), [id])
})

test('a repeated request leaves alone what was bound since', async (t) => {
  const service = await given(t)
  const id = await reserve(service)
  const key = { 'Idempotency-Key': 'k' }
  t.is((await setPassword(service, NEW, key)).status, 200)
  t.is((await bind(service, id, NEW)).status, 200)
  t.is((await setPassword(service, NEW, key)).status, 200)
  t.deepEqual(await story(service), ['ReservationUnbound', 'UserChanged', 'ReservationBound'])
})

test('a removed user gets no new password and keeps the bindings', async (t) => {
  const service = await given(t)
  await reserve(service)
  await service.as('admin').post(`/api/user/${idOf('alice')}/remove`, { reservations: 'keep' })
  t.deepEqual(refusalOf(await setPassword(service)), [410, 'user_removed'])
  t.deepEqual(await unbound(service), [])
})

test('what the old password binds while the new one is being recorded is unbound too', async (t) => {
  const data = await temporaryData(t)
  let isHeld = false
  const gate = makeGate((stream) => isHeld && stream === 'users')
  const service = await given(t, { data, openStore: changedStore(join(data, 'events.db'), gate.change) })
  const id = await reserve(service)
  isHeld = true
  const setting = setPassword(service)
  await gate.reached
  t.is((await bind(service, id)).status, 200)
  gate.open()
  t.is((await setting).status, 200)
  const expected = ['ReservationUnbound', 'ReservationBound', 'UserChanged', 'ReservationUnbound']
  t.deepEqual(await story(service), expected)
  t.is((await bind(service, id)).status, 401)
})

test('a password that is not recorded leaves no binding older than the attempt', async (t) => {
  const data = await temporaryData(t)
  let isFailing = false
  const failing = failingAppends((stream) => isFailing && stream === 'users', 1)
  const service = await given(t, { data, openStore: changedStore(join(data, 'events.db'), failing) })
  const id = await reserve(service)
  isFailing = true
  t.deepEqual(refusalOf(await setPassword(service)), [503, 'unavailable'])
  t.deepEqual(await story(service), ['ReservationUnbound'])
  t.is((await bind(service, id)).status, 200, 'the old password still counts')
})
