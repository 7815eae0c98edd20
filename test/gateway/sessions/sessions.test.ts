import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { idOf } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { freePort } from '../peers.ts'
import { becomes, closeOf, connected, given, hangUp, isClosed, isJustBefore, NOW, SOON, sessionsOf } from './stage.ts'

const ALICE = idOf('alice')

test('the end of the reservation ends the session at once, also between connections', async (t) => {
  const stage = await given(t)
  const { service } = stage
  await hangUp(service, await connected(stage))
  service.clock.set('2030-05-02T07:30:00.000Z')
  const { sessions } = await becomes(service, 'the session is closed', isClosed)
  t.is(sessions[0]?.cause, 'client')
  t.true(isJustBefore(String(sessions[0]?.closed_at), NOW))
})

test('a client whose SUT could not be reached opens no session', async (t) => {
  const stage = await given(t)
  const { service, sut_id, port } = stage
  await service.as('admin').post(`/api/sut/${sut_id}/update`, { port: await freePort() })
  await until(
    'a connection fails',
    async () => {
      service.tick()
      const socket = connect(port, '127.0.0.1')
      const [error] = await once(socket, 'error')
      return (error as NodeJS.ErrnoException).code === 'ECONNRESET'
    },
    SOON,
  )
  t.is((await sessionsOf(service)).count, 0)
})

test('sessions are in the histories of their SUT and reservation, in the order of the log', async (t) => {
  const stage = await given(t)
  const { service, sut_id, reservation } = stage
  const admin = service.as('admin')
  const closed = closeOf(await connected(stage))
  await becomes(service, 'the session is open', ({ count }) => count === 1)
  await admin.post(`/api/sut/${sut_id}/update`, { os: 'linux' })
  await service.as('alice').request('POST', `/api/sut_reservation/${reservation}/cancel`)
  await closed
  await becomes(service, 'the session is closed', isClosed)
  await admin.post(`/api/sut/${sut_id}/update`, { os: 'plan 9' })
  type Events = readonly { readonly type: string; readonly sequence: string; readonly subject: string }[]
  const history = async (path: string): Promise<Events> => (await admin.get(path)).json.events as Events
  const all = await history(`/api/sut/${sut_id}/history`)
  const types = all.map(({ type }) => type.replace('berth.', ''))
  t.deepEqual(
    all.map(({ sequence }) => sequence),
    all.map(({ sequence }) => sequence).toSorted(),
  )
  t.deepEqual(
    types.filter((type) => /^Session|SutUpdated|Released/.test(type)),
    ['SessionOpened', 'SutUpdated', 'ReservationReleased', 'SessionClosed', 'SutUpdated'],
  )
  t.true(all.filter(({ type }) => type !== 'berth.ListenPortAssigned').every(({ subject }) => subject === sut_id))
  const ofReservation = await history(`/api/sut_reservation/${reservation}/history`)
  t.deepEqual(
    ofReservation.map(({ type }) => type.replace('berth.', '')).filter((type) => type !== 'ReservationStarted'),
    ['ReservationCreated', 'SessionOpened', 'ReservationReleased', 'SessionClosed'],
  )
})

test('testers see their own sessions, auditors and administrators all', async (t) => {
  const stage = await given(t)
  const { service, sut_id, reservation } = stage
  await connected(stage)
  await becomes(service, 'the session is open', ({ count }) => count === 1)
  const count = async (query: string, who: string): Promise<number> => (await sessionsOf(service, query, who)).count
  for (const who of ['alice', 'audrey', 'admin']) t.is(await count('', who), 1, who)
  t.is(await count('', 'bob'), 0)
  t.is(await count(`?user_id=${ALICE}`, 'bob'), 0)
  t.is(await count(`?sut_id=${sut_id}&reservation_id=${reservation}&user_id=${ALICE}&open=true`, 'alice'), 1)
  t.is(await count(`?user_id=${service.port}`, 'audrey'), 0)
  for (const query of ['from=2030-05-02T06:03:00Z', 'to=2030-05-02T06:03:00Z', 'from=2030-05-02T05:00:00Z'])
    t.is(await count(`?${query}`, 'audrey'), 1, query)
  t.is(await count('?to=2030-05-02T06:01:00Z', 'audrey'), 0)
  const listed = await type(['session', 'list', '--open'], { BERTH_DATA: service.data })
  t.deepEqual(listed.out.split('\t').slice(1, 5), [reservation, sut_id, ALICE, 'alice'])
  const csv = await service.as('alice').get('/api/session', { Accept: 'text/csv' })
  const [head, row] = csv.text.split('\r\n')
  t.is(head?.split(',').slice(3, 6).join(), 'user_id,user_name,instance')
  t.is(row?.split(',').slice(3, 5).join(), `${ALICE},alice`)
  t.is((await service.as('bob').get('/api/session', { Accept: 'text/csv' })).text, `${head}\r\n`)
  for (const query of ['open=false', 'before=x', 'as_of=1', 'limit=0', 'from=today', 'open=true&open=true']) {
    const { status, json } = await service.as('alice').get(`/api/session?${query}`)
    t.is(status, 422, query)
    t.is((json.errors as unknown as readonly { parameter: string }[])[0]?.parameter, query.split('=')[0])
  }
})
