import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Answer } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { aReservation, createSut, reserve } from '../../http/requests.ts'
import { makeHold } from '../../http/store/held-views.ts'
import { until } from '../../http/until.ts'
import { codeOf, codesOf, twoInstances } from './stage.ts'

/** Quotas on two instances that share only the store. */

const IN_FORCE_WITHIN = 2_000
const QUOTA = 2
const MADE = [201]
const EXCEEDED = [403, 'quota_exceeded']

const limitAlice = async ({ as }: Running): Promise<void> => {
  const quota = { reservations_max: QUOTA }
  const { status, text } = await as('admin').post(`/api/user/${idOf('alice')}/update`, { quota })
  if (status !== 200) throw new Error(text)
}

const createSuts = ({ as }: Running, count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, () => createSut(as('admin'))))

/** Waits until an instance knows the quota and the SUTs. */
const untilKnown = ({ as }: Running, suts: readonly string[]): Promise<void> =>
  until(
    'the quota and the SUTs are known',
    async () => {
      const { quota } = (await as('alice').get('/api/user/me')).json as { quota: { reservations_max: number | null } }
      return quota.reservations_max === QUOTA && (await as('alice').get('/api/sut')).json.count === suts.length
    },
    IN_FORCE_WITHIN,
  )

const book = ({ as }: Running, sut: string): Promise<Answer> => reserve(as('alice'), aReservation(sut))

/** An instance that hears nothing while it is held, and says when it has appended. */
const makeHeld = (t: ExecutionContext) => {
  const { hold, letGo, change } = makeHold()
  t.teardown(letGo)
  const appended = Promise.withResolvers<void>()
  let isHeld = false
  const held = (store: EventStore): EventStore => ({
    ...store,
    ...change(store),
    append: async (...given) => {
      const outcome = await store.append(...given)
      if (isHeld) appended.resolve()
      return outcome
    },
  })
  const holdNow = (): void => {
    isHeld = true
    hold()
  }
  return { hold: holdNow, letGo, held, appended: appended.promise }
}

test('an instance that has not heard of a used quota exceeds it by one reservation, and no more', async (t) => {
  const { hold, letGo, held, appended } = makeHeld(t)
  const { one, other } = await twoInstances(t, { change: (instance) => (instance === 1 ? held : undefined) })
  await limitAlice(one)
  const suts = await createSuts(one, QUOTA + 4)
  await untilKnown(other, suts)
  hold()
  const [free = '', ...others] = suts.slice(QUOTA)
  for (const sut of suts.slice(0, QUOTA)) t.deepEqual(codeOf(await book(one, sut)), MADE)
  t.deepEqual(codeOf(await book(one, free)), EXCEEDED)
  const answers = Promise.all(others.map((sut) => book(other, sut)))
  await appended
  // Others would be decided meanwhile if they did not wait.
  for (let n = 0; n < 5; n++) await other.anyone.get('/health/ready')
  letGo()
  t.deepEqual(codesOf(await answers), [MADE, EXCEEDED, EXCEEDED])
})

test('two instances asked at the same moment accept at most one more than the quota together', async (t) => {
  const { one, other } = await twoInstances(t)
  await limitAlice(one)
  const suts = await createSuts(one, 12)
  await Promise.all([untilKnown(one, suts), untilKnown(other, suts)])
  const answers = await Promise.all(suts.map((sut, n) => book(n % 2 === 0 ? one : other, sut)))
  const made = answers.filter(({ status }) => status === 201).length
  t.true(made === QUOTA || made === QUOTA + 1, `${made}`)
  t.deepEqual(codesOf(answers).slice(made), Array(suts.length - made).fill(EXCEEDED))
})
