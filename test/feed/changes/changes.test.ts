/** Which changes are told, in which order, and how a stream continues. */

import { join } from 'node:path'
import test from 'ava'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { idOf, type Running, type Setting, start, type Tidying, temporaryData } from '../../http/harness.ts'
import { aReservation, aSeries, createSut, NOW, reserved } from '../../http/requests.ts'
import { changedStore } from '../../http/store/stores.ts'
import { windowOf } from '../writing.ts'
import { entriesIn, namesIn, objectsIn, openChanges, positionOf, toldUntilNow } from './told.ts'
import '../../http/documents/fit-answers.ts'

/** Fast, and never mistaken for a reader that is too slow. */
const LIMITS = { interval: 20, heartbeat: 30, checkInterval: 10 }

const startLab = (t: Tidying, { changes, ...setting }: Setting = {}): Promise<Running> =>
  start(t, { now: NOW, changes: { ...LIMITS, ...changes }, ...setting })

test('a stream says where it begins, and then which objects changed', async (t) => {
  const service = await startLab(t)
  const [before, page] = [await positionOf(service), (await service.anyone.get('/')).text]
  const stream = await openChanges(t, service, 'alice')
  const [ready] = stream.reading().messages
  const { sequence, digest } = JSON.parse(ready?.data ?? '')
  t.deepEqual([ready?.kind, ready?.position, sequence], ['ready', before, before])
  t.true(page.includes(`/web/${digest}/`))

  const sut = await createSut(service.as('admin'))
  const { json } = await reserved(service.as('alice'), aReservation(sut))
  const told = entriesIn(await toldUntilNow(service, stream))
  t.deepEqual(
    told.map(({ kind, _id, sut_id }) => [kind, _id, sut_id]),
    [
      ['sut', sut, sut],
      ['sut_reservation', json._id, sut],
    ],
  )
  t.deepEqual(
    stream
      .reading()
      .messages.filter(({ kind }) => kind === 'change')
      .map(({ position }) => position),
    told.map((one) => one.sequence),
  )
  t.deepEqual(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
  const shown = await service.as('alice').get(`/api/sut/${sut}`, { 'Berth-After': told.at(-1)?.sequence ?? '' })
  t.is(shown.status, 200)
})

test('the start and the end of a reservation change no object', async (t) => {
  const service = await startLab(t)
  const sut = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut))
  const stream = await openChanges(t, service, 'audrey')
  service.clock.set('2030-05-02T06:20:00Z')
  service.tick()
  await stream.until(({ messages }) => Number(messages.at(-1)?.position) >= 9)
  await createSut(service.as('admin'))
  t.deepEqual(
    objectsIn(await toldUntilNow(service, stream)).filter((object) => object.startsWith('sut_reservation')),
    [],
  )
})

test('the longest series is told as its reservations, without a reload, and so is its cancellation', async (t) => {
  const service = await startLab(t)
  const sut = await createSut(service.as('admin'))
  const stream = await openChanges(t, service, 'bob')
  const made = await service
    .as('alice')
    .post('/api/sut_reservation_series/create', aSeries(sut, { rrule: 'FREQ=DAILY' }))
  const reservations = (made.json.sut_reservations as readonly { readonly _id: string }[]).map(({ _id }) => _id)
  t.is(reservations.length, 366)
  const told = await toldUntilNow(service, stream)
  t.deepEqual(
    objectsIn(told),
    reservations.map((_id) => `sut_reservation ${_id}`),
  )
  t.true(entriesIn(told).every(({ sut_id }) => sut_id === sut))

  service.clock.set('2030-05-03T06:00:00Z')
  await service.as('alice').post(`${made.headers.location}/cancel`, {})
  const both = await toldUntilNow(service, stream)
  const cancelled = entriesIn(both).slice(reservations.length)
  t.deepEqual(
    cancelled.map(({ _id }) => _id),
    reservations.slice(1),
    'the first one has begun',
  )
  t.false(namesIn(both).includes('reload'))
})

test('a stream that comes back is told what it missed, once an object', async (t) => {
  const service = await startLab(t)
  const sut = await createSut(service.as('admin'))
  const left = await positionOf(service)
  for (const n of [0, 1, 2]) await reserved(service.as('alice'), aReservation(sut, windowOf(n)))
  await service.as('admin').post(`/api/sut/${sut}/update`, { description: 'a' })
  await service.as('admin').post(`/api/sut/${sut}/update`, { description: 'b' })
  const headers = { 'Last-Event-ID': left }
  for (const stream of [
    await openChanges(t, service, 'bob', `?after=${left}`),
    await openChanges(t, service, 'bob', '?after=0', { headers }),
  ]) {
    const reading = await toldUntilNow(service, stream)
    t.deepEqual(
      entriesIn(reading).map(({ kind }) => kind),
      ['sut_reservation', 'sut_reservation', 'sut_reservation', 'sut'],
    )
    t.is(reading.messages[0]?.position, left)
  }
})

