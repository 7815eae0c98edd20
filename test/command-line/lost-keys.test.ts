import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../http/client.ts'
import { idOf, type Running, SECRETS_OF_PEOPLE, start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { type } from './terminal.ts'

const CANARY = 'CaNaRy-0123456789'

/** The id of the only key in a key file. */
const keyIdIn = async (path: string): Promise<string> =>
  /^([^#:\n]+):/m.exec(await readFile(path, 'utf8'))?.[1] as string

/** The data directory of a stopped service, its backup, and a copy of the directory without some files. */
const copied = async (t: ExecutionContext, ...without: readonly string[]) => {
  const home = await temporaryData(t)
  const service = await start(t)
  const sut = await createSut(service.as('admin'), { password: CANARY, user_name: 'root' })
  const env = { BERTH_DATA: service.data }
  const backup = join(home, 'backup')
  const { code, error } = await type(['backup', backup], env)
  t.is(code, 0, error)
  const [audit, vault] = [
    (await type(['audit', 'key'], env)).out.trim(),
    await keyIdIn(join(service.data, 'vault.key')),
  ]
  await service.stop()
  const data = join(home, 'data')
  await cp(service.data, data, { recursive: true })
  for (const name of without) await rm(join(data, name))
  return { data, backup, audit, vault, sut, original: service.data, env: { BERTH_DATA: data } }
}

/** Gives the administrator a password and the name again, which were lost with the vault's key. */
const giveBack = async (t: ExecutionContext, env: Readonly<Record<string, string>>): Promise<void> => {
  const stdin = async () => Buffer.from(passwordOf('admin'))
  const set = await type(['user', 'passwd', idOf('admin'), '--password-stdin'], env, { stdin })
  t.is(set.code, 0, set.error)
  const named = await type(['user', 'update', idOf('admin'), '--name', 'admin'], env)
  t.is(named.code, 0, named.error)
}

/** The message of a refused start, which must not create files. */
const refusal = async (t: ExecutionContext, data: string, environment = {}): Promise<string> => {
  // Lock files remain, and do not affect later starts.
  const made = async () => (await readdir(data)).filter((name) => !/-shm$|-wal$|\.lock$/.test(name)).toSorted()
  const before = await made()
  const error = await t.throwsAsync(start(t, { data, environment }), { name: 'Misconfigured' })
  t.deepEqual(await made(), before)
  return String(error?.message)
}

const eventsOf = async (service: Running) =>
  (await service.as('admin').get('/api/events?limit=1000')).json.events as readonly Readonly<Record<string, unknown>>[]

const HELD = /^berth: .*lock is held by process/

test('a data folder without one of its keys, or with another, does not start, and the error names key and file', async (t) => {
  const { data, backup, audit, vault } = await copied(t, 'audit.key')
  const id = audit.split('+').slice(0, 2).join('+')
  const says = async (where: string, ...texts: readonly string[]): Promise<void> => {
    const message = await refusal(t, where)
    for (const text of texts) t.true(message.includes(text), message)
  }
  const signed = `the key ${id} has signed this log's checkpoints`
  const missing = [`${signed}, and no backup has it`, 'berth audit key --replace']
  await says(data, `${join(data, 'audit.key')}: it does not exist`, ...missing)
  const other = Buffer.alloc(32, 5).toString('base64')
  const inVariable = await refusal(t, data, { BERTH_AUDIT_KEY: other })
  t.true(inVariable.startsWith(`BERTH_AUDIT_KEY is not the key ${id}`), inVariable)
  await writeFile(join(data, 'audit.key'), other, { mode: 0o600 })
  await says(data, `audit.key is not the key ${id}`)
  t.false(`${inVariable}${await refusal(t, data)}`.includes(other))
  await copyFile(join(data, 'vault.key'), join(backup, 'vault.key'))
  await says(backup, signed)
  for (const place of [data, backup]) await rm(join(place, 'vault.key'))
  const needed = `no backup has the key "${vault}"; restore it`
  for (const place of [data, backup]) await says(place, needed, `berth vault forget ${vault}`)
})

test('the service starts with a replacement of a lost audit key, and the log records the change', async (t) => {
  const { data, audit, env } = await copied(t, 'audit.key')
  const id = audit.split('+').slice(0, 2).join('+')
  const { code, out, error } = await type(['audit', 'key', '--replace', '--json'], env)
  t.is(code, 0, error)
  const { verifier_key, replaces } = JSON.parse(out)
  t.is(replaces, audit)
  t.not(verifier_key, audit)
  t.true(error.includes(`lost: the key ${id}, which can no longer sign\n`), error)
  const service = await start(t, { data })
  const recorded = (await eventsOf(service)).find((event) => event.type === 'berth.AuditKeyReplaced')
  t.like(recorded, { data: { verifier_key, replaces }, actor: 'command-line', actorrole: 'system' })
  t.is((await type(['audit', 'key'], env)).out.trim(), verifier_key)
  t.is((await type(['verify', '--vault'], env)).code, 0)
  await service.stop()
  const again = await type(['audit', 'key', '--replace'], env)
  t.deepEqual([again.code, again.out], [1, ''])
  t.regex(again.error, /the audit key is not lost/)
})

test('thorough: the service starts without a forgotten vault key, and its secrets open once the key is found', async (t) => {
  const { data, vault, sut, original, env } = await copied(t, 'vault.key')
  const { code, out, error } = await type(['vault', 'forget', vault, '--json'], env)
  t.deepEqual([code, error], [0, ''])
  const { users, ...lost } = JSON.parse(out)
  t.deepEqual(lost, { key: vault, secrets: 2 + SECRETS_OF_PEOPLE, suts: [sut], webhooks: [] })
  t.deepEqual(users.toSorted(), ['alice', 'bob', 'audrey', 'admin'].map(idOf))
  const service = await start(t, { data })
  await giveBack(t, env)
  const recorded = (await eventsOf(service)).find((event) => event.type === 'berth.VaultKeyForgotten')
  t.like(recorded, { data: { key: vault, secrets: 2 + SECRETS_OF_PEOPLE }, actor: 'command-line' })
  const other = await createSut(service.as('admin'), { password: `${CANARY} again` })
  t.not(await keyIdIn(join(data, 'vault.key')), vault)
  const verified = await type(['verify', '--vault'], env)
  t.is(verified.code, 0, verified.out)
  const still = 2 + SECRETS_OF_PEOPLE - 3
  t.true(verified.out.includes(`not checked: ${still} secrets, as their key "${vault}" was lost and forgotten\n`))
  await service.stop()
  const [made, found] = [
    await readFile(join(data, 'vault.key'), 'utf8'),
    await readFile(join(original, 'vault.key'), 'utf8'),
  ]
  await writeFile(join(data, 'vault.key'), `${made}\n${found}`)
  const json = JSON.parse((await type(['verify', '--vault', '--json'], env)).out)
  t.like(
    json,
    { sound: true, vault: { secrets: 3 + SECRETS_OF_PEOPLE, opened: 3 + SECRETS_OF_PEOPLE, unopened: [] } },
    other,
  )
  await (await start(t, { data })).stop()
})

test('a vault key that is present or was never used cannot be forgotten', async (t) => {
  const { vault, env, data } = await copied(t)
  const ended = async (key: string) => {
    const { code, out, error } = await type(['vault', 'forget', key], env)
    return [code, out, error]
  }
  t.deepEqual(await ended(vault), [1, '', 'berth: this key is not lost; nothing was changed\n'])
  t.deepEqual(await ended('never'), [1, '', 'berth: nothing was ever encrypted with this key\n'])
  await rm(join(data, 'vault.key'))
  const [code, out] = await ended(vault)
  t.is(code, 0)
  t.regex(
    String(out),
    /^lost with the key \S+: 14 secrets of the SUTs \w{24} and of the users [\d, ]+; set them again\./,
  )
  t.deepEqual(await ended(vault), [1, '', 'berth: this key has already been forgotten\n'])
})

test('keys cannot be replaced or forgotten while the service runs', async (t) => {
  const service = await start(t)
  const env = { BERTH_DATA: service.data, BERTH_VAULT_KEY_FILE: join(service.data, 'none') }
  const key = await keyIdIn(join(service.data, 'vault.key'))
  t.regex((await type(['vault', 'forget', key], env)).error, HELD)
  t.regex((await type(['audit', 'key', '--replace'], env)).error, HELD)
  t.is((await service.anyone.get('/health/ready')).status, 200)
})
