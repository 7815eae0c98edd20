import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { mounted } from '../disk/full-disk.ts'
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
    const disk = join(await temporaryData(t), 'disk')
    const why = await mounted(t, disk, SIZE)
    if (why !== undefined) {
      t.log(`nothing checked: ${why}`)
      t.pass()
      return
    }
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
