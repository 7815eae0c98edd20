import test, { type ExecutionContext } from 'ava'
import { asks, lab, said } from '../../lab.ts'
import { createSut } from '../../requests.ts'

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

/** A retired SUT with a past reservation. */
const retiredOne = async (t: ExecutionContext) => {
  const service = await lab(t)
  const reservation = await service.book('alice')
  service.clock.set('2030-05-02T07:00:00.001Z')
  const path = `/api/sut/${service.sut}`
  const retired = await service.ask('admin', `POST ${path}/retire`)
  return { ...service, path, reservation, retired }
}

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
