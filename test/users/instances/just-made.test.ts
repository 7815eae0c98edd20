/** Users that one instance has just made, on another which has not heard of them. */

import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { type Answer, basic } from '../../http/client.ts'
import type { Running } from '../../http/harness.ts'
import { aReservation, reserve } from '../../http/requests.ts'
import { makeHold } from '../../http/store/held-views.ts'
import { codeOf, twoInstances } from './stage.ts'

const NO_SUT = '590780914445534540190999'
const PASSWORD = 'correct horse battery'

const make = async ({ as }: Running, name: string, more: object = {}): Promise<string> => {
  const made = await as('admin').post('/api/user/create', { name, role: 'tester', password: PASSWORD, ...more })
  if (made.status !== 201) throw new Error(made.text)
  return String(made.json._id)
}

/** Two instances, of which the other hears of nothing any more. */
const withDeafInstance = async (t: ExecutionContext) => {
  const { hold, letGo, change } = makeHold()
  t.teardown(letGo)
  let looked = Promise.withResolvers<void>()
  const deaf = (store: EventStore): EventStore => ({
    ...store,
    ...change(store),
    head: () => {
      looked.resolve()
      return store.head()
    },
  })
  const two = await twoInstances(t, {
    change: (instance) => (instance === 1 ? deaf : undefined),
  })
  hold()
  looked = Promise.withResolvers()
  return { ...two, letGo, looked: () => looked.promise }
}

const me = ({ anyone }: Running, name: string, password = PASSWORD): Promise<Answer> =>
  anyone.get('/api/user/me', { Authorization: basic(name, password) })

test('a user just made on one instance is known on another at once, by name and by id', async (t) => {
  const { one, other } = await withDeafInstance(t)
  const admin = other.as('admin')
  const dora = await make(one, 'dora')
  t.is((await me(other, 'dora')).json._id, dora)
  const frank = await make(one, 'frank')
  const { errors } = (await reserve(admin, { ...aReservation(NO_SUT), user_id: frank })).json
  t.deepEqual(
    (errors as readonly { pointer: string }[]).map(({ pointer }) => pointer),
    ['#/sut_id'],
  )
  const gina = await make(one, 'gina')
  t.is((await admin.get(`/api/user/${gina}`)).json._id, gina)
  const hugo = await make(one, 'hugo')
  t.is((await admin.get(`/api/user/${hugo}/token`)).json.count, 0)
  const iris = await make(one, 'iris')
  t.is((await one.as('admin').post(`/api/user/${iris}/remove`, { reservations: 'keep' })).status, 200)
  const changed = await admin.post(`/api/user/${iris}/password`, { password: `${PASSWORD} 2` })
  t.deepEqual(codeOf(changed), [410, 'user_removed'])
  const jack = await make(one, 'jack')
  t.is((await admin.get(`/api/user?before=${jack}`)).status, 200)
})

test('an id and a name that no instance knows are refused as before', async (t) => {
  const { other } = await withDeafInstance(t)
  const admin = other.as('admin')
  t.deepEqual(codeOf(await admin.get('/api/user/nobody')), [404, 'user_not_found'])
  t.deepEqual(codeOf(await me(other, 'nobody')), [401, 'unauthenticated'])
})

test('thorough: a token just issued on one instance is good on another at once', async (t) => {
  const { one, other, letGo, looked } = await withDeafInstance(t)
  const id = await make(one, 'kate')
  const headers = { Authorization: basic('kate', PASSWORD) }
  const { json } = await one.anyone.post('/api/user/me/token', { name: 'ci' }, headers)
  const answer = other.anyone.get('/api/user/me', { Authorization: `Bearer ${json.token}` })
  // It hears again once it has looked where the log ends, or has refused.
  await Promise.race([looked(), answer])
  letGo()
  t.is((await answer).json._id, id)
})
