import test, { type ExecutionContext } from 'ava'
import type { Answer, Headers } from '../../client.ts'
import { start } from '../../harness.ts'
import { asks, lab, said } from '../../lab.ts'
import { aSut, NOW } from '../../requests.ts'
import { eventsOf } from '../../store/log-rows.ts'

const KEY: Headers = { 'Idempotency-Key': 'k' }
const IMPORT = 'POST /api/sut/import'

/** A lab with so many ports left. */
const given = async (t: ExecutionContext, ports = 600) => {
  const service = await lab(t, { environment: { BERTH_LISTEN_PORTS: `20000-${20000 + ports}` } })
  const importing = (suts: unknown, more: object = {}, headers: Headers = {}): Promise<Answer> =>
    service.ask('admin', IMPORT, { suts, ...more }, headers)
  return { ...service, importing }
}

const rows = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => aSut({ name: `node ${n}`, ...more }))

type Sut = { readonly _id: string; readonly name: string; readonly tags: object }
const sutsIn = ({ json }: Answer) => json.suts as readonly Sut[]

test('an import creates all SUTs in the order of its rows, as a creation of each would', async (t) => {
  const service = await given(t)
  const answer = await service.importing([
    aSut({ name: 'same', tags: { rack: '4' }, password: 'secret', user_name: 'lab' }),
    aSut({ name: 'same', sut_type: 'rdp', rdp_width: 800 }),
  ])
  t.deepEqual([answer.status, answer.json.count], [200, 2])
  t.like(sutsIn(answer)[0], { name: 'same', tags: { rack: '4' }, created_at: '2030-05-02T05:58:11.400+00:00' })
  for (const sut of sutsIn(answer)) t.deepEqual((await service.ask('alice', `GET /api/sut/${sut._id}`)).json, sut)
  t.is((await service.ask('alice', 'GET /api/sut?tag.rack=4')).json.count, 1)
  const events = (await eventsOf(service)).slice(-4)
  t.deepEqual(
    events.map(({ type }) => type),
    ['ListenPortAssigned', 'ListenPortAssigned', 'SutCreated', 'SutCreated'],
  )
  t.is(new Set(events.map(({ metadata }) => metadata.request_id)).size, 1)
})

test('ports for all rows are taken, or none; a dry run says how many there would be and records nothing', async (t) => {
  const { importing, recorded } = await given(t, 2)
  const checked = await importing(rows(2), { dry_run: true }, KEY)
  t.deepEqual([checked.status, checked.json], [200, { count: 2 }])
  for (const dry_run of [true, false]) {
    const refused = await importing(rows(3), { dry_run })
    t.is(said(refused), '503 listen_ports_exhausted')
    t.regex(String(refused.json.detail), /3 SUTs, and 2 of the listen_ports from 20000 to 20002 are free/)
  }
  t.deepEqual(await recorded(), [])
  t.is((await importing(rows(2), {}, KEY)).status, 200)
})

test('every problem is named with its row, and nothing is created', async (t) => {
  const { ask, importing, recorded } = await given(t)
  const assigned = { _id: '6b013ba4f804b461b4439169', listen_port: 20000, monitoring: {} }
  const buried = aSut({ ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`u${n}`, n])), created_at: NOW })
  await asks(
    t,
    { ask },
    [
      [
        '422 invalid #/suts/1/port #/suts/1/colour #/suts/2/name #/suts/2/address #/suts/2/port #/suts/2/sut_type' +
          ' #/suts/3/tags/a #/suts/3/tags/- #/suts/4 #/suts/5/_id',
        [
          ...[aSut(), aSut({ port: 0, colour: 'red' }), { name: '' }, aSut({ tags: { a: null, '-': 'x' } }), 'a SUT'],
          aSut({ _id: '6b013ba4f804b461b4439169' }),
        ],
      ],
      ['422 invalid #/suts', []],
      ['422 invalid #/suts', rows(501)],
      ['422 invalid #/suts', {}],
      ['422 field_read_only #/suts/1/_id #/suts/1/listen_port #/suts/1/monitoring', [aSut(), aSut(assigned)]],
      ['422 invalid #/suts/0/colour #/suts/0/created_at', [aSut({ colour: 'red', created_at: NOW })]],
    ].map(([answer, suts]) => ['admin', IMPORT, answer as string, { suts }] as const),
  )
  const alone = said(await ask('admin', 'POST /api/sut/create', buried)).split(' ')
  t.deepEqual(
    said(await importing([aSut(), buried]))
      .split(' ')
      .slice(0, 2),
    alone.slice(0, 2),
  )
  t.deepEqual(await recorded(), [])
  t.is((await importing([aSut({ tags: { listen_port: '1' } })])).status, 200, 'a tag may have any name')
})

test('a retry answers with the same bytes, whatever has happened to the SUTs since, and its key is of no other request', async (t) => {
  const { ask, book, data, importing, recorded, stop } = await given(t)
  const first = await importing(rows(3), {}, KEY)
  const [one, two] = sutsIn(first)
  await ask('admin', `POST /api/sut/${one?._id}/update`, { os: 'bsd' })
  await ask('admin', `POST /api/sut/${two?._id}/retire`)
  const other = { 'Idempotency-Key': 'other' }
  t.is((await book('admin', {}, {}, other)).status, 201)
  const before = await recorded()
  t.is((await importing(rows(3), {}, KEY)).text, first.text)
  const reused = '422 idempotency_key_reused Idempotency-Key'
  t.is(said(await importing(rows(2), {}, KEY)), reused)
  t.is(said(await ask('admin', 'POST /api/sut/create', aSut(), KEY)), reused)
  t.is(said(await importing(rows(1), {}, other)), reused)
  t.deepEqual(await recorded(), before)
  await stop()
  const again = await start(t, { now: NOW, data })
  t.is((await again.as('admin').post('/api/sut/import', { suts: rows(3) }, KEY)).text, first.text)
  t.not((await again.as('admin').post('/api/sut/import', { suts: rows(3) })).text, first.text)
})

test('500 SUTs of 500 bytes are imported with one request', async (t) => {
  const { ask, importing } = await given(t)
  const suts = rows(500, { description: 'x'.repeat(350), tags: { rack: '4' } })
  const answer = await importing(suts)
  t.is(answer.status, 200)
  t.deepEqual(
    sutsIn(answer).map(({ name }) => name),
    suts.map(({ name }) => name),
  )
  t.is((await ask('alice', 'GET /api/sut?limit=1&tag.rack=4')).json.count, 500)
  t.is((await importing(rows(500, { description: 'x'.repeat(450) }))).json.code, 'body_too_large')
})
