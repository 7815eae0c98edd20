import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { makeKeptBackup } from '../../src/archive/backup.ts'
import { type } from '../command-line/terminal.ts'
import { start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'

const NIGHTS = [1, 2, 3, 4, 5].map((day) => Date.parse(`2030-05-0${day}T01:30:00Z`))
const nameOf = (night: number): string => `berth-2030050${night}T013000Z`

/** A stopped service with a log, and a directory for its backups. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t)
  await createSut(service.as('admin'), { password: 'x' })
  await service.stop()
  const backups = join(await temporaryData(t), 'backups')
  const backUp = (now: number, ...args: readonly string[]) =>
    type(['backup', ...args, backups], { BERTH_DATA: service.data }, { now: () => now })
  return { data: service.data, backups, backUp }
}

/** What is in a directory, without the lock, which stays. */
const listed = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory)).filter((name) => !name.startsWith('.')).sort()

test('with --keep the newest backups of the log are left, and nothing else is touched', async (t) => {
  const { backups, backUp } = await stage(t)
  await mkdir(backups)
  const others = ['berth-20300101T000000Z', 'berth-2030-05-01', 'notes', 'berth-20300401T013000Z.txt']
  for (const other of others) await mkdir(join(backups, other))
  const foreign = JSON.stringify({ log_id: 'of another log' })
  await writeFile(join(backups, 'berth-20300101T000000Z', 'checkpoint.json'), foreign)
  for (const [n, now] of NIGHTS.entries()) {
    const { code, out, error } = await backUp(now, '--keep', '3')
    t.deepEqual([code, error], [0, ''])
    t.true(out.startsWith(`${join(backups, nameOf(n + 1))}: `))
    t.is(out.includes(`${join(backups, nameOf(n - 2))}: removed\n`), n >= 3, `night ${n + 1}`)
  }
  t.deepEqual(await listed(backups), [...others, nameOf(3), nameOf(4), nameOf(5)].sort())
  const json = JSON.parse((await backUp(Date.parse('2030-05-06T01:30:00Z'), '--keep=2', '--json')).out)
  const removed = [4, 3].map((night) => join(backups, nameOf(night)))
  t.deepEqual([json.directory, json.removed], [join(backups, nameOf(6)), removed])
  const kept = join(backups, nameOf(6))
  t.deepEqual((await readdir(kept)).sort(), ['checkpoint.json', 'events.db', 'log.checkpoint'])
})

test('a backup made while the clock was back is not the one that is removed', async (t) => {
  const { backups, backUp } = await stage(t)
  for (const now of [NIGHTS[2], NIGHTS[3], NIGHTS[0]]) t.is((await backUp(now ?? 0, '--keep', '2')).code, 0)
  t.deepEqual(await listed(backups), [nameOf(1), nameOf(4)])
})

test('a backup that fails removes none, and what an interrupted one left is cleared', async (t) => {
  const { data, backups, backUp } = await stage(t)
  for (const now of NIGHTS.slice(0, 2)) await backUp(now, '--keep', '2')
  for (const remains of [`${nameOf(3)}.partial`, `${nameOf(4)}.removed`]) {
    await mkdir(join(backups, remains))
    await copyFile(join(data, 'events.db'), join(backups, remains, 'events.db'))
  }
  await mkdir(join(backups, 'other.partial'))
  const taken = await backUp(NIGHTS[1] ?? 0, '--keep', '1')
  t.is(taken.code, 1)
  t.regex(taken.error, /T013000Z exists; a backup needs a new directory/)
  t.deepEqual(await listed(backups), [nameOf(1), nameOf(2), 'other.partial'])
})

test('of two backups into one directory at once, the second is refused and names the first', async (t) => {
  const { data, backups, backUp } = await stage(t)
  let second: Promise<{ readonly code: number; readonly error: string }> | undefined
  const source = { log: join(data, 'events.db'), origin: 'berth' }
  const options = {
    now: NIGHTS[0] ?? 0,
    onProgress: () => {
      second ??= backUp(NIGHTS[1] ?? 0, '--keep', '2')
    },
  }
  t.is((await makeKeptBackup(source, backups, 2, options))._tag, 'Right')
  const { code, error } = (await second) ?? { code: -1, error: '' }
  t.is(code, 1)
  t.regex(error, new RegExp(`\\.berth-backups\\.lock is held by process ${process.pid} `))
  t.deepEqual(await listed(backups), [nameOf(1)])
})

test('--keep is a whole number from 1 on', async (t) => {
  const { backUp } = await stage(t)
  for (const wrong of ['0', '-1', '1.5', 'all', '', '10001']) {
    const { code, error } = await backUp(0, `--keep=${wrong}`)
    t.is(code, 2, wrong)
    t.true(error.startsWith('berth: --keep must be a whole number from 1 to 10000\nusage: '), error)
  }
})

test('the data directory notes the last backup; where it cannot, the backup stays and the command says so', async (t) => {
  const { data, backups, backUp } = await stage(t)
  const [first = 0, second = 0] = NIGHTS
  await backUp(first, '--keep', '9')
  const noted = JSON.parse(await readFile(join(data, 'last-backup.json'), 'utf8'))
  t.is(noted.made_at, '2030-05-01T01:30:00.000Z')
  await mkdir(join(data, 'last-backup.json.new', 'in the way'), { recursive: true })
  const { code, error } = await backUp(second, '--keep', '9')
  t.is(code, 0)
  t.regex(error, /^berth: the metrics do not show this backup: .*\n$/)
  t.deepEqual(await listed(backups), [nameOf(1), nameOf(2)])
})
