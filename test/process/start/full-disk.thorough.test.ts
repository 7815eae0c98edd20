import { cp, mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { aSmallDisk } from '../disk/full-disk.ts'
import { runProcess, serve } from '../harness.ts'

/** Kibibytes. */
const SIZE = 4_000

/** Kibibytes that are left, and the file for which there is no room. SQLite calls the first an I/O error. */
const ROOMS = [
  [40, 'events.db'],
  [60, 'vault.key'],
] as const

for (const [room, file] of ROOMS) {
  test(`a first start with ${room} KiB of disk says that the disk is full, and works after room is made`, async (t) => {
    const disk = await aSmallDisk(t, SIZE)
    if (disk === undefined) return
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc((SIZE - room) * 1024, 1))
    const data = join(disk, 'data')
    const { code, errors } = await runProcess(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })
    t.is(code, 1)
    const path = join(data, file)
    t.is(errors, `berth: ${path} cannot be used: the disk is full; make room, then try again\n`)
    await writeFile(ballast, '')
    t.is((await (await serve(t, { data })).stop()).code, 0)
  })
}

test('the log of a killed service that was copied to a full disk is refused as that, and loses nothing', async (t) => {
  const disk = await aSmallDisk(t, SIZE)
  if (disk === undefined) return
  const crashed = join(await temporaryData(t), 'crashed')
  const service = await serve(t, { data: crashed })
  t.is((await service.post('/api/sut/create', aSut())).status, 201)
  service.signal('SIGKILL')
  await service.exited
  const data = join(disk, 'data')
  await mkdir(data)
  // Without its shared memory, as a copy to another machine is.
  for (const name of ['events.db', 'events.db-wal', 'vault.key', 'audit.key', 'instance']) {
    await cp(join(crashed, name), join(data, name))
  }
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = await statfs(disk)
  // Room for the lock, but not for the shared memory.
  await writeFile(ballast, Buffer.alloc(bavail * bsize - 8 * 1024, 1))
  const { code, errors } = await runProcess(t, { data, args: ['serve'], env: { BERTH_PORT: '0' } })
  t.is(code, 1)
  t.is(errors, `berth: ${join(data, 'events.db')} cannot be used: the disk is full; make room, then try again\n`)
  await rm(ballast)
  const again = await serve(t, { data })
  t.is((await again.get('/api/sut')).json.count, 1)
  t.is((await again.stop()).code, 0)
})
