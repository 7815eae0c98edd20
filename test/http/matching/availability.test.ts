import '../documents/fit-answers.ts'
import test from 'ava'
import type { Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { createSut, NOW, reserve } from '../requests.ts'

interface Window {
  readonly start_time: string
  readonly end_time: string
}
interface Page {
  readonly limit: number
  readonly next: string | null
  readonly suts: readonly {
    readonly _id: string
    readonly name: string
    readonly free: readonly Window[]
    readonly next: string | null
    readonly turnaround: readonly Window[]
  }[]
}

const at = (time: string): string => `2030-05-02T${time}:00+00:00`
const windowOf = (from: string, to: string): Window => ({ start_time: at(from), end_time: at(to) })
const MORNING = 'from=2030-05-02T06:00:00Z&to=2030-05-02T12:00:00Z'

const ask = async (client: Client, query: string): Promise<Page> => {
  const { status, json, text } = await client.get(`/api/availability?${query}`)
  if (status !== 200) throw new Error(text)
  return json as unknown as Page
}
const matching = (criteria: object): string => `match=${encodeURIComponent(JSON.stringify(criteria))}`

test('SUTs with something free are found by the filters of their list, newest first', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const one = await createSut(admin, { name: 'one', tags: { rack: '4' } })
  const two = await createSut(admin, { name: 'two', tags: { rack: '4' } })
  const full = await createSut(admin, { name: 'full', tags: { rack: '4' } })
  await createSut(admin, { name: 'inactive', tags: { rack: '4' }, is_active: false })
  await createSut(admin, { name: 'other' })
  await reserve(admin, { sut_id: full, ...windowOf('06:00', '12:00') })
  await reserve(admin, { sut_id: two, ...windowOf('07:00', '11:45') })
  const found = await ask(as('alice'), `${MORNING}&tag.rack=4&duration=1800`)
  t.deepEqual(found, {
    limit: 20,
    next: null,
    suts: [
      { _id: two, name: 'two', free: [windowOf('06:00', '07:00')], next: null, turnaround: [] },
      { _id: one, name: 'one', free: [windowOf('06:00', '12:00')], next: null, turnaround: [] },
    ],
  })
  t.deepEqual((await ask(admin, `${MORNING}&name=TW`)).suts[0]?.free, [
    windowOf('06:00', '07:00'),
    windowOf('11:45', '12:00'),
  ])
  t.deepEqual((await ask(admin, `${MORNING}&is_active=false`)).suts, [])
})

test('by criteria SUTs come in the order in which a create tries them, the earliest window first', async (t) => {
  const { as } = await start(t, { now: NOW })
  const [admin, alice] = [as('admin'), as('alice')]
  const later = await createSut(admin, { os: 'windows' })
  const tight = await createSut(admin, { os: 'windows' })
  const used = await createSut(admin, { os: 'Windows' })
  const fresh = await createSut(admin, { os: 'windows' })
  await createSut(admin, { os: 'linux' })
  await createSut(admin, { os: 'windows', is_active: false })
  await reserve(admin, { sut_id: later, ...windowOf('06:00', '07:00') })
  await reserve(admin, { sut_id: tight, ...windowOf('08:00', '12:00') })
  await reserve(admin, { sut_id: used, ...windowOf('05:45', '06:00') })
  const query = `from=2030-05-02T06:00:00Z&duration=3600&${matching({ os: 'WINDOWS' })}`
  const { suts } = await ask(alice, query)
  t.deepEqual(
    suts.map(({ _id }) => _id),
    [tight, used, fresh, later],
  )
  const made = await reserve(alice, { match: { os: 'windows' }, ...windowOf('06:00', '07:00') })
  t.is(made.json.sut_id, suts[0]?._id)
})

test('pages of either order have each SUT once, also beyond those without anything free', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push(await createSut(admin, { name: `bench ${n}`, os: 'windows' }))
  await reserve(admin, { sut_id: ids[3], ...windowOf('06:00', '12:00') })
  await reserve(admin, { sut_id: ids[5], ...windowOf('07:00', '12:00') })
  for (const query of [MORNING, `${MORNING}&${matching({ os: 'windows' })}`]) {
    const seen: string[] = []
    let after = ''
    for (let pages = 0; pages < 10; pages++) {
      const page = await ask(admin, `${query}&limit=2${after}`)
      seen.push(...page.suts.map(({ _id }) => _id))
      if (page.next === null) break
      after = `&after=${page.next}`
    }
    t.is(seen.length, 6)
    t.deepEqual(seen.toSorted(), ids.filter((id) => id !== ids[3]).toSorted())
  }
})

test('at most 100 free windows of a SUT are shown, with the start of the next', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const sut_id = await createSut(admin)
  const hour = (n: number): string => new Date(Date.parse('2030-05-03T00:00:00Z') + n * 1_800_000).toISOString()
  for (let n = 0; n < 102; n++) await reserve(admin, { sut_id, start_time: hour(n), end_time: hour(n + 0.5) })
  const { suts } = await ask(admin, `from=2030-05-03T00:00:00Z&to=2030-05-06T00:00:00Z`)
  t.is(suts[0]?.free.length, 100)
  t.is(suts[0]?.next, hour(100.5).replace('.000Z', '+00:00'))
})

