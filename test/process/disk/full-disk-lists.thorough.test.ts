import { copyFile, rm, statfs, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { idOf, start, temporaryData } from '../../http/harness.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { aSmallDisk } from './full-disk.ts'
import '../../http/documents/fit-answers.ts'

/** Kibibytes of the disk, and of the room that is left: too little for what is to be written. */
const SIZE = 24_000
const ROOM = 400

const LISTS = ['/api/sut', '/api/sut_reservation', '/api/session']

/** Reads of one object, or of users, that need lists. */
const readsOf = (sut: string, reservation: string): readonly string[] => [
  `/api/sut/${sut}/availability`,
  `/api/sut/${sut}/outages?from=2030-05-01T00:00:00Z&to=${NOW}`,
  `/api/outages?from=2030-05-01T00:00:00Z&to=${NOW}&sut_id=${sut}`,
  `/api/sut/${sut}/history`,
  `/api/sut_reservation/${reservation}/history`,
  `/api/user/${idOf('alice')}/history`,
  `/api/user/${idOf('alice')}?include=used`,
]

test('on a full disk lists and reads show what was written before, unless a write beyond that was acknowledged', async (t) => {
  const disk = await aSmallDisk(t, SIZE)
  if (disk === undefined) return
  // Only the views are on it.
  const data = await temporaryData(t)
  const [views, ballast] = [join(disk, 'views.db'), join(disk, 'ballast')]
  const [own, before] = [join(data, 'views.db'), join(await temporaryData(t), 'views.db')]

  const first = await start(t, { now: NOW, data })
  const [asAdmin, asAlice] = [first.as('admin'), first.as('alice')]
  const sut = await createSut(asAdmin, { tags: { rack: '4' } })
  const reservation = (await reserved(asAlice, aReservation(sut))).json._id as string
  t.is((await asAdmin.post(`/api/user/${idOf('alice')}/update`, { scope: 'rack=4' })).status, 200)
  const then = String((await first.as('audrey').get('/api/sut')).headers['berth-position'])
  await first.stop()
  await copyFile(own, before)
  await copyFile(own, views)
  await rm(own)
  await symlink(views, own)
  const second = await start(t, { now: NOW, data })
  const description = 'x'.repeat(2_000)
  for (let n = 0; n < 8; n++) {
    const suts = Array.from({ length: 100 }, (_, at) => ({ ...aSut({ name: `${n} ${at}` }), description }))
    const { status, text } = await second.as('admin').post('/api/sut/import', { suts })
    t.is(status, 200, text)
  }
  const end = String((await second.as('audrey').get('/api/sut')).headers['berth-position'])
  await second.stop()
  for (const more of ['-wal', '-shm']) await rm(views + more, { force: true })
  await copyFile(before, views)
  const { bavail, bsize } = await statfs(disk)
  await writeFile(ballast, Buffer.alloc(bavail * bsize - ROOM * 1024, 1))

  const service = await start(t, { now: NOW, data })
  const [admin, audrey, alice] = [service.as('admin'), service.as('audrey'), service.as('alice')]
  for (const path of [...LISTS, `/api/sut?as_of=${NOW}`, `/api/sut_reservation?as_of=${then}`]) {
    const shown = await audrey.get(path)
    t.deepEqual([shown.status, shown.headers['berth-position']], [200, then], path)
    t.is(shown.json.count, path === '/api/session' ? 0 : 1, path)
    const csv = await audrey.get(path, { Accept: 'text/csv' })
    t.deepEqual([csv.status, csv.headers['berth-position']], [200, then], path)
  }
  for (const path of LISTS) {
    t.is((await audrey.get(path, { 'Berth-After': then })).status, 200)
    t.deepEqual(refusalOf(await audrey.get(path, { 'Berth-After': end })), [503, 'store_full'])
    t.deepEqual(refusalOf(await audrey.get(path, { 'Berth-After': end, Accept: 'text/csv' })), [503, 'store_full'])
  }
  const asOf = [`/api/sut/${sut}?as_of=`, `/api/sut_reservation/${reservation}?as_of=`, '/api/sut?as_of=']
  for (const path of asOf) t.deepEqual(refusalOf(await audrey.get(path + end)), [503, 'store_full'], path)
  const reads = readsOf(sut, reservation)
  for (const [client, path] of [
    ...[...reads, ...asOf.map((path) => path + NOW)].map((path) => [audrey, path] as const),
    ...['/api/user', '/api/user?include=used'].map((path) => [alice, path] as const),
  ]) {
    const shown = await client.get(path)
    t.deepEqual([shown.status, shown.headers['berth-position']], [200, then], path)
  }

  const made = await admin.post('/api/sut/create', aSut())
  t.is(made.status, 201, made.text)
  for (const path of [...LISTS, ...reads]) t.deepEqual(refusalOf(await audrey.get(path)), [503, 'store_full'], path)
  t.deepEqual(refusalOf(await alice.get('/api/user')), [503, 'store_full'])
  t.is((await audrey.get(`/api/sut/${String(made.json._id)}`)).text, made.text)
  await rm(ballast)
  await until('a list', async () => (await audrey.get('/api/sut')).status === 200, 60_000)
  t.is((await audrey.get('/api/sut')).json.count, 802)
})
