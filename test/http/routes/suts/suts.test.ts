import test from 'ava'
import type { Answer } from '../../client.ts'
import { start } from '../../harness.ts'
import { asks, lab, said } from '../../lab.ts'
import { aSut, createSut } from '../../requests.ts'

test("a SUT needs only name, address, port and type, and the answer has all the API's fields in order", async (t) => {
  const { ask } = await lab(t)
  const answer = await ask('admin', 'POST /api/sut/create', aSut())
  const _id = String(answer.json._id)
  t.is(answer.status, 201)
  t.regex(_id, /^717bb1f3[0-9a-f]{16}$/)
  t.is(
    answer.text,
    JSON.stringify({
      _id,
      created_at: '2030-05-02T05:58:11.400+00:00',
      updated_at: '2030-05-02T05:58:11.400+00:00',
      name: 'bench 4',
      description: '',
      address: '192.168.9.5',
      port: 5902,
      sut_type: 'vnc',
      is_active: true,
      manufacturer: '',
      model: '',
      os: '',
      version: '',
      monitoring: {
        status: 'SUT Monitoring Disabled',
        last_updated: '2030-05-02T05:58:11+00:00',
        status_description: 'SUT Monitoring is disabled',
      },
      tags: {},
    }),
  )
  t.is(answer.headers['content-type'], 'application/json')
  t.is(answer.headers.location, `/api/sut/${_id}`)
  t.is(answer.headers.etag, '"0"')
})

const EXTREMES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the longest name, in characters of two code units': { name: '\u{1f5a5}'.repeat(256) },
  'the longest description, with line breaks and tabs': { description: `a\r\n\tb${'\u{1f5a5}'.repeat(4091)}` },
  'a name of one blank': { name: ' ' },
  'values that are special to other programs': { name: '__proto__', model: '<b>"\'; --', version: '\u2028' },
  'the lowest numbers': { port: 1, rdp_height: 1, rdp_width: 1 },
  'the highest numbers': { port: 65535, rdp_height: 16384, rdp_width: 16384 },
  'an IPv6 address': { address: '2001:db8::192.0.2.1', sut_type: 'rdp' },
  'a host name': { address: 'bench-4.lab.example', sut_type: 'tcp' },
  'the name of another': { name: 'bench 4' },
}

test('SUTs are stored as sent, created or updated, and are the same after a restart', async (t) => {
  const { as, ask, data, stop } = await lab(t)
  const texts: [path: string, text: string][] = []
  for (const [what, values] of Object.entries(EXTREMES)) {
    const { rdp_height: _height, rdp_width: _width, ...returned } = values
    const created = await ask('admin', 'POST /api/sut/create', aSut(values))
    const path = `/api/sut/${await createSut(as('admin'))}`
    const updated = await ask('admin', `POST ${path}/update`, values)
    t.deepEqual([created.status, updated.status], [201, 200], what)
    for (const { json } of [created, updated]) t.like(json, returned, what)
    texts.push([String(created.headers.location), created.text], [path, updated.text])
  }
  await stop()
  const again = await start(t, { data })
  for (const [path, text] of texts) t.is((await again.as('alice').get(path)).text, text)
})

test('write-only fields are never returned', async (t) => {
  const { ask } = await lab(t)
  const secrets = { password: 'hunter2 canary', user_name: 'root canary', rdp_height: 1050, rdp_width: 1680 }
  const created = await ask('admin', 'POST /api/sut/create', aSut(secrets))
  const path = String(created.headers.location)
  const updated = await ask('admin', `POST ${path}/update`, { ...secrets, os: 'linux' })
  for (const { json, text } of [created, await ask('admin', `GET ${path}`), updated]) {
    for (const field of Object.keys(secrets)) t.false(Object.hasOwn(json, field))
    // The random digits of an id may contain a number.
    t.notRegex(text.replaceAll(String(json._id), ''), /canary|1050|1680|credentials/)
  }
})

