import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { welcome } from '../../src/welcome.ts'
import { temporaryData } from '../http/harness.ts'
import { serve } from './harness.ts'

const passwordFiles = async (data: string): Promise<readonly string[]> =>
  (await readdir(data)).filter((name) => name.startsWith('first-password'))

test('with nobody at a terminal the first password is left in a file for its owner alone, and in no log line', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: undefined, BERTH_LOG_LEVEL: 'trace' } })
  const { file } = JSON.parse(await service.line('made the administrator admin')) as { file: string }
  t.is((await stat(file)).mode & 0o777, 0o600)
  const [name = '', password = ''] = (await readFile(file, 'utf8')).split('\n')
  const me = await service.as(name, password).get('/api/user/me')
  t.like(me, { status: 200, json: { name: 'admin', role: 'administrator' } })
  t.false(service.output().includes(password))
  await service.stop()

  const again = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: undefined } })
  await again.stop()
  t.false(again.output().includes('made the administrator'))
  t.is((await passwordFiles(data)).length, 1)
})

test('a password that was given is written nowhere', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: 'given by the owner' } })
  await service.stop()
  t.deepEqual(await passwordFiles(data), [])
  for (const name of await readdir(data)) t.false((await readFile(join(data, name))).includes('given by the owner'))
  t.false(service.output().includes('given by the owner'))
})

test('whoever starts it at a terminal is shown the password once and what to try', (t) => {
  const shown = welcome('http://127.0.0.1:8080', { name: 'admin', password: 'pear-tree-42' })
  t.regex(shown, /password {2}pear-tree-42 {6}\(shown this once\)/)
  t.true(shown.includes("curl -u 'admin:pear-tree-42' http://127.0.0.1:8080/api/user/me"))
})

test('a password that was given is not shown at the terminal either', (t) => {
  const shown = welcome('http://127.0.0.1:8080', { name: 'admin' })
  t.regex(shown, /password {2}\(the one you set\)\n/)
  t.true(shown.includes("curl -u 'admin:PASSWORD' http://127.0.0.1:8080/api/user/me"))
})
