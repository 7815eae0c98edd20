import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { rotateKeyFile } from '../../../src/vault/keys.ts'
import { type } from '../../command-line/terminal.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import { rightOf } from '../../users/builders.ts'
import { passwordOf } from '../client.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { until } from '../until.ts'
import { begin, sessionOf, statusWith, within } from './login.ts'
import { comeBack, environmentFor, finish, signOn, startLab, startWithLab } from './oidc/stage.ts'

const keyFileOf = ({ data }: Pick<Running, 'data'>): string => join(data, 'vault.key')

test('sessions and sign-ins under way survive a rotation of the vault key, and go on under the new one', async (t) => {
  const { service } = await startWithLab(t)
  const [session, end] = [await begin(service, 'alice'), await comeBack(service, 'anna')]
  rightOf(await rotateKeyFile(keyFileOf(service), { now: Date.now(), randomBytes }))
  const isDone = async () => service.log.some(({ sentence }) => sentence.startsWith('secrets re-encrypted'))
  await until('secrets are re-encrypted', isDone, 60_000)
  t.is(await statusWith(service, session), 200)
  const renewed = sessionOf(await within(service, session).post('/api/login/renew', {}))
  for (const text of [session, renewed, await begin(service, 'alice')]) t.is(await statusWith(service, text), 200)
  t.is((await finish(service, end)).status, 200)
  t.is((await within(service, session).post('/api/logout', {})).status, 200)
  for (const text of [session, renewed]) t.is(await statusWith(service, text), 401)
})

/** Gives the administrator, whose secrets were lost with the key, a password and the name again. */
const giveBack = async (environment: Readonly<Record<string, string>>): Promise<readonly number[]> => {
  const stdin = async () => Buffer.from(passwordOf('admin'))
  const set = await type(['user', 'passwd', idOf('admin'), '--password-stdin'], environment, { stdin })
  const named = await type(['user', 'update', idOf('admin'), '--name', 'admin'], environment)
  return [set.code, named.code]
}

test('thorough: with a lost key sessions end, and nobody signs in first until users with lost identities are erased', async (t) => {
  // The command that gives a key up changes the embedded store.
  if (SHARED_STORE !== undefined) return void t.pass()
  const lab = await startLab(t)
  const environment = await environmentFor(t, lab.issuer)
  const data = await temporaryData(t)
  const first = await start(t, { data, environment })
  const anna = await signOn(first, 'anna')
  const [session, end] = [await begin(first, 'admin'), await comeBack(first, 'zoe')]
  await first.stop()
  const [, key = ''] = /^([^#:\n]+):/m.exec(await readFile(keyFileOf(first), 'utf8')) ?? []
  await rm(keyFileOf(first))
  t.is((await type(['vault', 'forget', key], { BERTH_DATA: data })).code, 0)
  const again = await start(t, { data, environment })
  t.deepEqual(await giveBack({ BERTH_DATA: data }), [0, 0])
  for (const text of [session, String(anna.json.session)]) t.is(await statusWith(again, text), 401)
  t.is((await finish(again, end)).status, 403)
  for (const name of ['anna', 'zoe']) t.deepEqual(refusalOf(await signOn(again, name)), [503, 'unavailable'])
  const admin = again.as('admin')
  t.is((await admin.post(`/api/user/${anna.json._id}/remove`, { reservations: 'keep' })).status, 200)
  t.deepEqual(refusalOf(await signOn(again, 'zoe')), [503, 'unavailable'])
  t.is((await admin.post(`/api/user/${anna.json._id}/erase`, {})).status, 200)
  t.is((await signOn(again, 'zoe')).status, 200)
  t.like((await signOn(again, 'anna')).json, { name: 'Anna', role: 'tester' })
})