test('a scope hides SUTs, and wrong parameters are refused', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const inside = await createSut(admin, { tags: { team: 'qa' } })
  await createSut(admin, { tags: { team: 'dev' } })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa' })
  for (const query of [MORNING, `${MORNING}&${matching({ os: null })}`])
    t.deepEqual(
      (await ask(as('alice'), query)).suts.map(({ _id }) => _id),
      [inside],
    )
  const problems = async (query: string) => {
    const { status, json } = await admin.get(`/api/availability?${query}`)
    t.is(status, 422, query)
    return (json.errors as { parameter: string; detail: string }[]).map(({ parameter }) => parameter)
  }
  t.deepEqual(await problems(`${matching({ os: 'x' })}&name=a&tag.rack=4`), ['name', 'tag.rack'])
  t.deepEqual(await problems(matching({})), ['match'])
  t.deepEqual(await problems('match=os'), ['match'])
  t.deepEqual(await problems('limit=101'), ['limit'])
  t.deepEqual(await problems('from=2030-05-02T06:00:00Z&to=2030-06-02T06:15:00Z'), ['to'])
  t.deepEqual(await problems('after=zzz'), ['after'])
  t.deepEqual(await problems('offset=1'), ['offset'])
  const { next } = await ask(admin, `${MORNING}&limit=1`)
  t.deepEqual(await problems(`after=${next}&${matching({ os: 'x' })}`), ['after'])
})

test('what only a turnaround keeps from being free is shown apart, and matching knows it', async (t) => {
  const { as } = await start(t, { now: NOW })
  const admin = as('admin')
  const sut_id = await createSut(admin, { os: 'windows', turnaround: 1800 })
  await reserve(admin, { sut_id, ...windowOf('07:00', '08:00') })
  await reserve(admin, { sut_id, ...windowOf('09:15', '10:00') })
  const expected = {
    free: [windowOf('06:00', '06:30'), windowOf('08:30', '08:45'), windowOf('10:30', '12:00')],
    turnaround: [
      windowOf('06:30', '07:00'),
      windowOf('08:00', '08:30'),
      windowOf('08:45', '09:15'),
      windowOf('10:00', '10:30'),
    ],
  }
  for (const query of [MORNING, `${MORNING}&${matching({ os: 'windows' })}`]) {
    const { suts } = await ask(admin, query)
    t.like(suts[0], expected)
  }
  const match = (from: string, to: string) => reserve(admin, { match: { os: 'windows' }, ...windowOf(from, to) })
  const taken = await match('08:00', '08:45')
  t.deepEqual(
    [taken.json.code, taken.json.longest, taken.json.next_available],
    ['no_sut_free', null, { sut_id, ...windowOf('10:30', '11:15') }],
  )
  t.deepEqual((await match('08:30', '09:00')).json.longest, { sut_id, ...windowOf('08:30', '08:45') })
  t.is((await match('08:30', '08:45')).status, 201)
  await admin.post(`/api/sut/${sut_id}/update`, { turnaround: 0 })
  t.is((await match('08:45', '09:15')).status, 201)
})

test('an administrator asks for another user, whose scope counts; others ask for themselves only', async (t) => {
  const { as } = await start(t, { now: NOW })
  const [admin, alice, bob] = [as('admin'), as('alice'), as('bob')]
  const inside = await createSut(admin, { tags: { team: 'qa' }, os: 'windows' })
  const outside = await createSut(admin, { tags: { team: 'dev' }, os: 'windows' })
  await admin.post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa' })
  const [forAlice, forBob] = [`user_id=${idOf('alice')}`, `user_id=${idOf('bob')}`]
  const idsOf = async (client: Client, query: string) => (await ask(client, query)).suts.map(({ _id }) => _id)
  for (const wanted of [MORNING, `${MORNING}&${matching({ os: 'windows' })}`]) {
    t.deepEqual(await idsOf(admin, `${wanted}&${forAlice}`), [inside])
    t.deepEqual(await idsOf(alice, `${wanted}&${forAlice}`), [inside])
    t.deepEqual((await idsOf(admin, `${wanted}&${forBob}`)).toSorted(), [inside, outside].toSorted())
  }
  const refusalOf = async (client: Client, userId: string) => {
    const { status, json } = await client.get(`/api/availability?${MORNING}&user_id=${userId}`)
    return [status, json.code]
  }
  t.deepEqual(await refusalOf(alice, idOf('bob')), [403, 'forbidden'])
  t.deepEqual(await refusalOf(bob, 'nobody'), [403, 'forbidden'])
  t.deepEqual(await refusalOf(as('audrey'), idOf('alice')), [403, 'forbidden'])
  t.deepEqual(await refusalOf(admin, 'nobody'), [404, 'user_not_found'])
  await admin.post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  t.deepEqual(await refusalOf(admin, idOf('bob')), [410, 'user_removed'])
})
