/** What is refused is counted, and recorded once a minute. */

import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../src/commands/command-envelope.ts'
import type { CountRefusals } from '../../src/domain/refusals/decide.ts'
import { makeRefusalCounts } from '../../src/processes/refusals.ts'
import { namesIn, openChanges, toldUntilNow } from '../feed/changes/told.ts'
import { idOf, type Running, type Setting, start, type Tidying, temporaryData } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../http/requests.ts'
import { changedStore, failingAppends } from '../http/store/stores.ts'
import { until } from '../http/until.ts'
import '../http/documents/fit-answers.ts'

interface Counted {
  readonly time: string
  readonly subject?: string
  readonly stream: string
  readonly actor: string
  readonly data: { readonly from: string; readonly to: string; readonly refusals: readonly object[]; others?: number }
}

const MINUTE = ['2030-05-02T05:59:11.400Z', '2030-05-02T06:00:11.400Z', '2030-05-02T06:01:11.400Z'] as const
const OWN = { user_id: idOf('alice') }

const countsIn = async (service: Running, query = ''): Promise<readonly Counted[]> =>
  (await service.as('admin').get(`/api/events?limit=1000&type=RefusalsCounted${query}`)).json.events as Counted[]

const afterMinute = async (service: Running, minute: string, count: number): Promise<readonly Counted[]> => {
  service.clock.set(minute)
  let counts: readonly Counted[] = []
  const areRecorded = async (): Promise<boolean> => {
    service.tick()
    counts = await countsIn(service)
    return counts.length >= count
  }
  await until(`${count} counts`, areRecorded, 5_000)
  return counts
}

/** A service whose only SUT is Bob’s from now on. */
const stage = async (t: Tidying, setting: Setting = {}) => {
  const service = await start(t, { now: NOW, ...setting })
  const sut = await createSut(service.as('admin'), { tags: { rack: '1' } })
  await reserved(service.as('bob'), aReservation(sut, { user_id: idOf('bob') }))
  /** Is refused. */
  const want = async (count = 1): Promise<void> => {
    for (let n = 0; n < count; n++) await reserve(service.as('alice'), aReservation(sut))
  }
  return { service, sut, want }
}

test('refusals are counted by SUT or criteria, user and code, once a minute if there were any', async (t) => {
  const { service, sut, want } = await stage(t)
  const [alice, bob, admin] = [service.as('alice'), service.as('bob'), service.as('admin')]
  await want(3)
  const { sut_id: _, ...window } = aReservation(sut) as Readonly<Record<string, unknown>>
  const match = { tags: { rack: '1' }, name: ['bench 4', 'x'] }
  t.is((await reserve(alice, { ...window, match })).json.code, 'no_sut_free')
  const later = await reserved(bob, {
    ...aReservation(sut, { user_id: idOf('bob') }),
    start_time: '2030-05-03T08:00:00Z',
    end_time: '2030-05-03T09:00:00Z',
  })
  await reserved(alice, { ...aReservation(sut), start_time: '2030-05-03T09:00:00Z', end_time: '2030-05-03T10:00:00Z' })
  const end_time = '2030-05-03T09:30:00Z'
  t.is((await admin.post(`${later.headers.location}/extend`, { end_time })).json.code, 'reservation_conflict')
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { hours_per_week: 0 } })
  const free = { start_time: '2030-05-04T09:00:00Z', end_time: '2030-05-04T10:00:00Z' }
  t.is((await reserve(alice, { ...aReservation(sut), ...free })).json.code, 'quota_exceeded')
  // By these nobody asks for a SUT.
  t.is((await admin.post(`/api/sut/${sut}/retire`, {})).json.code, 'sut_reserved')
  t.is((await bob.request('POST', `${later.headers.location}/keepalive`)).json.code, 'not_kept_alive')
  t.is((await alice.get('/api/sut_reservation/6b01828b6e9e663bff2b20c9')).status, 404)
  t.is((await admin.post('/api/user/create', { name: 'bob', role: 'tester' })).status, 409)
  service.tick()
  t.deepEqual(await countsIn(service), [], 'a minute has not passed')

  const [counted, ...others] = await afterMinute(service, MINUTE[0], 1)
  t.deepEqual(others, [])
  const { data, subject, stream, actor, time } = counted as Counted
  t.deepEqual([subject, stream, actor, time], [undefined, 'refusals', 'berth', MINUTE[0]])
  t.deepEqual(data, {
    from: NOW,
    refusals: [
      { code: 'reservation_conflict', count: 3, sut_id: sut, ...OWN },
      { code: 'no_sut_free', count: 1, match: { name: ['bench 4', 'x'], tags: { rack: '1' } }, ...OWN },
      { code: 'reservation_conflict', count: 1, sut_id: sut, user_id: idOf('bob') },
      { code: 'quota_exceeded', count: 1, sut_id: sut, ...OWN },
    ],
    to: MINUTE[0],
  })
  // They concern many SUTs and users, so no filter by one has them.
  t.deepEqual(await countsIn(service, `&sut_id=${sut}`), [])
  t.deepEqual(await countsIn(service, `&user_id=${idOf('alice')}`), [])
  t.false((await admin.get(`/api/sut/${sut}/history`)).text.includes('RefusalsCounted'))

  service.clock.set(MINUTE[1])
  service.tick()
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: null })
  await want()
  t.is((await afterMinute(service, MINUTE[2], 2)).length, 2, 'a minute without refusals has no event')
})