test('too much to tell, or a position of another log, is one reload', async (t) => {
  const service = await startLab(t, { changes: { entries: 3, behind: 20 } })
  const since = async (after: string) => toldUntilNow(service, await openChanges(t, service, 'bob', `?after=${after}`))
  const before = await positionOf(service)
  for (let n = 0; n < 3; n++) await createSut(service.as('admin'), { name: `bench ${n}` })
  t.deepEqual(namesIn(await since(before)), ['ready', 'change', 'change', 'change'])

  const later = await start(t, { now: NOW, changes: { ...LIMITS, entries: 3, behind: 20 } })
  const first = await positionOf(later)
  for (let n = 0; n < 4; n++) await createSut(later.as('admin'), { name: `bench ${n}` })
  const many = await toldUntilNow(later, await openChanges(t, later, 'bob', `?after=${first}`))
  t.deepEqual(namesIn(many), ['ready', 'reload'])
  t.is(JSON.parse(many.messages[1]?.data ?? '').sequence, await positionOf(later))

  t.deepEqual(namesIn(await since('9999')), ['ready', 'reload'])
  const open = await openChanges(t, service, 'bob', `?after=${before}`)
  for (let n = 3; n < 12; n++) await createSut(service.as('admin'), { name: `bench ${n}` })
  // What has not been gathered yet does not count.
  await toldUntilNow(service, open)
  t.deepEqual(namesIn(await since(before)).slice(0, 2), ['ready', 'reload'])
})

test('more than a page behind is a reload, also for whom nothing of it would be told', async (t) => {
  const service = await startLab(t)
  await service.as('admin').post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa1' })
  for (let n = 0; n < 3; n++) {
    const sut = await createSut(service.as('admin'), { name: `bench ${n}`, tags: { team: 'qa2' } })
    await service.as('bob').post('/api/sut_reservation_series/create', {
      ...aSeries(sut, { rrule: 'FREQ=DAILY' }),
      user_id: idOf('bob'),
    })
  }
  const inside = await createSut(service.as('admin'), { tags: { team: 'qa1' } })
  const end = Number(await positionOf(service))
  const since = async (behind: number) => {
    const reading = await toldUntilNow(service, await openChanges(t, service, 'alice', `?after=${end - behind}`))
    return [...namesIn(reading), ...objectsIn(reading)]
  }
  t.deepEqual(await since(1_001), ['ready', 'reload'])
  t.deepEqual(await since(1_000), ['ready', 'change', `sut ${inside}`])
})

test('a stream that is open gets a reload when too much changes at once', async (t) => {
  const service = await startLab(t, { changes: { entries: 2, interval: 1_500 } })
  const stream = await openChanges(t, service, 'bob')
  const suts = Array.from({ length: 6 }, (_, n) => createSut(service.as('admin'), { name: `bench ${n}` }))
  await Promise.all(suts)
  t.true(namesIn(await toldUntilNow(service, stream)).includes('reload'))
})

test('a stream that cannot begin as the disk fails gives back its place', async (t) => {
  let isFailing = false
  const path = join(await temporaryData(t), 'events.db')
  const openStore = changedStore(path, (store) => ({
    synced: () => (isFailing ? Promise.reject(new StoreUnavailable('the disk fails')) : store.synced?.()),
  }))
  const service = await startLab(t, { openStore, changes: { perUser: 1 } })
  isFailing = true
  t.is((await service.as('alice').get('/api/changes')).status, 503)
  isFailing = false
  t.is((await openChanges(t, service, 'alice')).status, 200)
})

test('streams of changes are limited per user and in all', async (t) => {
  const service = await startLab(t, { changes: { perUser: 2, total: 3 } })
  const streams = [await openChanges(t, service, 'alice'), await openChanges(t, service, 'alice')]
  const refused = await service.as('alice').get('/api/changes')
  t.deepEqual([refused.status, refused.json.code, refused.headers['retry-after']], [429, 'too_many_subscribers', '10'])
  await openChanges(t, service, 'bob')
  const inAll = await service.as('audrey').get('/api/changes')
  t.deepEqual([inAll.status, inAll.json.code], [429, 'too_many_subscribers'])
  const { text } = await service.as('admin').get('/metrics')
  t.regex(text, /^berth_changes_subscribers 3$/m)
  t.regex(text, /^berth_feed_subscribers 0$/m)
  streams[0]?.close()
})
