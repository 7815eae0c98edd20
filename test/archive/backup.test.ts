import { copyFile, cp, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import type { BackupCheckpoint } from '../../src/archive/backup.ts'
import { makeBackup } from '../../src/archive/backup.ts'
import { openCheckpoint } from '../../src/audit/checkpoint.ts'
import { readVerifier } from '../../src/audit/signed-note.ts'
import { leafHash, MTH } from '../audit/verify-proof.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { EVENTS_OF_START, idOf, type Running, start, temporaryData } from '../http/harness.ts'
import { createSut, reserve } from '../http/requests.ts'
import { run } from '../process/harness.ts'
import { leftOf, rightOf } from '../users/builders.ts'
import { passwordOf, ringIn } from '../vault/setting.ts'

const NOW = Date.parse('2030-05-02T05:58:11.400Z')

interface Row {
  readonly position: number
  readonly recorded: string
}

/** The stored events of a log, read without the code under test. */
const rowsOf = (path: string): readonly Row[] => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('SELECT position, recorded FROM event ORDER BY position').all() as unknown as Row[]
  } finally {
    database.close()
  }
}

const rootOf = (rows: readonly Row[]): string =>
  Buffer.from(MTH(rows.map(({ recorded }) => leafHash(Buffer.from(recorded))))).toString('base64')

const checkpointIn = async (directory: string): Promise<BackupCheckpoint> =>
  JSON.parse(await readFile(join(directory, 'checkpoint.json'), 'utf8'))

/** Reserves consecutive quarter-hours until `isOver`; returns their number. */
const reserving = async (service: Running, sut: string, isOver: () => boolean): Promise<number> => {
  const day = Date.parse('2031-01-01T00:00:00Z')
  let made = 0
  for (; !isOver(); made++) {
    const [start_time, end_time] = [made, made + 1].map((n) => new Date(day + n * 900_000).toISOString())
    const { status } = await reserve(service.as('admin'), { user_id: idOf('alice'), sut_id: sut, start_time, end_time })
    if (status !== 201) throw new Error(`refused: ${status}`)
  }
  return made
}

test('thorough: a backup made under load is a prefix of the log, and records its size and root hash', async (t) => {
  const service = await start(t, { now: new Date(NOW).toISOString(), environment: { BERTH_HORIZON: 'P3660D' } })
  const suts = await Promise.all(Array.from({ length: 8 }, () => createSut(service.as('admin'), { password: 'x' })))
  let isOver = false
  const writers = suts.map((sut) => reserving(service, sut, () => isOver))
  const directories = [1, 2, 3].map((n) => join(service.data, `backup-${n}`))
  const sizes: number[] = []
  for (const directory of directories) {
    const { code, output, errors } = await run({ data: service.data, args: ['backup', directory] })
    t.deepEqual([code, errors], [0, ''])
    t.regex(output, new RegExp(`^${directory}: \\d+ events, checked; root \\S{44}\n`))
    t.regex(
      output,
      /Not included: the vault keys .* and the audit key\. Keep a copy of .*vault\.key and .*audit\.key elsewhere\.\nA restore needs them: .*\.\n$/,
    )
  }
  isOver = true
  const made = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0)
  const log = rowsOf(join(service.data, 'events.db'))
  t.is(log.length, EVENTS_OF_START + 2 * suts.length + made)
  for (const directory of directories) {
    const { events, last_event, root, log_id, vault_keys } = await checkpointIn(directory)
    const copy = rowsOf(join(directory, 'events.db'))
    t.deepEqual(copy, log.slice(0, events))
    t.is(root, rootOf(copy))
    t.is(last_event, JSON.parse(copy.at(-1)?.recorded ?? '').id)
    t.is(log_id, openStore(t, join(service.data, 'events.db'), { readOnly: true }).logId)
    t.is(vault_keys.length, 1)
    sizes.push(events)
  }
  t.true(
    sizes.every((size, n) => size > (sizes[n - 1] ?? EVENTS_OF_START + 2 * suts.length - 1)),
    'the log has grown between backups',
  )
})

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test('a backup is readable only by its owner and contains log and checkpoint, but no users file and no keys', async (t) => {
  const service = await start(t)
  await createSut(service.as('admin'), { password: 'CaNaRy-0123456789', user_name: 'CaNaRy-0123456789' })
  const directory = join(service.data, 'backup')
  const json = await run({ data: service.data, args: ['backup', '--json', directory] })
  const { directory: printed, keys_not_included, ...checkpoint } = JSON.parse(json.output)
  const left = ['vault.key', 'audit.key'].map((name) => join(service.data, name))
  t.deepEqual([printed, keys_not_included], [directory, left])
  t.deepEqual(checkpoint, await checkpointIn(directory))
  t.deepEqual((await readdir(directory)).sort(), ['checkpoint.json', 'events.db', 'log.checkpoint'])
  t.is(await modeOf(directory), 0o700)
  const { output } = await run({ data: service.data, args: ['audit', 'key'] })
  const note = await readFile(join(directory, 'log.checkpoint'), 'utf8')
  const { size, root } = rightOf(openCheckpoint(note, rightOf(readVerifier(output.trim()))))
  t.deepEqual([size, Buffer.from(root).toString('base64')], [checkpoint.events, checkpoint.root])
  const keys = await Promise.all(['vault.key', 'audit.key'].map((name) => readFile(join(service.data, name), 'utf8')))
  for (const name of await readdir(directory)) {
    t.is(await modeOf(join(directory, name)), 0o600)
    const bytes = await readFile(join(directory, name), 'latin1')
    t.false(bytes.includes('CaNaRy'), name)
    for (const key of keys) t.false(bytes.includes(key.trimEnd().split(/[:\n]/).at(-1) as string), name)
  }
  t.false((await readdir(service.data)).some((name) => name.endsWith('.partial')))
})

