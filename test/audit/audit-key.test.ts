import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { type } from '../command-line/terminal.ts'
import { start, temporaryData } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'
import { filesIn, leaks } from '../http/secrets/canary.ts'
import { checkpointOf, given } from './checkpoints.ts'

test('the audit key is created once, readable only by its owner, and appears nowhere else', async (t) => {
  const { service, env } = await given(t, 1)
  const file = join(service.data, 'audit.key')
  t.is((await stat(file)).mode & 0o777, 0o600)
  const made = await readFile(file, 'utf8')
  const before = await type(['audit', 'key', '--json'], env)
  const { answer } = await checkpointOf(service, env)
  const refused = await service.as('audrey').get('/api/audit/inclusion?event=1')
  const typed = await Promise.all(
    [['checkpoint', '--json'], ['audit', 'key'], ['verify']].map((args) => type(args, env)),
  )
  await service.stop()
  const again = await start(t, { data: service.data, now: NOW })
  t.is(await readFile(file, 'utf8'), made)
  t.is((await type(['audit', 'key', '--json'], env)).out, before.out)
  const files = await filesIn(service.data)
  const outputs = JSON.stringify([service.log, again.log, before, typed, answer.text, answer.headers, refused.text])
  const places = [...files.filter(({ name }) => name !== file), { name: 'outputs', bytes: Buffer.from(outputs) }]
  t.true(places.length >= 6)
  const key = Buffer.from(made.trim().split('\n').at(-1) as string, 'base64')
  t.deepEqual(leaks({ key }, places), [])
  // Control: the same search finds it in its file.
  t.deepEqual(leaks({ key }, files), [`key in base64 in ${file}`])
})

test('a key file readable by others logs a warning; an invalid or unwritable one fails the start', async (t) => {
  const data = await temporaryData(t)
  const file = join(data, 'audit.key')
  await writeFile(file, Buffer.alloc(32, 3).toString('base64'), { mode: 0o644 })
  await chmod(file, 0o644)
  const warned = await start(t, { now: NOW, data })
  const logged = warned.log.find(({ sentence }) => sentence === 'the audit key is not private')
  t.like(logged, {
    level: 'warn',
    facts: { problem: `${file} is readable by others (mode 0644); change it to 0600` },
  })
  await warned.stop()
  await writeFile(file, 'hush, secret')
  const broken = await t.throwsAsync(start(t, { now: NOW, data }))
  t.is(broken?.name, 'Misconfigured')
  t.regex(String(broken?.message), /the audit key in .*audit\.key must be 32 bytes in base64/)
  t.notRegex(String(broken?.message), /hush/)
  const unmade = { BERTH_AUDIT_KEY_FILE: join(file, 'below', 'a', 'file') }
  const refused = await t.throwsAsync(start(t, { now: NOW, environment: unmade }))
  t.regex(String(refused?.message), /the audit key cannot be (made in|read from) .*ENOTDIR/)
})

test('an invalid audit key fails the start without being shown', async (t) => {
  const failing = await t.throwsAsync(start(t, { environment: { BERTH_AUDIT_KEY: 'hush, secret' } }))
  t.regex(String(failing?.message), /BERTH_AUDIT_KEY must be 32 bytes in base64/)
  t.notRegex(String(failing?.message), /hush/)
  const { code, error } = await type(['audit', 'key'], { BERTH_DATA: '/nowhere' })
  t.is(code, 1)
  t.regex(error, /^berth: there is no audit key: \/nowhere\/audit\.key does not exist/)
})

test('a remembered audit key with one changed bit fails the start and is found, until it is stored again', async (t) => {
  const { service, env } = await given(t, 1)
  await service.stop()
  const path = join(service.data, 'events.db')
  const database = new DatabaseSync(path)
  const { ciphertext } = database.prepare("SELECT ciphertext FROM vault WHERE sut_id = '-audit'").get() as {
    ciphertext: Uint8Array
  }
  ciphertext[20] = (ciphertext[20] as number) ^ 1
  database.prepare("UPDATE vault SET ciphertext = ? WHERE sut_id = '-audit'").run(ciphertext)
  database.close()
  const refused = await t.throwsAsync(start(t, { data: service.data, now: NOW }))
  t.is(refused?.name, 'Misconfigured')
  t.regex(String(refused?.message), /remembers an audit key that cannot be read.*berth audit key --replace/)
  const found = await type(['verify'], env)
  t.is(found.code, 3)
  t.regex(found.out, /^the log remembers an audit key that cannot be read: its row in the vault is damaged\n/)
  const replaced = await type(['audit', 'key', '--replace'], env)
  t.is(replaced.code, 0, replaced.error)
  t.is((await type(['verify'], env)).code, 0)
  await start(t, { data: service.data, now: NOW })
})

test('the keys of a log whose key was replaced twice are shown newest first', async (t) => {
  const { service, env } = await given(t, 1)
  const keys = [(await type(['audit', 'key'], env)).out]
  await service.stop()
  for (let n = 0; n < 2; n++) {
    await rm(join(service.data, 'audit.key'))
    keys.unshift((await type(['audit', 'key', '--replace'], env)).out)
  }
  t.is(new Set(keys).size, 3)
  const again = await start(t, { data: service.data, now: NOW })
  t.is((await again.as('alice').get('/api/audit/key')).text, keys.join(''))
})
