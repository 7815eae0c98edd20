import test, { type ExecutionContext } from 'ava'
import type { Answer, Headers } from '../../client.ts'
import { start } from '../../harness.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { aReservation, aSut, NOW, reserve } from '../../requests.ts'
import { allEventsOf, logOf } from '../../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: imports. */

const KEY: Headers = { 'Idempotency-Key': 'k' }

const given = async (t: ExecutionContext, ports = '20000-20999') => {
  const service = await start(t, { now: NOW, environment: { BERTH_LISTEN_PORTS: ports } })
  const importing = (suts: unknown, more: object = {}, headers: Headers = {}): Promise<Answer> =>
    service.as('admin').post('/api/sut/import', { suts, ...more }, headers)
  return { service, importing }
}

const rows = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => aSut({ name: `node ${n}`, ...more }))

type Sut = { readonly _id: string; readonly name: string; readonly tags: object }
const sutsIn = ({ json }: Answer) => json.suts as readonly Sut[]

test('an import creates all SUTs in the order of its rows, as a creation of each would', async (t) => {
  const { service, importing } = await given(t)
  const answer = await importing([
    aSut({ name: 'same', tags: { rack: '4' }, password: 'secret', user_name: 'lab' }),
    aSut({ name: 'same', sut_type: 'rdp', rdp_width: 800 }),
  ])
  t.is(answer.status, 200)
  t.is(answer.json.count, 2)
  const [first, second] = sutsIn(answer)
  t.like(first, { name: 'same', tags: { rack: '4' }, created_at: '2030-05-02T05:58:11.400+00:00' })
  for (const sut of [first, second]) {
    t.deepEqual((await service.as('alice').get(`/api/sut/${sut?._id}`)).json, sut)
  }
  t.is((await service.as('alice').get('/api/sut?tag.rack=4')).json.count, 1)
  t.deepEqual(
    (await logOf(service)).map(({ type }) => type),
    ['ListenPortAssigned', 'ListenPortAssigned', 'SutCreated', 'SutCreated'],
  )
  const events = (await allEventsOf(service)).slice(-4)
  t.is(new Set(events.map(({ metadata }) => metadata.request_id)).size, 1)
})

test('a dry run says how many there would be and records nothing', async (t) => {
  const { service, importing } = await given(t, '20000-20001')
  const checked = await importing(rows(2), { dry_run: true }, KEY)
  t.deepEqual([checked.status, checked.json], [200, { count: 2 }])
  const many = await importing(rows(3), { dry_run: true })
  t.deepEqual(refusalOf(many).slice(0, 2), [503, 'listen_ports_exhausted'])
  t.is((await logOf(service)).length, 0)
  t.is((await importing(rows(2), {}, KEY)).status, 200)
})

test('every problem is named with its row, and nothing is created', async (t) => {
  const { service, importing } = await given(t)
  const wrong = [
    aSut(),
    aSut({ port: 0, colour: 'red' }),
    { name: '' },
    aSut({ tags: { a: null, '-': 'x' } }),
    'a SUT',
    aSut({ _id: '6b013ba4f804b461b4439169' }),
  ]
  const answer = await importing(wrong)
  t.deepEqual(refusalOf(answer), [
    ...[422, 'invalid', '#/suts/1/port', '#/suts/1/colour', '#/suts/2/name', '#/suts/2/address', '#/suts/2/port'],
    ...['#/suts/2/sut_type', '#/suts/3/tags/a', '#/suts/3/tags/-', '#/suts/4', '#/suts/5/_id'],
  ])
  t.deepEqual(faultsOf(answer), [])
  for (const suts of [[], rows(501), {}, undefined])
    t.deepEqual(refusalOf(await importing(suts)), [422, 'invalid', '#/suts'])
  t.is((await logOf(service)).length, 0)
})

