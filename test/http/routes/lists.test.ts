import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { type Lab, lab, said } from '../lab.ts'
import { createSut, importedUser, NOW } from '../requests.ts'

const list = async ({ ask }: Pick<Lab, 'ask'>, who: string, path: string): Promise<Answer> => {
  const answer = await ask(who, `GET ${path}`)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** The ids of the entries of a list. */
const idsIn = async (lab: Pick<Lab, 'ask'>, who: string, path: string): Promise<readonly unknown[]> => {
  const [entries] = Object.values((await list(lab, who, path)).json).filter(Array.isArray)
  return (entries as readonly { _id: string }[]).map(({ _id }) => _id)
}

/** Compares the ids that each query finds. */
const finds = async (
  t: ExecutionContext,
  lab: Pick<Lab, 'ask'>,
  path: string,
  found: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> => {
  for (const [query, ids] of Object.entries(found)) t.deepEqual(await idsIn(lab, 'admin', path + query), ids, query)
}

test('an empty list is an envelope without entries', async (t) => {
  const lab0 = await lab(t)
  const filters = '?sut_id=none&user_id=nobody&from=2030-05-02T00:00:00Z&current=true'
  for (const [path, name] of [
    ['/api/sut_reservation', 'sut_reservations'],
    ['/api/sut?name=none', 'suts'],
    [`/api/sut_reservation${filters}`, 'sut_reservations'],
  ] as const) {
    const answer = await list(lab0, 'alice', path)
    t.is(answer.text, `{"limit":100,"offset":0,"count":0,"${name}":[]}`)
    t.is(answer.headers['content-type'], 'application/json')
  }
})

test('list entries equal reads by id byte for byte, newest created first, for every role and after a restart', async (t) => {
  const service = await lab(t)
  const { as, ask, book, data, stop, sut } = service
  const other = await createSut(as('admin'))
  const made = [await book('alice'), await book('alice', {}, { sut_id: other })].map(({ text }) => text)
  await ask('admin', `POST /api/sut/${sut}/update`, { description: 'changed' })
  const suts = [await ask('alice', `GET /api/sut/${other}`), await ask('alice', `GET /api/sut/${sut}`)]
  const reservations = `{"limit":7,"offset":0,"count":2,"sut_reservations":[${made[1]},${made[0]}]}`
  for (const name of ['admin', 'alice', 'bob', 'audrey']) {
    const answer = await list(service, name, '/api/sut_reservation?limit=7')
    t.is(answer.text, reservations)
    t.regex(String(answer.headers['berth-position']), /^\d{20}$/)
  }
  const listed = `{"limit":100,"offset":0,"count":2,"suts":[${suts.map(({ text }) => text).join()}]}`
  t.is((await list(service, 'alice', '/api/sut')).text, listed)
  await stop()
  const again = (await start(t, { now: NOW, data })).as('alice')
  t.is((await again.get('/api/sut_reservation?limit=7')).text, reservations)
  t.is((await again.get('/api/sut')).text, listed)
})

test('reservations are filtered by SUT, holder, span of time and whether they are in progress', async (t) => {
  const service = await lab(t)
  const { as, book, clock, sut: one } = service
  const other = await createSut(as('admin'))
  const make = async (sut_id: string, user: string, window: string) => (await book(user, window, { sut_id })).json._id
  const a = await make(one, 'alice', '05:45-06:00')
  const b = await make(one, 'bob', '06:00-07:00')
  const c = await make(other, 'alice', '05:45-06:30')
  const d = await make(other, 'bob', '06:30-07:00')
  await finds(t, service, '/api/sut_reservation', {
    '': [d, c, b, a],
    [`?sut_id=${one}`]: [b, a],
    [`?sut_id=${one}&sut_id=${other}`]: [d, c, b, a],
    [`?sut_id=${other},none,${other}&user_id=${idOf('bob')}`]: [d],
    [`?sut_id=${one}&sut_id=${other}&limit=1&offset=1&to=2030-05-02T06:15:00Z`]: [b],
    [`?user_id=${idOf('alice')}`]: [c, a],
    '?from=2030-05-02T05:59:59.999999999Z&to=2030-05-02T06:00:00.000000001Z': [c, b, a],
    '?from=2030-05-02T08:00:00%2B02:00&to=2030-05-02T00:30:00-06:00': [c, b],
    '?current=true': [c, a],
    '?limit=2&offset=1': [c, b],
    [`?before=${c}`]: [b, a],
    [`?before=${c}&limit=1&user_id=${idOf('alice')}`]: [a],
    '?sut_id=none': [],
    '?user_id=Zo%C3%AB%20%F0%9F%98%80': [],
  })
  t.deepEqual(await idsIn(service, 'alice', '/api/sut_reservation?user_id=me&limit=1'), [c])
  t.like((await list(service, 'alice', `/api/sut_reservation?before=${c}&limit=1`)).json, { limit: 1, count: 4 })
  clock.set('2030-05-02T06:00:00.000Z')
  await finds(t, service, '/api/sut_reservation', { '?current=true': [c, b] })
})

test('a cancelled reservation is not listed but works in before, and a released one is not current', async (t) => {
  const service = await lab(t)
  const { as, ask, book, clock } = service
  const make = async (window: string) =>
    (await book('alice', window, { sut_id: await createSut(as('admin')) })).json._id
  const [first, running, ahead] = [await make('06:00-07:00'), await make('05:45-07:00'), await make('07:00-08:00')]
  for (const id of [running, ahead]) await ask('alice', `POST /api/sut_reservation/${id}/cancel`)
  await finds(t, service, '/api/sut_reservation', {
    '': [running, first],
    '?current=true': [],
    [`?before=${ahead}`]: [running, first],
  })
  const [shown] = (await list(service, 'alice', '/api/sut_reservation')).json.sut_reservations as readonly object[]
  t.like(shown, { _id: running, end_time: '2030-05-02T05:58:12+00:00' })
  clock.set('2030-05-02T05:58:11.999Z')
  await finds(t, service, '/api/sut_reservation', { '?current=true': [] })
})

test('SUTs are filtered by type, is_active, part of the name in any case and tags, without retired ones', async (t) => {
  const service = await lab(t, {}, { name: 'Straße 1', sut_type: 'rdp', tags: { os: 'linux', 'a.b-c': '' } })
  const make = (name: string, more: object = {}) => createSut(service.as('admin'), { name, ...more })
  const a = service.sut
  const b = await make('strasse 2', { is_active: false, tags: { os: 'Linux', constructor: 'x' } })
  const c = await make('100% _')
  const e = await make('e\u0301tuve')
  const f = await make('\u00c9TUVE')
  const d = await make('retired')
  await service.ask('admin', `POST /api/sut/${d}/retire`)
  await finds(t, service, '/api/sut', {
    '': [f, e, c, b, a],
    '?name=%C3%A9T': [f, e],
    '?sut_type=rdp': [a],
    '?is_active=false': [b],
    '?name=STRASSE': [b, a],
    '?name=%25+_': [c],
    '?tag.os=linux&tag.a.b-c=': [a],
    '?tag.constructor=x': [b],
    '?name=s&sut_type=vnc&is_active=false&tag.os=Linux': [b],
    [`?before=${d}&limit=1`]: [f],
    [`?before=${b}`]: [a],
    '?offset=1&limit=1': [e],
  })
})

test('users are listed newest first, removed ones on request: whole to administrators and auditors, by name to testers', async (t) => {
  const service = await lab(t)
  const named = (name: string) => JSON.stringify({ _id: idOf(name), name })
  const [audrey, alice] = [importedUser('audrey', 'auditor'), importedUser('alice', 'tester')]
  const users = [audrey, importedUser('bob', 'tester'), alice, importedUser('admin', 'administrator')]
  for (const [name, shown] of [
    ['admin', users],
    ['audrey', users],
    ['alice', [named('audrey'), named('bob'), alice, named('admin')]],
  ] as const) {
    const { text } = await list(service, name, '/api/user')
    t.is(text, `{"limit":100,"offset":0,"count":4,"users":[${shown.join()}]}`)
  }
  await service.ask('admin', `POST /api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  const ids = (...names: readonly string[]) => names.map(idOf)
  await finds(t, service, '/api/user', {
    '': ids('audrey', 'alice', 'admin'),
    '?removed=true': ids('audrey', 'bob', 'alice', 'admin'),
    '?limit=1&offset=1': ids('alice'),
    [`?limit=1&before=${idOf('bob')}`]: ids('alice'),
    [`?limit=1&before=${idOf('bob')}&removed=true`]: ids('alice'),
  })
  t.is(said(await service.ask('admin', 'GET /api/user?before=nobody')), '422 invalid before')
})

test('limit is 1 to 1000 with default 100, and count covers all matches', async (t) => {
  const service = await lab(t)
  const suts = [service.sut]
  for (let n = 1; n < 102; n++) suts.unshift(await createSut(service.as('admin')))
  await finds(t, service, '/api/sut', {
    '': suts.slice(0, 100),
    '?offset=100': suts.slice(100),
    '?limit=1': suts.slice(0, 1),
    '?limit=1000': suts,
  })
  t.is((await list(service, 'alice', '/api/sut?limit=1')).json.count, 102)
})

/** Invalid queries with the parameters that are wrong. */
const WRONG: Readonly<Record<string, string>> = {
  '/api/sut_reservation?limit=0': 'limit',
  '/api/sut_reservation?limit=1001': 'limit',
  '/api/sut_reservation?limit=1e2': 'limit',
  '/api/sut_reservation?limit=': 'limit',
  '/api/sut_reservation?limit': 'limit',
  '/api/sut_reservation?limit=%2B1': 'limit',
  '/api/sut_reservation?offset=-1': 'offset',
  '/api/sut_reservation?offset=99999999999999999': 'offset',
  '/api/sut_reservation?limit=5&limit=5': 'limit',
  '/api/sut_reservation?limit=5&l%69mit=x&limit=5': 'limit',
  '/api/sut?limit=1&limit=1&tag.a=1&tag.a=2': 'limit tag.a',
  '/api/sut_reservation?before=000000000000000000000000': 'before',
  '/api/sut_reservation?before=nothing': 'before',
  '/api/sut_reservation?before=x&offset=0&current=false': 'current offset',
  '/api/sut_reservation?sut_id=': 'sut_id',
  '/api/sut_reservation?sut_id=a/b&user_id=%00': 'sut_id user_id',
  '/api/sut_reservation?from=2030-05-02': 'from',
  '/api/sut_reservation?from=2030-05-02T08:15:00+02:00': 'from',
  '/api/sut_reservation?from=2030-05-02T08:00:00Z&to=2030-05-02T08:00:00Z&limit=x': 'limit to',
  '/api/sut_reservation?__proto__=1&constructor=2&sut_ids=3': '__proto__ constructor sut_ids',
  '/api/sut_reservation?tag.os=linux': 'tag.os',
  '/api/sut?sut_type=ssh&is_active=yes&name=': 'sut_type is_active name',
  '/api/sut?tag.=x&tag._a=y&tag.os=%0a&colour=red': 'colour tag. tag._a tag.os',
  '/api/sut?before=nothing': 'before',
  [`/api/sut_reservation?sut_id=${'none,'.repeat(100)}none`]: 'sut_id',
  '/api/session?sut_id=a&sut_id=b': 'sut_id',
  '/api/user?removed=false': 'removed',
  '/api/sut/none?as_of=x': 'as_of',
  '/api/sut/none/availability?duration=0&from=x': 'duration from',
  '/api/sut/none/availability?from=2030-05-02T09:00:00Z&to=2030-05-02T10:00:00%2B02:00': 'to',
}

test('unknown, repeated and malformed parameters are all refused by name', async (t) => {
  const { ask } = await lab(t)
  for (const [path, names] of Object.entries(WRONG))
    t.is(said(await ask('admin', `GET ${path}`)), `422 invalid ${names}`, path)
  const blank = await ask('alice', 'GET /api/sut_reservation?from=2030-05-02T08:15:00+02:00')
  t.regex(blank.text, /"parameter":"from","detail":"[^"]*%2B/, 'the right spelling of a plus')
})

test('thorough: the next read and list show and count every acknowledged write, with 64 concurrent clients', async (t) => {
  const service = await lab(t)
  const { as, ask, book } = service
  const suts = await Promise.all(Array.from({ length: 8 }, () => createSut(as('admin'))))
  const day = Date.parse('2030-05-03T00:00:00Z')
  const stale: string[] = []
  const client = async (n: number): Promise<void> => {
    const sut_id = suts[n % 8] as string
    for (let round = 0; round < 5; round++) {
      const start = day + ((n >> 3) * 5 + round) * 900_000
      const ends = { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
      const made = await book('alice', ends, { sut_id })
      const read = await ask('bob', `GET ${made.headers.location}`)
      const span = `from=${ends.start_time}&to=${ends.end_time}`
      const { json } = await list(service, 'bob', `/api/sut_reservation?sut_id=${sut_id}&${span}`)
      const isListed = json.count === 1 && JSON.stringify(json.sut_reservations) === `[${made.text}]`
      if (made.status !== 201 || read.text !== made.text || !isListed) stale.push(made.text)
    }
  }
  await Promise.all(Array.from({ length: 64 }, (_, n) => client(n)))
  t.deepEqual(stale, [])
  t.is((await list(service, 'bob', '/api/sut_reservation')).json.count, 320)
})
