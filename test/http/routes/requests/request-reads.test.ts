import test, { type ExecutionContext } from 'ava'
import { idOf } from '../../harness.ts'
import { said } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import { at, idIn, openLab } from '../../scopes/lab.ts'
import '../../documents/fit-answers.ts'
import { hold, requestLab } from './stage.ts'

type Body = Readonly<Record<string, unknown>>

/** A machine that bob has for an hour. */
const stage = async (t: ExecutionContext) => {
  const service = await requestLab(t)
  const giveBack = await hold(service)
  const waits = async (who: string, more: Body = {}): Promise<string> => {
    const made = await service.wish(who, more)
    t.is(made.json.status, 'waiting', made.text)
    return made.json._id as string
  }
  const readAs = (who: string, id: string, query = '') => service.ask(who, `GET /api/sut_request/${id}${query}`)
  return { ...service, giveBack, waits, readAs }
}

test('a waiting request says its place, why it waits and when it may be granted', async (t) => {
  const { ask, readAs, waits } = await stage(t)
  const [first, second] = [await waits('bob'), await waits('alice')]
  t.like((await readAs('alice', first)).json, {
    position: 0,
    waits_for: ['1 machine fits.'],
    expected_at: '2030-05-02T07:00:00.000Z',
  })
  t.like((await readAs('alice', second)).json, {
    user_name: 'alice',
    position: 1,
    waits_for: ['1 machine fits.', '1 request is before it.'],
    expected_at: '2030-05-02T07:15:00.000Z',
  })
  await ask('alice', `POST /api/sut_request/${second}/withdraw`)
  const { json } = await readAs('audrey', second)
  t.is(json.status, 'withdrawn')
  t.false('position' in json || 'waits_for' in json || 'expected_at' in json)
})

test('a read that waits is answered when the request is granted, or at the end of its time', async (t) => {
  const { giveBack, readAs, waits } = await stage(t)
  const [first, second] = [await waits('alice'), await waits('alice')]
  const reading = readAs('alice', first, '?wait=60')
  const late = readAs('alice', second, '?wait=1')
  t.like((await late).json, { status: 'waiting', position: 1 })
  await giveBack()
  const { json } = await reading
  t.is(json.status, 'granted')
  t.is(typeof json.sut_reservation_id, 'string')
})

test('a read that waits is refused when its user has been removed meanwhile', async (t) => {
  const { ask, readAs, waits } = await stage(t)
  const id = await waits('admin')
  const reading = readAs('alice', id, '?wait=60')
  await ask('admin', `POST /api/user/${idOf('alice')}/remove`, { reservations: 'keep' })
  await ask('admin', `POST /api/sut_request/${id}/withdraw`)
  t.is((await reading).status, 401)
})

test('requests are listed by status, user and machine, newest first, in pages and as CSV', async (t) => {
  const { as, ask, readAs, sut, waits } = await stage(t)
  const other = await createSut(as('admin'), { os: 'linux', name: 'lin-1', is_active: false })
  const ids = [await waits('alice'), await waits('bob', { match: undefined, sut_id: other }), await waits('bob')]
  await ask('bob', `POST /api/sut_request/${ids[2]}/withdraw`)
  const list = async (query: string): Promise<readonly number[]> => {
    const { json, text } = await ask('audrey', `GET /api/sut_request?${query}`)
    const entries = json.sut_requests as readonly { readonly _id: string }[]
    t.is(json.count, entries.length, text)
    return entries.map(({ _id }) => ids.indexOf(_id))
  }
  t.deepEqual(await list(''), [2, 1, 0])
  t.deepEqual(await list('status=waiting'), [1, 0])
  t.deepEqual(await list(`user_id=${idOf('bob')}`), [2, 1])
  t.deepEqual(await list(`sut_id=${sut}`), [2, 0])
  t.deepEqual(await list(`sut_id=${other}&status=withdrawn`), [])
  const page = await ask('alice', `GET /api/sut_request?limit=1&before=${ids[2]}`)
  t.like(page.json, { limit: 1, count: 3, sut_requests: { 0: { _id: ids[1], user_name: 'bob' } } })
  const csv = await ask('alice', 'GET /api/sut_request?status=waiting', undefined, { Accept: 'text/csv' })
  const [header = '', , second = ''] = csv.text.split('\r\n')
  t.is(
    header,
    '_id,created_at,updated_at,user_id,user_name,match,sut_id,duration,expires_at,priority,keepalive,status,sut_reservation_id',
  )
  t.true(second.startsWith(`${ids[0]},`) && second.includes(',alice,"{""os"":""windows""}",,900,'), second)
  for (const query of ['status=over', 'wait=1', 'as_of=1', `before=${sut}`])
    t.is((await ask('alice', `GET /api/sut_request?${query}`)).status, 422, query)
  t.is((await readAs('alice', String(ids[0]), '?wait=61')).status, 422)
})

test('to a tester with a scope, requests that nothing in it fits do not exist', async (t) => {
  const lab = await openLab(t)
  const scope = 'rack=1'
  await lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope })
  await lab.addSut('inside', { rack: '1' })
  await lab.addSut('outside', { rack: '2' })
  for (const sut of ['inside', 'outside']) await lab.reserve(`on ${sut}`, sut, 'bob', at('05:45'), at('09:00'))
  const ask = async (body: Body): Promise<string> => {
    const { json, text, status } = await lab.service
      .as('bob')
      .post('/api/sut_request/create', { duration: 900, ...body })
    t.is(status, 201, text)
    return json._id as string
  }
  const seen = await ask({ match: { tags: { rack: ['1', '2'] } } })
  const unseen = await ask({ sut_id: idIn(lab, 'outside') })
  const alice = lab.service.as('alice')
  const { json } = await alice.get(`/api/sut_request/${seen}`)
  t.deepEqual(json.waits_for, ['2 machines fit.'])
  t.is(said(await alice.get(`/api/sut_request/${unseen}`)), '404 request_not_found')
  const listed = async (query: string) => {
    const { json } = await alice.get(`/api/sut_request?${query}`)
    return (json.sut_requests as readonly { readonly _id: string }[]).map(({ _id }) => _id)
  }
  t.deepEqual(await listed(''), [seen])
  t.deepEqual(await listed(`sut_id=${idIn(lab, 'outside')}`), [])
  t.is(said(await alice.get(`/api/sut_request?before=${unseen}`)), '422 invalid before')
})
