/** Whom a change is told to, and when a stream ends. */

import test from 'ava'
import { idOf, type Running, start } from '../../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../../http/requests.ts'
import type { OpenStream } from '../readers.ts'
import { windowOf } from '../writing.ts'
import { entriesIn, namesIn, objectsIn, openChanges, positionOf, toldSince, toldUntilNow } from './told.ts'

const LIMITS = { interval: 20, heartbeat: 30, checkInterval: 10 }
const startLab = (t: Parameters<typeof start>[0]): Promise<Running> => start(t, { now: NOW, changes: LIMITS })

const lastError = ({ reading }: OpenStream): unknown => {
  const { kind, data } = reading().messages.at(-1) ?? {}
  return kind === 'error' ? JSON.parse(data as string).code : kind
}

const setScope = (service: Running, name: string, scope: string) =>
  service.as('admin').post(`/api/user/${idOf(name)}/update`, { scope })

test('a tester is told of users that come, go, return, are renamed or erased, an overseer of all', async (t) => {
  const service = await startLab(t)
  const admin = service.as('admin')
  const made = await admin.post('/api/user/create', { name: 'zoe', role: 'tester' })
  const zoe = String(made.json._id)
  const steps: readonly (readonly [path: string, body: object, isTold: boolean])[] = [
    ['update', { quota: { hours_per_week: 4 } }, false],
    ['update', { scope: 'team=qa1' }, false],
    ['update', { name: 'zoey' }, true],
    ['remove', { reservations: 'keep' }, true],
    ['restore', {}, true],
    ['remove', { reservations: 'keep' }, true],
    ['erase', {}, true],
  ]
  for (const [path, body, isTold] of steps) {
    const before = await positionOf(service)
    const { status } = await admin.post(`/api/user/${zoe}/${path}`, body)
    t.is(status, 200, path)
    const told = objectsIn(await toldSince(t, service, 'bob', before))
    t.deepEqual(told, isTold ? [`user ${zoe}`] : [], `${path} ${JSON.stringify(body)}`)
    t.deepEqual(objectsIn(await toldSince(t, service, 'audrey', before)), [`user ${zoe}`])
  }
})

test('with a scope, a tester is told of SUTs in it and of its own reservations only', async (t) => {
  const service = await startLab(t)
  await setScope(service, 'alice', 'team=qa1')
  const before = await positionOf(service)
  const [inside, outside] = [
    await createSut(service.as('admin'), { tags: { team: 'qa1' } }),
    await createSut(service.as('admin'), { tags: { team: 'qa2' } }),
  ]
  const bob = await reserved(service.as('bob'), aReservation(inside, { user_id: idOf('bob') }))
  await reserved(service.as('bob'), aReservation(outside, { user_id: idOf('bob') }))
  const own = await reserved(service.as('admin'), aReservation(outside, windowOf(4)))
  await service.as('admin').post('/api/user/create', { name: 'zoe', role: 'tester' })
  t.deepEqual(objectsIn(await toldSince(t, service, 'alice', before)), [
    `sut ${inside}`,
    `sut_reservation ${bob.json._id}`,
    `sut_reservation ${own.json._id}`,
  ])
  t.is(entriesIn(await toldSince(t, service, 'bob', before)).length, 6)
})

test('with a scope, a tester is told of requests that a SUT in it fits and of its own, and not of offers', async (t) => {
  const service = await startLab(t)
  await setScope(service, 'alice', 'team=qa1')
  for (const team of ['qa1', 'qa2']) {
    const sut_id = await createSut(service.as('admin'), { tags: { team }, os: 'linux' })
    await reserved(service.as('bob'), aReservation(sut_id, { user_id: idOf('bob'), start_time: NOW }))
  }
  const before = await positionOf(service)
  const ask = async (who: string, match: object): Promise<string> =>
    String((await service.as(who).post('/api/sut_request/create', { match, duration: 900 })).json._id)
  const seen = await ask('bob', { os: 'linux' })
  const unseen = await ask('bob', { tags: { team: 'qa2' } })
  const own = await ask('alice', { tags: { team: 'qa1' } })
  await service.as('bob').post(`/api/sut_request/${seen}/withdraw`, {})
  const told = [`sut_request ${unseen}`, `sut_request ${own}`, `sut_request ${seen}`]
  t.deepEqual(objectsIn(await toldSince(t, service, 'alice', before)), told.slice(1))
  t.deepEqual(objectsIn(await toldSince(t, service, 'audrey', before)), told)
})

test('a SUT that enters or leaves the scope by its tags is told', async (t) => {
  const service = await startLab(t)
  await setScope(service, 'alice', 'team=qa1')
  const sut = await createSut(service.as('admin'), { tags: { team: 'qa2' } })
  const stream = await openChanges(t, service, 'alice')
  for (const [team, count] of [
    ['qa1', 1],
    ['qa3', 2],
    ['qa4', 2],
  ] as const) {
    await service.as('admin').post(`/api/sut/${sut}/tags`, { team })
    t.deepEqual(objectsIn(await toldUntilNow(service, stream)), Array(count).fill(`sut ${sut}`))
  }
})

test('a changed scope of one’s own is a reload, after which it holds', async (t) => {
  const service = await startLab(t)
  const [mine, other] = [
    await createSut(service.as('admin'), { tags: { team: 'qa1' } }),
    await createSut(service.as('admin'), { tags: { team: 'qa2' } }),
  ]
  const [stream, bobs] = [await openChanges(t, service, 'alice'), await openChanges(t, service, 'bob')]
  await setScope(service, 'alice', 'team=qa1')
  t.deepEqual(namesIn(await toldUntilNow(service, stream)), ['ready', 'reload'])
  for (const sut of [mine, other]) await service.as('admin').post(`/api/sut/${sut}/update`, { description: 'new' })
  t.deepEqual(objectsIn(await toldUntilNow(service, stream)), [`sut ${mine}`])
  t.deepEqual(namesIn(await toldUntilNow(service, bobs)), ['ready', 'change', 'change'])
})

test('a stop ends streams of changes with its reason', async (t) => {
  const service = await startLab(t)
  const stream = await openChanges(t, service, 'alice')
  await service.stop()
  t.is(await stream.ended, 'whole')
  t.is(lastError(stream), 'stopping')
})
