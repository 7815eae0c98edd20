import test from 'ava'
import { typesOf } from '../port-setting.ts'
import { keptStates } from '../states/kept-states.ts'
import { dying, interrupted } from '../store/interrupted-store.ts'
import { anInstance, aStage, faultsOf, reservationsOf, type Stage } from './stage.ts'

const MINUTE = 60_000

/** Acts with a crash, or an interruption, at each call of the store in turn. */
const atEachCall = async (
  act: (given: Stage, nth: number) => Promise<number>,
  given: () => Promise<Stage>,
): Promise<number> => {
  for (let nth = 1; ; nth++) if ((await act(await given(), nth)) < nth) return nth - 1
}

for (const isShared of [false, true]) {
  const where = isShared ? 'a shared store' : 'an embedded store'
  for (const later of [1_000, 2 * MINUTE]) {
    test(`a match on ${where} that crashes anywhere is completed by a retry ${later / 1000} s later, once`, async (t) => {
      const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
        const { store: dyingStore, calls } = dying(store, nth)
        await anInstance(dyingStore, clock, { isShared, truth: store }).match('k')
        clock.pass(later)
        const id = await anInstance(store, clock, { isShared }).match('k')
        t.regex(id, /^[0-9a-f]{24}$/)
        t.is(await anInstance(store, clock, { isShared }).match('k'), id)
        t.deepEqual(reservationsOf(await log(), 'k'), [id])
        t.deepEqual(faultsOf(await log()), [])
        return calls()
      }
      t.true((await atEachCall(act, () => aStage(t))) > 4)
    })
  }
}

test('two instances with one request answer with one reservation, wherever one overtakes the other', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const ids: string[] = []
    const other = anInstance(store, clock, { isShared: true })
    const slow = interrupted(store, nth, async () => {
      ids.push(await other.match('k'))
    })
    ids.push(await anInstance(slow.store, clock, { isShared: true, truth: store }).match('k'))
    t.deepEqual(reservationsOf(await log(), 'k'), [...new Set(ids)], `at ${nth}`)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  }
  t.true((await atEachCall(act, () => aStage(t))) > 4)
})

test('on an embedded store the first SUT needs no offer, but the next does', async (t) => {
  const { store, clock, log, suts } = await aStage(t)
  const before = (await log()).length
  t.regex(await anInstance(store, clock).match('k'), /^[0-9a-f]{24}$/)
  t.deepEqual(typesOf((await log()).slice(before)), ['MatchOffered', 'ReservationCreated'])
  t.is((await log()).at(-1)?.stream, `sut-${suts[1]}`)
})

test('a SUT that is taken after its offer closes it, wherever that happens', async (t) => {
  const act = async ({ store, clock, log, suts }: Stage, nth: number): Promise<number> => {
    const other = anInstance(store, clock)
    const slow = interrupted(store, nth, async () => void (await other.take(suts[1] as string)))
    const id = await anInstance(slow.store, clock, { isShared: true, truth: store }).match('k')
    t.regex(id, /^[0-9a-f]{24}$/)
    t.deepEqual(reservationsOf(await log(), 'k'), [id])
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  }
  await atEachCall(act, () => aStage(t))
})

test('after a restart a retry finds what was offered, and whether its key is that of the request', async (t) => {
  const { store, clock, suts } = await aStage(t)
  const { snapshots } = keptStates(t)
  const first = anInstance(store, clock, { snapshots })
  for (const sut of suts) await first.take(sut)
  t.is(await first.match('k'), 'no_sut_free')
  first.stop()
  const second = anInstance(store, clock, { snapshots })
  t.is(await second.match('k'), 'no_sut_free')
  t.is(await second.match('k', 'another'), 'idempotency_key_reused')
})

test('a creation that comes after its offer was refused records nothing', async (t) => {
  const act = async ({ store, clock, log, suts }: Stage, nth: number): Promise<number> => {
    const offered = suts[1] as string
    const slow = interrupted(store, nth, async () => {
      clock.pass(MINUTE + 1)
      const other = anInstance(store, clock, { isShared: true })
      // The other finds another SUT, and the one offered before can be had again afterwards.
      await other.update(offered, { is_active: false })
      await other.match('k')
      await other.update(offered, { is_active: true })
    })
    await anInstance(slow.store, clock, { isShared: true, truth: store }).match('k')
    t.is(reservationsOf(await log(), 'k').length, 1, `at ${nth}`)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  }
  await atEachCall(act, () => aStage(t))
})

test('a key that another request has is refused, also where that only has an offer', async (t) => {
  const act = async ({ store, clock, log }: Stage, nth: number): Promise<number> => {
    const { store: dyingStore, calls } = dying(store, nth)
    await anInstance(dyingStore, clock, { isShared: true, truth: store }).match('k')
    const isOffered = typesOf(await log()).includes('MatchOffered')
    const isMade = reservationsOf(await log(), 'k').length > 0
    const code = await anInstance(store, clock, { isShared: true }).match('k', 'other')
    if (isOffered && !isMade) t.is(code, 'idempotency_key_reused')
    return calls()
  }
  t.true((await atEachCall(act, () => aStage(t))) > 4)
})

test('without a free SUT every SUT is tried, and after catching up the request is refused', async (t) => {
  const { store, clock, log, suts } = await aStage(t)
  const instance = anInstance(store, clock)
  for (const sut of suts.slice(1)) await instance.take(sut)
  const before = (await log()).length
  t.is(await instance.match(), 'no_sut_free')
  t.is((await log()).length, before)
  t.is(await instance.match('k'), 'no_sut_free')
  t.deepEqual(faultsOf(await log()), [])
})

test('a request for now passes over a SUT that is for somebody who waits, a later one does not', async (t) => {
  const { store, clock, log, suts } = await aStage(t)
  const instance = anInstance(store, clock, { awaited: suts.slice(1, 2) })
  const now = { form: 'relative', startIn: 0, duration: 900 } as const
  const holder = async (id: string) => (await log()).find(({ data }) => '_id' in data && data._id === id)?.stream
  t.is(await holder(await instance.match(undefined, undefined, now)), `sut-${suts[2]}`)
  t.is(await instance.match(undefined, undefined, now), 'no_sut_free')
  t.is(await holder(await instance.match()), `sut-${suts[1]}`)
})