/** What was sent of a SUT and is the same. */
const sentOf = ({ json: { name, address, port, sut_type } }: Answer) => ({ name, address, port, sut_type })

const VALUES = {
  name: 'other',
  description: 'line\none\tand two',
  address: '2001:db8::1',
  port: 22,
  sut_type: 'rdp',
  is_active: false,
  manufacturer: 'acer',
  model: 'aspire',
  os: 'windows',
  version: 'xp',
}

test('an update of one field records only that field, keeps the rest and changes updated_at and the ETag', async (t) => {
  const { ask, clock, recorded, sut } = await lab(t)
  const path = `/api/sut/${sut}`
  let before = await ask('admin', `GET ${path}`)
  for (const [n, [field, value]] of Object.entries(VALUES).entries()) {
    clock.set(`2030-05-02T07:00:${String(n).padStart(2, '0')}.001Z`)
    const updated_at = `2030-05-02T07:00:${String(n).padStart(2, '0')}.001+00:00`
    const { json, headers, text } = await ask('admin', `POST ${path}/update`, { ...sentOf(before), [field]: value })
    t.deepEqual(json, { ...before.json, [field]: value, updated_at })
    t.deepEqual([headers.etag, headers.location], [`"${n + 1}"`, undefined])
    t.deepEqual((await recorded()).at(-1), { type: 'SutUpdated', data: { _id: sut, [field]: value } })
    before = await ask('admin', `GET ${path}`)
    t.is(before.text, text)
  }
})

test('updated_at and the ETag move with every recorded change of the SUT, but not with its reservations', async (t) => {
  const { ask, book, clock, recorded, sut } = await lab(t)
  const path = `/api/sut/${sut}`
  const update = (body: object) => () => ask('admin', `POST ${path}/update`, body)
  const tag = () => ask('admin', `POST ${path}/tags`, { a: '1' })
  const changes: readonly (readonly [what: string, moves: boolean, change: () => Promise<unknown>])[] = [
    ['a value', true, update({ os: 'linux' })],
    ['the same value', false, update({ os: 'linux', name: 'bench 4', port: 5902, description: '' })],
    ['nothing', false, update({})],
    ['credentials', true, update({ user_name: 'root' })],
    ['the same credentials, so that nobody can test a guess', true, update({ user_name: 'root' })],
    ['a write-only value', true, update({ rdp_width: 800 })],
    ['a tag', true, tag],
    ['the same tag', false, tag],
    ['a reservation', false, () => book('admin')],
    ['a refusal', false, update({ port: 0 })],
  ]
  for (const [minute, [what, moves, change]] of changes.entries()) {
    const before = await ask('admin', `GET ${path}`)
    clock.set(`2030-05-02T06:0${minute}:00Z`)
    await change()
    const after = await ask('admin', `GET ${path}`)
    const expected = moves ? `2030-05-02T06:0${minute}:00.000+00:00` : before.json.updated_at
    t.is(after.json.updated_at, expected, what)
    t.is(after.headers.etag === before.headers.etag, !moves, what)
  }
  const credentials = (await recorded()).flatMap(({ data }) => (data.credentials as { id: string } | undefined) ?? [])
  t.like(credentials, [{ changed: ['user_name'] }, { changed: ['user_name'] }])
  t.not(credentials[0]?.id, credentials[1]?.id)
})

test('a SUT is refused when all listen_ports are assigned, and the others remain', async (t) => {
  const { ask, recorded, sut } = await lab(t, { environment: { BERTH_LISTEN_PORTS: '4000-4000' } })
  const refused = await ask('admin', 'POST /api/sut/create', aSut())
  t.is(said(refused), '503 listen_ports_exhausted')
  t.deepEqual(await recorded(), [])
  await asks(t, { ask }, [
    ['admin', `GET /api/sut/${sut}`, '200'],
    ['admin', `POST /api/sut/${sut}/retire`, '200'],
    ['admin', 'POST /api/sut/create', '201', aSut()],
  ])
})
