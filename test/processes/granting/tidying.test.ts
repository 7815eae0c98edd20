/** What the granting process must do again, because it failed or was left. */

import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { makeRandom } from '../../process/random.ts'
import { judge } from './judge.ts'
import { OTHERS_MS, openQueueLab } from './queue-lab.ts'

const forOne = (sut_id: string) => ({
  ...{ user_id: 'ada', target: { sut_id }, duration: 900, wait: 86_400, priority: 0 },
})

test('the requests of a removed user are withdrawn, although the store did not take that at first', async (t) => {
  let refusals = 2
  const change = (store: EventStore): EventStore => ({
    ...store,
    append: async (stream, revision, events, ...more) => {
      if (events.some(({ type }) => type === 'RequestWithdrawn') && refusals-- > 0) return E.left('unavailable')
      return store.append(stream, revision, events, ...more)
    },
  })
  const lab = await openQueueLab(t, { random: makeRandom(1), change })
  await lab.addUser('ada', 'tester')
  const sut = await lab.addSut({ is_active: false }, {})
  await lab.ask(0, forOne(sut))
  await lab.settle()
  await lab.removeUser('ada')
  await lab.settle()
  await lab.settle()
  t.true(refusals < 0)
  t.is(judge(await lab.log()).counts.withdrawn, 1)
})

test('an offer that a clock half a minute ahead has left is taken up at once', async (t) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  await lab.addUser('ada', 'tester')
  const sut = await lab.addSut({}, {})
  lab.pass(30_000)
  // The offer is recorded with the request, and nothing after it.
  lab.dieAt(0, 1, true)
  await lab.ask(0, forOne(sut)).catch(() => undefined)
  lab.pass(-30_000)
  await lab.settle()
  const { counts, problems } = judge(await lab.log())
  t.deepEqual([counts.granted, problems], [1, []])
})

test('a request that an instance made which knew no machine free is granted one by another', async (t) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  for (const user of ['ada', 'ben']) await lab.addUser(user, 'tester')
  const sut = await lab.addSut({}, {})
  await lab.reserve(0, sut, 'ben', 0, 3_600)
  await lab.settle()
  await lab.lag(0)
  const [held = ''] = judge(await lab.log()).model.reservations.keys()
  await lab.cancel(1, sut, held, 'ben')
  await lab.settle()
  await lab.ask(0, forOne(sut))
  await lab.settle()
  t.is(judge(await lab.log()).counts.granted, 1)
})

test('a request that an instance made for somebody of whose removal it did not know is withdrawn', async (t) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  await lab.addUser('ada', 'tester')
  const sut = await lab.addSut({ is_active: false }, {})
  await lab.settle()
  await lab.lag(0)
  await lab.removeUser('ada')
  await lab.settle()
  await lab.ask(0, forOne(sut))
  await lab.settle()
  t.is(judge(await lab.log()).counts.withdrawn, 1)
})

test('a machine that is given back while its offer is still open goes to who waits next', async (t) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  for (const user of ['ada', 'ben']) await lab.addUser(user, 'tester')
  const sut = await lab.addSut({}, {})
  // The offer and the reservation are recorded, but not that the request is granted.
  lab.dieAt(0, 2, true)
  await lab.ask(0, forOne(sut)).catch(() => undefined)
  await lab.rest()
  await lab.ask(1, { ...forOne(sut), user_id: 'ben' })
  const [made = ''] = judge(await lab.log()).model.reservations.keys()
  await lab.cancel(1, sut, made, 'ada')
  await lab.settle()
  await lab.settle()
  t.is(judge(await lab.log()).counts.granted, 2)
})

/** A machine that ben has for an hour, and two requests for it: the first has to be kept alive. */
const queueOfTwo = async (t: ExecutionContext) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  for (const user of ['ada', 'ben', 'cleo']) await lab.addUser(user, 'tester')
  const sut = await lab.addSut({}, {})
  await lab.reserve(0, sut, 'ben', 0, 3_600)
  const first = await lab.ask(0, { ...forOne(sut), keepalive: 120 })
  const second = await lab.ask(1, { ...forOne(sut), user_id: 'cleo' })
  const giveBack = async () => {
    const [held = ''] = judge(await lab.log()).model.reservations.keys()
    await lab.cancel(0, sut, held, 'ben')
    await lab.settle()
  }
  const pass = async (seconds: number) => {
    lab.pass(seconds * 1000 - OTHERS_MS)
    await lab.settle()
  }
  const statuses = async () => {
    const { model, problems } = judge(await lab.log())
    t.deepEqual(problems, [])
    return [first, second].map((id) => model.requests.get(id)?.status)
  }
  return { lab, first, second, giveBack, pass, statuses }
}

for (const how of ['read', 'kept alive'] as const) {
  test(`a request that was passed over has its place again once it is ${how}`, async (t) => {
    const { lab, first, giveBack, pass, statuses } = await queueOfTwo(t)
    await pass(130)
    if (how === 'read') await lab.read(1, first, 'ada')
    else t.is(await lab.keep(1, first), 'recorded')
    await giveBack()
    t.deepEqual(await statuses(), ['granted', 'waiting'])
  })
}

test('a machine that nobody else wants is granted to a request as soon as that comes back', async (t) => {
  const { lab, first, second, giveBack, pass, statuses } = await queueOfTwo(t)
  await lab.withdraw(0, second)
  await pass(130)
  await giveBack()
  t.deepEqual(await statuses(), ['waiting', 'withdrawn'])
  await lab.keep(0, first)
  await lab.settle()
  t.deepEqual(await statuses(), ['granted', 'withdrawn'])
})

test('a request for a machine that is retired ends, also one that was made by who did not know', async (t) => {
  const lab = await openQueueLab(t, { random: makeRandom(1) })
  await lab.addUser('ada', 'tester')
  const sut = await lab.addSut({ is_active: false }, {})
  const before = await lab.ask(0, forOne(sut))
  const any = await lab.ask(0, { ...forOne(sut), target: { match: { sut_type: 'vnc' } } })
  await lab.settle()
  await lab.lag(0)
  t.is(await lab.retire(1, sut), 'recorded')
  await lab.settle()
  const after = await lab.ask(0, forOne(sut))
  await lab.settle()
  const { model, problems } = judge(await lab.log())
  const statusOf = (id: string) => model.requests.get(id)?.status
  t.deepEqual([before, after, any].map(statusOf), ['expired', 'expired', 'waiting'])
  const expiries = (await lab.log()).filter(({ type }) => type === 'RequestExpired')
  t.deepEqual(
    expiries.map(({ data }) => 'cause' in data && data.cause),
    ['retired', 'retired'],
  )
  t.deepEqual(problems, [])
})
