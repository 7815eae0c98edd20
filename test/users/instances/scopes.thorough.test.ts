import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Answer } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { aReservation, createSut, reserve } from '../../http/requests.ts'
import { makeHold } from '../../http/store/held-views.ts'
import { until } from '../../http/until.ts'
import { codeOf, twoInstances } from './stage.ts'

/** Scopes on two instances that share only the store. */

const IN_FORCE_WITHIN = 2_000

const post = async ({ as }: Running, path: string, body: object): Promise<void> => {
  const { status, text } = await as('admin').post(path, body)
  if (status !== 200) throw new Error(text)
}

const countOf = async ({ as }: Running): Promise<unknown> => (await as('alice').get('/api/sut')).json.count

/** Reserves a machine on an instance that has not heard that it left the scope. */
const reserveUnheard = async (t: ExecutionContext): Promise<Answer> => {
  const { hold, letGo, change } = makeHold()
  t.teardown(letGo)
  /** It hears of everything once it has tried to append. */
  const heldUntilAppended = (store: EventStore): EventStore => {
    const { append, ...others } = store
    const appendAndLetGo: EventStore['append'] = async (...given) => {
      const appended = await append(...given)
      letGo()
      return appended
    }
    return { ...others, ...change(store), append: appendAndLetGo }
  }
  const { one, other } = await twoInstances(t, {
    change: (instance) => (instance === 1 ? heldUntilAppended : undefined),
  })
  const sut = await createSut(one.as('admin'))
  await post(one, `/api/sut/${sut}/tags`, { team: 'qa1' })
  await post(one, `/api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  await until('the scope is in force', async () => (await countOf(other)) === 1, IN_FORCE_WITHIN)
  const tomorrow = { start_time: '2030-05-03T06:00:00Z', end_time: '2030-05-03T07:00:00Z' }
  t.is((await reserve(other.as('alice'), aReservation(sut, tomorrow))).status, 201)
  hold()
  await post(one, `/api/sut/${sut}/tags`, { team: 'qa2' })
  t.is(await countOf(other), 1)
  return reserve(other.as('alice'), aReservation(sut))
}

test('a machine that has left the scope is not reserved on an instance that has not heard of it', async (t) => {
  t.deepEqual(codeOf(await reserveUnheard(t)), [404, 'sut_not_found'])
})
