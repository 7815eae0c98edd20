/** Shows what quotas refuse over HTTP; `test/domain/reservation/quota.test.ts` what counts. NOW is a Thursday, in 2030-W18. */

import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf } from '../harness.ts'
import { during, type Lab, lab, said } from '../lab.ts'
import { aReservation, createSut, reserve } from '../requests.ts'

const setQuota = ({ ask }: Pick<Lab, 'ask'>, quota: object | null): Promise<Answer> =>
  ask('admin', `POST /api/user/${idOf('alice')}/update`, { quota })

const given = async (t: ExecutionContext, limits: object, environment: Readonly<Record<string, string>> = {}) => {
  const service = await lab(t, { environment })
  t.is((await setQuota(service, limits)).status, 200)
  const used = async (who = 'alice', id = 'me') =>
    (await service.ask(who, `GET /api/user/${id}?include=used`)).json.used as
      | Readonly<Record<string, unknown>>
      | undefined
  return { ...service, used }
}

test('the default counts for testers without a quota, and for nobody else; a lower quota cancels nothing', async (t) => {
  const service = await given(t, {}, { BERTH_QUOTA_DEFAULT: 'reservations_max=1' })
  const { ask, book } = service
  for (const window of ['06:00-07:00', '07:00-08:00']) t.is((await book('alice', window)).status, 201, 'without limits')
  await setQuota(service, null)
  t.like((await book('alice', '09:00-10:00')).json, { quota: { reservations_max: 1 }, used: { reservations: 2 } })
  t.is((await ask('alice', 'GET /api/sut_reservation')).json.count, 2)
  for (const hour of ['10', '11', '12']) t.is((await book('admin', `${hour}:00-${hour}:30`)).status, 201)
})

test('of requests at the same moment exactly as many are accepted as the quota has', async (t) => {
  const { as, ask } = await given(t, { reservations_max: 5 })
  const suts = await Promise.all(Array.from({ length: 16 }, () => createSut(as('admin'))))
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(suts.map((sut) => reserve(as('alice'), aReservation(sut, during('06:00-07:00')))))
    const made = answers.filter(({ status }) => status === 201)
    t.is(made.length, 5)
    t.is(answers.filter(({ json }) => json.code === 'quota_exceeded').length, 11)
    await Promise.all(made.map(({ headers }) => ask('alice', `POST ${headers.location}/cancel`)))
  }
})

test('what is asked for by its length counts as asked, and used says the same to those who may know', async (t) => {
  const { ask, book, clock, used } = await given(t, { hours_per_week: 10 })
  const first = await book('alice', { start_in: 0, duration: 1_800 })
  const quota = { hours_per_week: 10, reservations_max: null, priority_max: null }
  for (const [who, id] of Object.entries({ alice: 'me', admin: idOf('alice'), audrey: idOf('alice') }))
    t.deepEqual(await used(who, id), { hours: 0.5, reservations: 1, week: '2030-W18', quota }, who)
  t.is((await ask('alice', 'GET /api/user/me?include=used')).headers.etag, undefined)
  t.like(await used('admin', 'me'), { quota: null }, 'administrators have none')
  t.is(await used('bob', idOf('alice')), undefined)
  t.is((await ask('alice', 'GET /api/user/me')).json.used, undefined)
  clock.set('2030-05-02T06:02:00.000Z')
  await ask('alice', `POST ${first.headers.location}/cancel`)
  t.like(await used(), { hours: 0.25, reservations: 0 })
  t.is((await book('alice', { start_in: 0, duration: 35_100 })).status, 201, 'all the rest')
  t.is(said(await book('alice', { start_in: 72_000, duration: 1 })), '403 quota_exceeded')
  const listed = async (who: string) =>
    ((await ask(who, 'GET /api/user?include=used')).json.users as readonly { name: string; used?: object }[]).flatMap(
      ({ name, used }) => (used === undefined ? [] : [[name, Object.values(used)[0]]]),
    )
  t.deepEqual(await listed('audrey'), [
    ['audrey', 0],
    ['bob', 0],
    ['alice', 10],
    ['admin', 0],
  ])
  t.deepEqual(await listed('bob'), [['bob', 0]])
  clock.set('2030-05-09T06:02:00.000Z')
  t.deepEqual(await used(), { hours: 0, reservations: 0, week: '2030-W19', quota })
})