test('a field of a row that the service assigns is refused as in a creation', async (t) => {
  const { service, importing } = await given(t)
  const assigned = { _id: '6b013ba4f804b461b4439169', listen_port: 20000, monitoring: {} }
  t.deepEqual(refusalOf(await importing([aSut(), aSut(assigned)])), [
    ...[422, 'field_read_only', '#/suts/1/_id', '#/suts/1/listen_port', '#/suts/1/monitoring'],
  ])
  const tagged = await importing([aSut({ tags: { listen_port: '1' } })])
  t.is(tagged.status, 200, 'a tag may have any name')
  const deep = await importing([aSut({ colour: 'red', created_at: NOW })])
  t.deepEqual(refusalOf(deep), [422, 'invalid', '#/suts/0/colour', '#/suts/0/created_at'])
  t.deepEqual(faultsOf(deep), [])
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`unknown_${n}`, n]))
  const buried = aSut({ ...many, created_at: NOW })
  const alone = await service.as('admin').post('/api/sut/create', buried)
  t.deepEqual(refusalOf(await importing([aSut(), buried])).slice(0, 2), refusalOf(alone).slice(0, 2))
  const user = { name: 'zoe', role: 'tester', password: 'correct horse', created_at: NOW }
  const people = await service.as('admin').post('/api/user/import', { users: [user] })
  t.deepEqual(refusalOf(people), [422, 'field_read_only', '#/users/0/created_at'])
})

test('ports for all rows are taken, or none', async (t) => {
  const { service, importing } = await given(t, '20000-20002')
  const refused = await importing(rows(4))
  t.deepEqual(refusalOf(refused).slice(0, 2), [503, 'listen_ports_exhausted'])
  t.regex(String(refused.json.detail), /4 SUTs, and 3 of the listen_ports from 20000 to 20002 are free/)
  t.is((await logOf(service)).length, 0)
  t.is((await importing(rows(3))).status, 200)
})

test('a retry answers with the same bytes, whatever has happened to the SUTs since', async (t) => {
  const { service, importing } = await given(t)
  const first = await importing(rows(3), {}, KEY)
  const [one, two] = sutsIn(first)
  await service.as('admin').post(`/api/sut/${one?._id}/update`, { os: 'bsd' })
  await service.as('admin').request('POST', `/api/sut/${two?._id}/retire`)
  const before = (await logOf(service)).length
  t.is((await importing(rows(3), {}, KEY)).text, first.text)
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  t.is((await again.as('admin').post('/api/sut/import', { suts: rows(3) }, KEY)).text, first.text)
  t.is((await logOf(service)).length, before)
  t.not((await again.as('admin').post('/api/sut/import', { suts: rows(3) })).text, first.text)
})

test('a key stands for one request, an import among them', async (t) => {
  const { service, importing } = await given(t)
  const admin = service.as('admin')
  const [sut] = sutsIn(await importing(rows(1), {}, KEY))
  const reused = [422, 'idempotency_key_reused', 'Idempotency-Key']
  t.deepEqual(refusalOf(await importing(rows(2), {}, KEY)), reused)
  t.deepEqual(refusalOf(await admin.post('/api/sut/create', aSut(), KEY)), reused)
  const other = { 'Idempotency-Key': 'other' }
  t.is((await reserve(admin, aReservation(String(sut?._id)), other)).status, 201)
  t.deepEqual(refusalOf(await importing(rows(1), {}, other)), reused)
})

test('500 SUTs of 500 bytes are imported with one request', async (t) => {
  const { service, importing } = await given(t)
  const suts = rows(500, { description: 'x'.repeat(350), tags: { rack: '4' } })
  const answer = await importing(suts)
  t.is(answer.status, 200)
  t.deepEqual(
    sutsIn(answer).map(({ name }) => name),
    suts.map(({ name }) => name),
  )
  t.is((await service.as('alice').get('/api/sut?limit=1&tag.rack=4')).json.count, 500)
  t.is((await importing(rows(500, { description: 'x'.repeat(450) }))).json.code, 'body_too_large')
})
