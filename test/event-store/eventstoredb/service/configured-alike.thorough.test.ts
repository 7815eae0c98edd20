/** Settings that must be equal on all instances are never generated, and mismatches are refused. */

import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Line, temporaryData } from '../../../http/harness.ts'
import { aSut, NOW } from '../../../http/requests.ts'
import { leaks } from '../../../http/secrets/canary.ts'
import { canary } from '../../../http/secrets/secret-requests.ts'
import { runProcess } from '../../../process/harness.ts'
import { aServer } from '../server-and-client.ts'
import { AUDIT_KEY, addressOf, aVaultKey, startInstance, startInstances } from './instances.ts'

test('an instance with a different vault key does not start, and the error names the key', async (t) => {
  const { server, services, environment, log } = await startInstances(t, { now: NOW, count: 1 })
  const made = await services[0]?.as('admin').post('/api/sut/create', aSut({ password: canary() }))
  t.is(made?.status, 201)
  const recorded = (await log()).length
  const other = { BERTH_VAULT_KEY: aVaultKey('k1') }
  const refused = await t.throwsAsync(startInstance(t, server, 1, { now: NOW, environment: other }))
  t.is(refused?.name, 'Misconfigured')
  t.regex(String(refused?.message), /the key "k1"/)
  t.false(String(refused?.message).includes(other.BERTH_VAULT_KEY.slice(3)))
  t.is((await log()).length, recorded)
  // With the same key, a second instance starts.
  t.is((await startInstance(t, server, 1, { now: NOW, environment })).log.filter(isFatal).length, 0)
})

const isFatal = ({ level }: Line): boolean => level === 'fatal'

test('thorough: an instance without a vault key, an audit key or users exits with code 2 and creates nothing', async (t) => {
  const server = await aServer(t)
  const home = await temporaryData(t)
  const key = aVaultKey()
  const password = { BERTH_ADMIN_PASSWORD: 'long enough to be taken' }
  for (const [missing, env] of [
    ['audit', { ...password, BERTH_VAULT_KEY: key }],
    ['users', { ...AUDIT_KEY, BERTH_VAULT_KEY: key }],
    ['vault', { ...AUDIT_KEY, ...password }],
  ] as const) {
    const data = join(home, missing)
    await mkdir(data)
    const eventStore = { BERTH_EVENT_STORE: addressOf(server, 0), BERTH_PORT: '0' }
    const { code, errors, output } = await runProcess(t, { data, args: ['serve'], env: { ...eventStore, ...env } })
    t.is(code, 2, errors)
    t.regex(errors, new RegExp(`^berth: .*${missing}`))
    t.false(output.includes('listening'))
    // Only the empty lock file remains.
    t.deepEqual(await readdir(data), ['berth.lock'])
    t.false(server.log.all().some(({ stream }) => /^(sut-|listenPorts)/.test(stream)))
  }
})

test('the store contains secrets only encrypted, in the vault streams', async (t) => {
  const { server, services, environment } = await startInstances(t, { now: NOW, count: 2 })
  const secrets = { password: canary(), userName: canary(), changed: canary(), key: `key-${canary().slice(-24)}` }
  const [one, other] = services
  const described = aSut({ password: secrets.password, user_name: secrets.userName })
  const made = await one?.as('admin').post('/api/sut/create', described, { 'Idempotency-Key': secrets.key })
  const sut = String(made?.json._id)
  const updated = await other?.as('admin').post(`/api/sut/${sut}/update`, { password: secrets.changed })
  t.is(updated?.status, 200)
  const vaultKey = Buffer.from(String(environment.BERTH_VAULT_KEY).slice(3), 'base64')
  const wanted = Object.fromEntries(Object.entries(secrets).map(([what, secret]) => [what, Buffer.from(secret)]))
  const places = server.log.all().map(({ stream, revision, data, metadata }) => ({
    name: `${stream}@${revision}`,
    bytes: Buffer.concat([data, metadata]),
  }))
  t.deepEqual(leaks({ ...wanted, vaultKey }, places), [])
  const sealed = server.log.readable(`vault-${sut}`) ?? []
  t.is(sealed.length, 2)
  // Control: the same search finds a plain-text secret.
  const clear = { name: 'clear', bytes: Buffer.from(JSON.stringify({ password: secrets.password })) }
  t.not(leaks(wanted, [...places, clear]).length, 0)
})