test('a service restored from a backup and its keys has all data and continues', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const key = { 'Idempotency-Key': 'once' }
  const sut = await createSut(admin, { password: 'the password' })
  const window = { start_in: 86_400, duration: 900 }
  const made = await reserve(admin, { user_id: idOf('alice'), sut_id: sut, ...window }, key)
  const directory = join(await temporaryData(t), 'backup')
  t.is((await run({ data: service.data, args: ['backup', directory] })).code, 0)
  const paths = [`/api/sut/${sut}`, `/api/sut_reservation/${made.json._id}`, '/api/user/me']
  const before = await Promise.all(paths.map(async (path) => (await admin.get(path)).text))
  // Later changes are lost with the old data.
  await createSut(admin, { name: 'too late' })

  const data = join(await temporaryData(t), 'data')
  await cp(directory, data, { recursive: true })
  for (const name of ['vault.key', 'audit.key']) await copyFile(join(service.data, name), join(data, name))
  const again = await start(t, { data })
  const admin2 = again.as('admin')
  t.deepEqual(await Promise.all(paths.map(async (path) => (await admin2.get(path)).text)), before)
  const store = openStore(t, join(data, 'events.db'), { readOnly: true })
  t.is(await passwordOf(store, await ringIn(join(data, 'vault.key')), sut), 'the password')
  const retried = await reserve(admin2, { user_id: idOf('alice'), sut_id: sut, ...window }, key)
  t.is(retried.text, made.text)
  t.is((await reserve(admin2, { user_id: idOf('bob'), sut_id: sut, start_in: 172_800, duration: 900 })).status, 201)
  t.is((await createSut(admin2)).length, 24)
  await again.stop()
  t.is((await run({ data, args: ['replay'] })).code, 0)
})

test('an existing directory, an interrupted backup and a missing parent are refused, and nothing is left behind', async (t) => {
  const { data, stop } = await start(t)
  await stop()
  const source = { log: join(data, 'events.db'), origin: 'berth' }
  const [directory, other] = [join(data, 'backup'), join(data, 'other')]
  await mkdir(directory)
  t.regex(leftOf(await makeBackup(source, directory, { now: NOW })), /backup exists; a backup needs a new/)
  t.deepEqual(await readdir(directory), [])
  await mkdir(`${other}.partial`)
  t.regex(leftOf(await makeBackup(source, other, { now: NOW })), /other\.partial exists: .*in that case remove it$/)
  await t.throwsAsync(makeBackup(source, join(data, 'no', 'backup'), { now: NOW }), { code: 'ENOENT' })
  t.deepEqual(
    (await readdir(data)).filter((name) => /^(?:other|no)/.test(name)),
    ['other.partial'],
  )
})
