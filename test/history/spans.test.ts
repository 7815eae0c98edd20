import test from 'ava'
import type { Answer } from '../http/client.ts'
import { start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'

interface Entry {
  readonly sequence: string
  readonly time: string
  readonly actorname?: string
  readonly username?: string
  readonly sutname?: string
}

const entriesOf = ({ json }: Answer): readonly Entry[] => json.events as readonly Entry[]

/** Noon of the nth day after the beginning. */
const day = (n: number): string => new Date(Date.parse('2030-05-02T12:00:00.000Z') + n * 86_400_000).toISOString()

test('a history of a span has what was recorded in it, with the names of who did it and of whom it is about', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await createSut(admin, { name: 'bench 3' })
  for (let n = 0; n < 30; n++) {
    service.clock.set(day(n))
    await admin.post(`/api/sut/${sut}/tags`, { day: String(n) })
  }
  const window = { start_time: '2031-01-01T08:00:00Z', end_time: '2031-01-01T09:00:00Z' }
  const { _id } = (await reserved(service.as('alice'), { ...aReservation(sut), ...window })).json
  const path = `/api/sut/${sut}/history`
  const all = entriesOf(await admin.get(`${path}?limit=1000`))
  for (const [from, to] of [
    [3, 7],
    [0, 1],
    [29, 30],
    [7, 40],
    [-9, 0],
  ] as const) {
    const span = `from=${day(from)}&to=${day(to)}`
    const expected = all.filter(({ time }) => time >= day(from) && time < day(to))
    const { json } = await admin.get(`${path}?${span}&limit=1000`)
    t.deepEqual([json.events, json.count, json.offset], [expected, expected.length, 0], span)
    const [second] = entriesOf(await admin.get(`${path}?${span}&offset=1&limit=1`))
    t.deepEqual(second, expected[1], span)
    const after = await admin.get(`${path}?${span}&after=${expected[0]?.sequence}`)
    t.deepEqual(entriesOf(after), expected.slice(1), span)
  }
  t.deepEqual((await admin.get(`${path}?from=${day(40)}`)).json.count, 0)
  t.deepEqual(entriesOf(await admin.get(`${path}?to=${day(0)}&after=${all.at(-1)?.sequence}`)), [])
  t.deepEqual(entriesOf(await admin.get(`${path}?from=${day(5)}&after=${all[0]?.sequence}&limit=1`)), [all[7]])

  const [made] = entriesOf(await admin.get(`${path}?from=${day(29)}&offset=1&include=names`))
  t.like(made, { actorname: 'alice', username: 'alice', sutname: 'bench 3' })
  t.false('username' in (all.at(-1) ?? {}))
  const own = entriesOf(await service.as('alice').get(`/api/sut_reservation/${_id}/history?include=names`))
  t.like(own[0], { actorname: 'alice', username: 'alice', sutname: 'bench 3' })
  const ofUser = entriesOf(await service.as('alice').get(`/api/user/me/history?include=names&to=${day(1)}`))
  t.like(ofUser[0], { username: 'alice' })
})

test('a page after an entry answers no offset, in histories and in lists', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const [sut] = [await createSut(admin), await createSut(admin)]
  const [first] = entriesOf(await admin.get(`/api/sut/${sut}/history`))
  const keysOf = async (path: string) => Object.keys((await admin.get(path)).json)
  t.deepEqual(await keysOf(`/api/sut/${sut}/history`), ['limit', 'offset', 'count', 'events'])
  for (const after of [first?.sequence, 'latest']) {
    t.deepEqual(await keysOf(`/api/sut/${sut}/history?after=${after}`), ['limit', 'count', 'events'])
  }
  const [user] = (await admin.get('/api/user')).json.users as readonly { readonly _id: string }[]
  t.deepEqual(await keysOf(`/api/sut?before=${sut}`), ['limit', 'count', 'suts'])
  t.deepEqual(await keysOf(`/api/user?before=${user?._id}`), ['limit', 'count', 'users'])
  t.deepEqual(await keysOf('/api/sut?offset=1'), ['limit', 'offset', 'count', 'suts'])
})