test('nobody is told of a count as of a changed object, and testers cannot read it', async (t) => {
  const { service, sut, want } = await stage(t, { changes: { interval: 20, heartbeat: 30, checkInterval: 10 } })
  await service.as('admin').post(`/api/user/${idOf('alice')}/update`, { scope: 'rack=1' })
  const streams = [await openChanges(t, service, 'alice'), await openChanges(t, service, 'admin')]
  await want()
  await afterMinute(service, MINUTE[0], 1)
  for (const stream of streams) t.deepEqual(namesIn(await toldUntilNow(service, stream)), ['ready'])
  t.is((await service.as('alice').get('/api/events?type=RefusalsCounted')).status, 403)
  t.is((await service.as('alice').get(`/api/sut/${sut}/history`)).status, 403)
})

test('a stop records what has been counted', async (t) => {
  const { service, want } = await stage(t)
  await want(2)
  await service.stop()
  const again = await start(t, { data: service.data, now: MINUTE[0] })
  t.deepEqual(
    (await countsIn(again)).map(({ data }) => [data.from, data.to, data.refusals.length]),
    [[NOW, NOW, 1]],
  )
})

test('counts that cannot be recorded wait, and what is refused meanwhile goes into the next', async (t) => {
  const path = `${await temporaryData(t)}/events.db`
  const failing = failingAppends((stream) => stream === 'refusals', 1)
  const { service, want } = await stage(t, { openStore: changedStore(path, failing) })
  await want(2)
  service.clock.set(MINUTE[0])
  service.tick()
  await want(1)
  const counts = await afterMinute(service, MINUTE[1], 2)
  t.deepEqual(
    counts.map(({ data: { from, to, refusals } }) => [from, to, (refusals[0] as { count: number }).count]),
    [
      [NOW, MINUTE[0], 2],
      [MINUTE[0], MINUTE[1], 1],
    ],
  )
})

test('a count whose answer was lost is recorded once', async (t) => {
  let isLost = false
  const path = `${await temporaryData(t)}/events.db`
  const losing = changedStore(path, (store) => ({
    append: async (stream, ...rest) => {
      const appended = await store.append(stream, ...rest)
      if (stream !== 'refusals' || isLost) return appended
      isLost = true
      return E.left('unknown')
    },
  }))
  const { service, want } = await stage(t, { openStore: losing })
  await want()
  await afterMinute(service, MINUTE[0], 1)
  await want()
  const counts = await afterMinute(service, MINUTE[1], 2)
  t.true(isLost)
  t.deepEqual(
    counts.map(({ data }) => data.from),
    [NOW, MINUTE[0]],
  )
})

/** What a counter records when it stops at once. */
const recordedOf = async (t: ExecutionContext, fill: (add: ReturnType<typeof makeRefusalCounts>['add']) => void) => {
  const commands: CountRefusals[] = []
  const run = async (_: unknown, __: unknown, { command }: { readonly command: CountRefusals }) =>
    E.right(commands.push(command))
  const counts = makeRefusalCounts({
    clock: { now: () => 0, mayAct: () => true, mayRecord: () => true, confirm: () => undefined },
    ...{ runner: { run } as unknown as Pick<Runner, 'run'>, makeRequestId: () => 'request' },
  })
  fill(counts.add)
  t.true(await counts.finish())
  return commands
}

test('at most 500 different refusals and 64 KB of criteria are told apart, and the others summed', async (t) => {
  const [many] = await recordedOf(t, (add) => {
    for (let n = 0; n < 502; n++) add({ user_id: `u${n}`, code: 'sut_inactive', sut_id: 'a'.repeat(24) })
    for (const user_id of ['u0', 'u501']) add({ user_id, code: 'sut_inactive', sut_id: 'a'.repeat(24) })
  })
  t.is(many?.refusals.length, 500)
  t.deepEqual([many?.refusals[0]?.count, many?.others], [2, 3])
  const [large] = await recordedOf(t, (add) => {
    for (let n = 0; n < 20; n++)
      add({ user_id: 'u', code: 'no_sut_free', match: { os: 'x'.repeat(4_000), name: `${n}` } })
  })
  t.is(large?.refusals.length, 16)
  t.is(large?.others, 4)
})
