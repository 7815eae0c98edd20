/** What becomes of tokens when their revocation fails. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { eventsOf } from '../store/log-rows.ts'
import { changedStore } from '../store/stores.ts'
import { until } from '../until.ts'

interface Token {
  readonly _id: string
  readonly token: string
}

/** A service on a store that records no revocation while `fault.isOn`. */
const given = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  const fault = { isOn: false }
  const change = (store: EventStore): Partial<EventStore> => ({
    append: async (stream, expected, events, ...rest) =>
      fault.isOn && events.some(({ type }) => type === 'TokenRevoked')
        ? E.left('unavailable')
        : store.append(stream, expected, events, ...rest),
  })
  const service = await start(t, { data, openStore: changedStore(join(data, 'events.db'), change) })
  return { data, service, fault }
}

const issue = async (service: Running): Promise<Token> => {
  const { json } = await service.as('alice').post('/api/user/me/token', { name: 'ci' })
  return json as unknown as Token
}

const statusOf = async ({ anyone }: Running, { token }: Token): Promise<number> =>
  (await anyone.get('/api/user/me', { Authorization: `Bearer ${token}` })).status

/** Lets what is done on time look, too. */
const isRevoked = async (service: Running): Promise<boolean> => {
  service.tick()
  return (await eventsOf(service)).some(({ type }) => type === 'TokenRevoked')
}

const untilRevoked = (service: Running): Promise<void> =>
  until('the token is revoked', () => isRevoked(service), 60_000)

const PATH = `/api/user/${idOf('alice')}`

test('a removal whose tokens could not be revoked is finished later', async (t) => {
  const { service, fault } = await given(t)
  const token = await issue(service)
  fault.isOn = true
  const answer = await service.as('admin').post(`${PATH}/remove`, { reservations: 'keep' })
  t.is(answer.status, 503)
  t.is(await statusOf(service, token), 401, 'the user has been removed')
  t.false(await isRevoked(service))
  fault.isOn = false
  await untilRevoked(service)
  t.is((await service.as('admin').post(`${PATH}/restore`, {})).status, 200)
  t.is(await statusOf(service, token), 401)
})

test('a removal that a crash has cut off is finished by the next start', async (t) => {
  const { data, service, fault } = await given(t)
  const token = await issue(service)
  fault.isOn = true
  await service.as('admin').post(`${PATH}/remove`, { reservations: 'keep' })
  await service.stop()
  const again = await start(t, { data })
  await untilRevoked(again)
  t.is((await again.as('admin').post(`${PATH}/restore`, {})).status, 200)
  t.is(await statusOf(again, token), 401)
})

test('a password is not changed if the tokens that it should revoke cannot be, and its repetition does both', async (t) => {
  const { service, fault } = await given(t)
  const token = await issue(service)
  const set = () =>
    service
      .as('admin')
      .post(`${PATH}/password`, { password: 'a new password', revoke_tokens: true }, { 'Idempotency-Key': 'new' })
  fault.isOn = true
  t.is((await set()).status, 503)
  t.is(await statusOf(service, token), 200)
  t.is((await service.as('alice').get('/api/user/me')).status, 200)
  fault.isOn = false
  t.is((await set()).status, 200)
  t.is(await statusOf(service, token), 401)
  t.is((await service.as('alice').get('/api/user/me')).status, 401)
})
