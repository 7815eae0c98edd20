/** A reservation of any SUT, over a store that ends at any call, or where another instance acts at any call. */

import test from 'ava'
import { typesOf } from '../port-setting.ts'
import { keptStates } from '../states/kept-states.ts'
import { dying, interrupted } from '../store/interrupted-store.ts'
import { aRequester, aStage, atEachCall, faultsOf, reservationsOf } from './stage.ts'

const MINUTE = 60_000

for (const later of [1_000, 2 * MINUTE]) {
  test(`a match that crashes anywhere is completed by a retry ${later / 1000} s later, once`, async (t) => {
    await atEachCall(t, async ({ store, clock, log }, nth) => {
      const { store: dyingStore, calls } = dying(store, nth)
      await aRequester(dyingStore, clock, { truth: store }).match('k')
      clock.pass(later)
      const id = await aRequester(store, clock).match('k')
      t.regex(id, /^[0-9a-f]{24}$/, `at ${nth}`)
      t.is(await aRequester(store, clock).match('k'), id)
      t.deepEqual(reservationsOf(await log(), 'k'), [id])
      t.deepEqual(faultsOf(await log()), [])
      return calls()
    })
  })
}

test('two instances with one request answer with one reservation, wherever one overtakes the other', async (t) => {
  await atEachCall(t, async ({ store, clock, log }, nth) => {
    const ids: string[] = []
    const other = aRequester(store, clock)
    const slow = interrupted(store, nth, async () => {
      ids.push(await other.match('k'))
    })
    ids.push(await aRequester(slow.store, clock, { truth: store }).match('k'))
    t.deepEqual(reservationsOf(await log(), 'k'), [...new Set(ids)], `at ${nth}`)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  })
})

test('a SUT that is taken closes its offer, and another request is made for the next', async (t) => {
  const { store, clock, log, suts } = await aStage(t)
  const before = (await log()).length
  t.regex(await aRequester(store, clock).match('k'), /^[0-9a-f]{24}$/)
  t.deepEqual(typesOf((await log()).slice(before)), [
    ...['ReservationRequested', 'RequestOffered', 'ReservationOfferRefused'],
    ...['RequestOfferClosed', 'RequestExpired', 'ReservationRequested', 'RequestOffered'],
    ...['ReservationCreated', 'RequestGranted'],
  ])
  t.is((await log()).findLast(({ type }) => type === 'ReservationCreated')?.stream, `sut-${suts[1]}`)
})

test('a SUT that is taken after its offer closes it, wherever that happens', async (t) => {
  await atEachCall(t, async ({ store, clock, log, suts }, nth) => {
    const slow = interrupted(store, nth, async () => void (await aRequester(store, clock).take(suts[1] as string)))
    const id = await aRequester(slow.store, clock, { truth: store }).match('k')
    t.regex(id, /^[0-9a-f]{24}$/)
    t.deepEqual(reservationsOf(await log(), 'k'), [id])
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  })
})

test('after a restart a retry finds its request, and whether its key is that of the request', async (t) => {
  const { store, clock, log } = await aStage(t)
  const { snapshots } = keptStates(t)
  const first = aRequester(dying(store, 5).store, clock, { snapshots, truth: store })
  t.is(await first.match('k'), 'outcome_unknown')
  t.is((await log()).at(-1)?.type, 'RequestOffered')
  first.keepStates()
  const second = aRequester(store, clock, { snapshots })
  t.is(await second.match('k', 'another'), 'idempotency_key_reused')
  t.regex(await second.match('k'), /^[0-9a-f]{24}$/)
})

test('a refused request is forgotten: a retry of it is decided anew', async (t) => {
  const { store, clock, suts } = await aStage(t)
  const instance = aRequester(store, clock)
  for (const sut of suts) await instance.take(sut)
  t.is(await instance.match('k'), 'no_sut_free')
  await instance.aSut()
  t.regex(await instance.match('k'), /^[0-9a-f]{24}$/)
})

test('a creation that comes after its offer was refused records nothing', async (t) => {
  await atEachCall(t, async ({ store, clock, log, suts }, nth) => {
    const offered = suts[1] as string
    const slow = interrupted(store, nth, async () => {
      clock.pass(MINUTE + 1)
      const other = aRequester(store, clock)
      // The other finds another SUT, and the one offered before can be had again afterwards.
      await other.update(offered, { is_active: false })
      await other.match('k')
      await other.update(offered, { is_active: true })
    })
    await aRequester(slow.store, clock, { truth: store }).match('k')
    t.is(reservationsOf(await log(), 'k').length, 1, `at ${nth}`)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  })
})

test('a key that another request has is refused, also while that only has an offer', async (t) => {
  await atEachCall(t, async ({ store, clock, log }, nth) => {
    const { store: dyingStore, calls } = dying(store, nth)
    await aRequester(dyingStore, clock, { truth: store }).match('k')
    const isOffered = typesOf(await log()).findLast((type) => type.startsWith('Request')) === 'RequestOffered'
    const isMade = reservationsOf(await log(), 'k').length > 0
    const code = await aRequester(store, clock).match('k', 'other')
    if (isOffered && !isMade) t.is(code, 'idempotency_key_reused')
    return calls()
  })
})

test('without a free SUT nothing is recorded, after catching up', async (t) => {
  const { store, clock, log, suts } = await aStage(t)
  for (const sut of suts.slice(1)) await aRequester(store, clock).take(sut)
  const before = (await log()).length
  t.is(await aRequester(store, clock, { suts: [] }).match('k'), 'no_sut_matches')
  t.is((await log()).length, before)
  t.is(await aRequester(store, clock).match('k'), 'no_sut_free')
  t.deepEqual(faultsOf(await log()), [])
})

test('a match for now takes no SUT that is for somebody who waits, a later one does', async (t) => {
  const { store, clock, suts } = await aStage(t)
  await aRequester(store, clock, { suts: suts.slice(0, 1) }).ask('waits')
  const instance = aRequester(store, clock)
  t.is(await instance.match('k', 'k', { form: 'relative', startIn: 0, duration: 900 }), 'no_sut_free')
  t.regex(await instance.match('k'), /^[0-9a-f]{24}$/)
})
