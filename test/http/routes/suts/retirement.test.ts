import test, { type ExecutionContext } from 'ava'
import type { Headers } from '../../client.ts'
import { asks, lab, said } from '../../lab.ts'
import { conflictOf, createSut } from '../../requests.ts'

test('a SUT is retired with no body or {}, and the answer has a new updated_at and ETag', async (t) => {
  const { as, ask, clock, sut } = await lab(t)
  const other = await createSut(as('admin'))
  await asks(t, { ask }, [
    ['admin', `POST /api/sut/${sut}/retire`, '422 field_unknown #/why', { why: 'old' }],
    ['admin', `POST /api/sut/${sut}/retire`, '422 invalid #', []],
  ])
  clock.set('2030-05-02T07:00:00.001Z')
  for (const [id, body] of [[sut], [other, {}]] as const) {
    const { json } = await ask('admin', `GET /api/sut/${id}`)
    const retired = await ask('admin', `POST /api/sut/${id}/retire`, body)
    t.deepEqual(retired.json, { ...json, updated_at: '2030-05-02T07:00:00.001+00:00' })
    t.deepEqual([retired.status, retired.headers.etag, retired.headers.location], [200, '"1"', undefined])
  }
})

test('a SUT with current or future reservations cannot be retired, and conflicts lists them by start', async (t) => {
  const { ask, book, clock, sut } = await lab(t, { now: '2030-05-02T06:10:00Z' })
  const retire = () => ask('admin', `POST /api/sut/${sut}/retire`)
  const [later, running] = [await book('alice', '08:00-09:00'), await book('alice', '06:00-06:15')]
  const refused = await retire()
  t.is(said(refused), '409 sut_reserved')
  t.deepEqual(refused.json.conflicts, [conflictOf(running, 'alice'), conflictOf(later, 'alice')])
  // Neither a past nor a cancelled reservation prevents retirement, nor that the SUT is inactive.
  clock.set('2030-05-02T06:15:00Z')
  await ask('admin', `POST /api/sut/${sut}/update`, { is_active: false })
  t.deepEqual((await retire()).json.conflicts, [conflictOf(later, 'alice')])
  await ask('alice', `POST /api/sut_reservation/${later.json._id}/cancel`)
  t.is((await retire()).status, 200)
})

/** A retired SUT with a past reservation. */
const retiredOne = async (t: ExecutionContext) => {
  const service = await lab(t)
  const reservation = await service.book('alice')
  service.clock.set('2030-05-02T07:00:00.001Z')
  const path = `/api/sut/${service.sut}`
  const retired = await service.ask('admin', `POST ${path}/retire`)
  return { ...service, path, reservation, retired }
}

test('a retired SUT is not listed, and every role can still read it and its reservations by id', async (t) => {
  const { as, ask, path, reservation, retired } = await retiredOne(t)
  const other = await createSut(as('admin'))
  for (const name of ['admin', 'alice', 'audrey']) {
    const read = await ask(name, `GET ${path}`)
    t.deepEqual([read.status, read.text, read.headers.etag], [200, retired.text, '"2"'])
    t.like((await ask(name, 'GET /api/sut')).json, { count: 1, suts: [{ _id: other }] })
    t.is((await ask(name, `GET ${reservation.headers.location}`)).text, reservation.text)
  }
  t.is(said(await ask('alice', `POST ${reservation.headers.location}/cancel`)), '409 reservation_over')
})

test('retired=true lists the retired SUTs alone, also filtered and as of the past', async (t) => {
  const { as, ask, sut } = await retiredOne(t)
  const other = await createSut(as('admin'), { name: 'another' })
  const before = String((await ask('admin', 'GET /api/sut')).headers['berth-position'])
  await ask('admin', `POST /api/sut/${other}/retire`)
  for (const [query, ...expected] of [
    ['', 2, other, sut],
    ['&name=ANOTHER', 1, other],
    ['&limit=1&offset=1', 2, sut],
    [`&before=${other}`, 2, sut],
    [`&as_of=${before}`, 1, sut],
    ['&as_of=0', 0],
  ] as const) {
    const { count, suts } = (await ask('admin', `GET /api/sut?retired=true${query}`)).json
    t.deepEqual([count, ...(suts as readonly { _id: string }[]).map(({ _id }) => _id)], [...expected], query)
  }
  t.is(said(await ask('admin', 'GET /api/sut?retired=false')), '422 invalid retired')
})

test('a second retirement is 200 with the SUT and records nothing', async (t) => {
  const { ask, clock, path, recorded, retired } = await retiredOne(t)
  const before = await recorded()
  clock.set('2030-05-03T07:00:00Z')
  const headers: readonly Headers[] = [{}, { 'If-Match': '"0"' }, { 'Idempotency-Key': 'k' }]
  for (const header of headers) {
    const again = await ask('admin', `POST ${path}/retire`, undefined, header)
    t.deepEqual([again.status, again.text, again.headers.etag], [200, retired.text, '"2"'])
  }
  t.deepEqual(await recorded(), before)
})
