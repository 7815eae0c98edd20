import test, { type ExecutionContext } from 'ava'
import type { Client } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, importedUser, NOW, reserve, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

const list = async (client: Client, path: string) => {
  const answer = await client.get(path)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** The ids of the entries of a list. */
const idsIn = async (client: Client, path: string): Promise<readonly unknown[]> => {
  const [entries] = Object.values((await list(client, path)).json).filter(Array.isArray)
  return (entries as readonly { _id: string }[]).map(({ _id }) => _id)
}

const day = (time: string): string => `2030-05-02T${time}:00+00:00`
const during = (from: string, to: string) => ({ start_time: day(from), end_time: day(to) })

interface Stage {
  readonly service: Running
  readonly alice: Client
  readonly suts: readonly string[]
}

const stage = async (t: ExecutionContext, suts = 2): Promise<Stage> => {
  const service = await start(t, { now: NOW })
  const ids: string[] = []
  for (let n = 0; n < suts; n++) ids.push(await createSut(service.as('admin'), { name: `bench ${n}` }))
  return { service, alice: service.as('alice'), suts: ids }
}

test('an empty list is an envelope without entries', async (t) => {
  const { alice, suts } = await stage(t, 0)
  for (const [path, name] of [
    ['/api/sut_reservation', 'sut_reservations'],
    ['/api/sut', 'suts'],
    ['/api/sut_reservation?sut_id=none&user_id=nobody&from=2030-05-02T00:00:00Z&current=true', 'sut_reservations'],
  ] as const) {
    const answer = await list(alice, path)
    t.is(answer.text, `{"limit":100,"offset":0,"count":0,"${name}":[]}`)
    t.is(answer.headers['content-type'], 'application/json')
  }
  t.is(suts.length, 0)
})

test('list entries equal reads by id byte for byte, newest created first', async (t) => {
  const { service, alice, suts } = await stage(t)
  const made = [
    await reserved(alice, aReservation(suts[0] as string)),
    await reserved(alice, aReservation(suts[1] as string)),
  ].map(({ text }) => text)
  for (const name of ['admin', 'alice', 'bob', 'audrey']) {
    const answer = await list(service.as(name), '/api/sut_reservation?limit=7')
    t.is(answer.text, `{"limit":7,"offset":0,"count":2,"sut_reservations":[${made[1]},${made[0]}]}`)
    t.regex(String(answer.headers['berth-position']), /^\d{20}$/)
  }
  await service.as('admin').post(`/api/sut/${suts[0]}/update`, { description: 'changed' })
  const read = [await alice.get(`/api/sut/${suts[1]}`), await alice.get(`/api/sut/${suts[0]}`)]
  const answer = await list(alice, '/api/sut')
  t.is(answer.text, `{"limit":100,"offset":0,"count":2,"suts":[${read.map(({ text }) => text).join()}]}`)
  const head = await alice.request('HEAD', '/api/sut')
  t.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', answer.headers['content-length']])
})

test('reservations are filtered by SUT, holder, span of time and whether they are in progress', async (t) => {
  const { service, alice, suts } = await stage(t)
  const [one = '', other = ''] = suts
  const make = async (sut: string, user: string, from: string, to: string) =>
    (await reserved(service.as(user), aReservation(sut, { user_id: idOf(user), ...during(from, to) }))).json._id
  const a = await make(one, 'alice', '05:45', '06:00')
  const b = await make(one, 'bob', '06:00', '07:00')
  const c = await make(other, 'alice', '05:45', '06:30')
  const d = await make(other, 'bob', '06:30', '07:00')
  const found: Readonly<Record<string, readonly unknown[]>> = {
    '': [d, c, b, a],
    [`?sut_id=${one}`]: [b, a],
    [`?sut_id=${one}&sut_id=${other}`]: [d, c, b, a],
    [`?sut_id=${other},none,${other}&user_id=${idOf('bob')}`]: [d],
    [`?sut_id=${one}&sut_id=${other}&limit=1&offset=1&to=2030-05-02T06:15:00Z`]: [b],
    [`?sut_id=${one}&sut_id=${other}&current=true`]: [c, a],
    [`?user_id=${idOf('alice')}`]: [c, a],
    [`?user_id=${idOf('alice')}&sut_id=${other}`]: [c],
    '?from=2030-05-02T06:00:00Z': [d, c, b],
    '?to=2030-05-02T06:00:00Z': [c, a],
    '?from=2030-05-02T06:00:00Z&to=2030-05-02T06:30:00Z': [c, b],
    '?from=2030-05-02T05:59:59.999999999Z&to=2030-05-02T06:00:00.000000001Z': [c, b, a],
    '?from=2030-05-02T08:00:00%2B02:00&to=2030-05-02T00:30:00-06:00': [c, b],
    '?current=true': [c, a],
    [`?current=true&sut_id=${one}`]: [a],
    '?current=true&from=2030-05-02T06:00:00Z': [c],
    '?limit=2': [d, c],
    '?limit=2&offset=1': [c, b],
    '?offset=4': [],
    [`?before=${c}`]: [b, a],
    [`?before=${c}&limit=1&user_id=${idOf('alice')}`]: [a],
    '?sut_id=none': [],
    '?user_id=Zo%C3%AB%20%F0%9F%98%80': [],
  }
  for (const [query, ids] of Object.entries(found))
    t.deepEqual(await idsIn(alice, `/api/sut_reservation${query}`), ids, query)
  const { json } = await list(alice, `/api/sut_reservation?before=${c}&limit=1`)
  t.like(json, { limit: 1, count: 4 })
  service.clock.set('2030-05-02T06:00:00.000Z')
  t.deepEqual(await idsIn(alice, '/api/sut_reservation?current=true'), [c, b])
})

test('a cancelled reservation is not listed but works in before, and a released one is not current', async (t) => {
  const { service, alice, suts } = await stage(t, 3)
  const [one = '', other = '', third = ''] = suts
  const first = await reserved(alice, aReservation(third, during('06:00', '07:00')))
  const running = await reserved(alice, aReservation(one, during('05:45', '07:00')))
  const ahead = await reserved(alice, aReservation(other, during('07:00', '08:00')))
  t.deepEqual(await idsIn(alice, '/api/sut_reservation?current=true'), [running.json._id])
  for (const { json } of [running, ahead]) {
    t.is((await alice.post(`/api/sut_reservation/${json._id}/cancel`, {})).status, 200)
  }
  t.deepEqual(await idsIn(alice, '/api/sut_reservation'), [running.json._id, first.json._id])
  t.deepEqual(await idsIn(alice, '/api/sut_reservation?current=true'), [])
  t.deepEqual(await idsIn(alice, `/api/sut_reservation?before=${ahead.json._id}`), [running.json._id, first.json._id])
  const shown = (await list(alice, `/api/sut_reservation?sut_id=${one}`)).json.sut_reservations
  t.like((shown as object[])[0], { _id: running.json._id, end_time: '2030-05-02T05:58:12+00:00' })
  t.like((await list(alice, '/api/sut_reservation')).json, { count: 2 })
  service.clock.set('2030-05-02T05:58:11.999Z')
  t.deepEqual(await idsIn(alice, '/api/sut_reservation?current=true'), [])
})

test('SUTs are filtered by type, is_active, part of the name in any case and tags, without retired ones', async (t) => {
  const { service } = await stage(t, 0)
  const admin = service.as('admin')
  const make = (name: string, more: object = {}) => createSut(admin, { name, ...more })
  const a = await make('Straße 1', { sut_type: 'rdp' })
  const b = await make('strasse 2', { is_active: false })
  const c = await make('100% _')
  const e = await make('e\u0301tuve')
  const f = await make('\u00c9TUVE')
  const d = await make('retired')
  await admin.post(`/api/sut/${a}/tags`, { os: 'linux', 'a.b-c': '' })
  await admin.post(`/api/sut/${b}/tags`, { os: 'Linux', constructor: 'x' })
  t.is((await admin.post(`/api/sut/${d}/retire`, {})).status, 200)
  const found: Readonly<Record<string, readonly string[]>> = {
    '': [f, e, c, b, a],
    '?name=%C3%A9T': [f, e],
    '?name=E%CC%81tu': [f, e],
    '?sut_type=rdp': [a],
    '?sut_type=tcp': [],
    '?is_active=false': [b],
    '?is_active=true': [f, e, c, a],
    '?name=STRASSE': [b, a],
    '?name=%25+_': [c],
    '?tag.os=linux': [a],
    '?tag.os=linux&tag.a.b-c=': [a],
    '?tag.constructor=x': [b],
    '?tag.toString=x': [],
    '?name=s&sut_type=vnc&is_active=false&tag.os=Linux': [b],
    [`?before=${d}&limit=1`]: [f],
    [`?before=${b}`]: [a],
    '?offset=1&limit=1': [e],
  }
  for (const [query, ids] of Object.entries(found)) t.deepEqual(await idsIn(admin, `/api/sut${query}`), ids, query)
})

test('administrators and auditors list users, newest first and without passwords', async (t) => {
  const { service } = await stage(t, 0)
  const users = [
    importedUser('audrey', 'auditor'),
    importedUser('bob', 'tester'),
    importedUser('alice', 'tester'),
    importedUser('admin', 'administrator'),
  ]
  for (const name of ['admin', 'audrey']) {
    const client = service.as(name)
    t.is((await list(client, '/api/user')).text, `{"limit":100,"offset":0,"count":4,"users":[${users.join()}]}`)
    t.deepEqual(await idsIn(client, '/api/user?limit=1&offset=1'), [idOf('bob')])
    t.deepEqual(await idsIn(client, `/api/user?limit=1&before=${idOf('bob')}`), [idOf('alice')])
  }
  t.deepEqual(refusalOf(await service.as('admin').get('/api/user?before=nobody')), [422, 'invalid', 'before'])
})

test('testers list users by id and name, and all of themselves', async (t) => {
  const { service } = await stage(t, 0)
  const named = (name: string) => JSON.stringify({ _id: idOf(name), name })
  const users = [named('audrey'), named('bob'), importedUser('alice', 'tester'), named('admin')]
  const { text } = await list(service.as('alice'), '/api/user')
  t.is(text, `{"limit":100,"offset":0,"count":4,"users":[${users.join()}]}`)
})

test('removed users are listed only with removed=true, and work in before', async (t) => {
  const { service } = await stage(t, 0)
  const admin = service.as('admin')
  await admin.post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  const idsFor = (names: readonly string[]) => names.map(idOf)
  for (const name of ['admin', 'alice', 'audrey']) {
    const client = service.as(name)
    t.deepEqual(await idsIn(client, '/api/user'), idsFor(['audrey', 'alice', 'admin']))
    t.deepEqual(await idsIn(client, '/api/user?removed=true'), idsFor(['audrey', 'bob', 'alice', 'admin']))
    for (const removed of ['', '&removed=true']) {
      t.deepEqual(await idsIn(client, `/api/user?limit=1&before=${idOf('bob')}${removed}`), idsFor(['alice']))
    }
  }
})

/** Invalid queries with the parameters that are wrong. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  '/api/sut_reservation?limit=0': ['limit'],
  '/api/sut_reservation?limit=1001': ['limit'],
  '/api/sut_reservation?limit=1e2': ['limit'],
  '/api/sut_reservation?limit=': ['limit'],
  '/api/sut_reservation?limit': ['limit'],
  '/api/sut_reservation?limit=%2B1': ['limit'],
  '/api/sut_reservation?offset=-1': ['offset'],
  '/api/sut_reservation?offset=99999999999999999': ['offset'],
  '/api/sut_reservation?limit=5&limit=5': ['limit'],
  '/api/sut_reservation?limit=5&l%69mit=x&limit=5': ['limit'],
  '/api/sut_reservation?before=000000000000000000000000': ['before'],
  '/api/sut_reservation?before=nothing': ['before'],
  '/api/sut_reservation?before=x&offset=0&current=false': ['current', 'offset'],
  '/api/sut_reservation?sut_id=': ['sut_id'],
  '/api/sut_reservation?sut_id=a/b&user_id=%00': ['sut_id', 'user_id'],
  '/api/sut_reservation?from=2030-05-02': ['from'],
  '/api/sut_reservation?from=2030-05-02T08:15:00+02:00': ['from'],
  '/api/sut_reservation?from=2030-05-02T08:00:00Z&to=2030-05-02T08:00:00Z&limit=x': ['limit', 'to'],
  '/api/sut_reservation?__proto__=1&constructor=2&sut_ids=3': ['__proto__', 'constructor', 'sut_ids'],
  '/api/sut_reservation?tag.os=linux': ['tag.os'],
  '/api/sut?sut_type=ssh&is_active=yes&name=': ['sut_type', 'is_active', 'name'],
  '/api/sut?tag.=x&tag._a=y&tag.os=%0a&colour=red': ['colour', 'tag.', 'tag._a', 'tag.os'],
  '/api/sut?before=nothing': ['before'],
  '/api/user?name=alice': ['name'],
  [`/api/sut_reservation?sut_id=${'none,'.repeat(100)}none`]: ['sut_id'],
  '/api/session?sut_id=a&sut_id=b': ['sut_id'],
  '/api/user?removed=false': ['removed'],
  '/api/user/me?limit=1': ['limit'],
  '/api/sut/none?as_of=x': ['as_of'],
  '/api/sut/none/availability?duration=0&from=x': ['duration', 'from'],
  '/api/sut/none/availability?from=2030-05-02T09:00:00Z&to=2030-05-02T10:00:00%2B02:00': ['to'],
  '/health/live?verbose=1': ['verbose'],
}

test('unknown, repeated and malformed parameters are all refused by name', async (t) => {
  const { service } = await stage(t, 0)
  for (const [path, names] of Object.entries(WRONG)) {
    const answer = await service.as('admin').get(path)
    t.deepEqual(faultsOf(answer), [], path)
    t.deepEqual(refusalOf(answer), [422, 'invalid', ...names], path)
  }
})

test('a blank in place of the plus of an offset is refused with the right spelling', async (t) => {
  const { alice } = await stage(t, 0)
  const answer = await alice.get('/api/sut_reservation?from=2030-05-02T08:15:00+02:00')
  t.regex(answer.text, /"parameter":"from","detail":"[^"]*%2B/)
})

test('thorough: the next list shows and counts every acknowledged write, with 32 concurrent clients', async (t) => {
  const { service, suts } = await stage(t, 4)
  const stale: string[] = []
  const client = async (n: number): Promise<void> => {
    const sut_id = suts[n % 4] as string
    for (let round = 0; round < 4; round++) {
      const start = Date.parse('2030-05-03T00:00:00Z') + ((n >> 2) * 4 + round) * 900_000
      const ends = { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
      const made = await reserve(service.as('alice'), aReservation(sut_id, ends))
      const path = `/api/sut_reservation?sut_id=${sut_id}&from=${ends.start_time}&to=${ends.end_time}`
      const { json } = await list(service.as('bob'), path)
      if (JSON.stringify(json.sut_reservations) !== `[${made.text}]` || json.count !== 1) stale.push(made.text)
    }
  }
  await Promise.all(Array.from({ length: 32 }, (_, n) => client(n)))
  t.deepEqual(stale, [])
  t.like((await list(service.as('bob'), '/api/sut_reservation')).json, { count: 128 })
})

test('lists are the same after a restart', async (t) => {
  const { service, alice, suts } = await stage(t)
  for (const sut of suts) await reserved(alice, aReservation(sut))
  const paths = ['/api/sut_reservation', `/api/sut_reservation?sut_id=${suts[0]}`, '/api/sut', '/api/sut?name=BENCH+1']
  const before = await Promise.all(paths.map((path) => list(alice, path)))
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  const after = await Promise.all(paths.map((path) => list(again.as('alice'), path)))
  t.deepEqual(
    after.map(({ text }) => text),
    before.map(({ text }) => text),
  )
})
