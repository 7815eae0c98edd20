import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../../http/client.ts'
import { idOf, start } from '../../http/harness.ts'
import { aUser } from '../../users/builders.ts'
import { type } from '../terminal.ts'
import { whoIsAt } from './stage.ts'

/** Commands on users after the service has stopped. */

/** The data of a service that has stopped, with the administrator `admin`. */
const stopped = async (t: ExecutionContext): Promise<string> => {
  const firstUsers = [await aUser('admin', passwordOf('admin'), { role: 'administrator', _id: idOf('admin') })]
  const service = await start(t, { firstUsers })
  await service.stop()
  return service.data
}

const COMMANDS = [
  ['user', 'add', 'alice', '--role', 'tester'],
  ['user', 'passwd', 'admin'],
  ['user', 'list'],
  ['user', 'show', 'admin'],
  ['user', 'update', 'admin', '--name', 'root'],
  ['user', 'remove', 'admin', '--reservations', 'keep'],
  ['user', 'restore', 'admin'],
  ['user', 'erase', 'admin'],
  ['token', 'issue', 'admin', '--name', 'nightly'],
  ['token', 'list', 'admin'],
  ['token', 'revoke', 'admin', 'x'],
]

test('commands on users and tokens say that the service must run, and record nothing', async (t) => {
  const data = await stopped(t)
  await writeFile(join(data, 'people.csv'), 'name,role\nanna,tester\n')
  const before = (await readdir(data)).toSorted()
  const log = await readFile(join(data, 'events.db'))
  for (const line of [...COMMANDS, ['user', 'import', join(data, 'people.csv')]]) {
    const { code, out, error } = await type(line, { BERTH_DATA: data })
    const why = `berth: no service runs on ${data}; start it, or set BERTH_URL to reach another\n`
    t.deepEqual([code, out, error], [1, '', why], line.join(' '))
  }
  t.deepEqual((await readdir(data)).toSorted(), before)
  t.true((await readFile(join(data, 'events.db'))).equals(log))
})

test('with a new vault key in place of a lost one, a user gets a password and a name by its id', async (t) => {
  const data = await stopped(t)
  const id = idOf('admin')
  const [, key = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await writeFile(join(data, 'vault.key'), `new:${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 })
  t.is((await type(['vault', 'forget', key], { BERTH_DATA: data })).code, 0)
  const service = await start(t, { data })
  const user = (...line: readonly string[]) => type(['user', ...line], { BERTH_DATA: data })
  const password = (await user('passwd', id)).out.trimEnd()
  t.is((await user('list')).out, `${id}\tadministrator\t${id}\n`)
  t.is((await user('update', id, '--name', 'admin')).code, 0)
  const whoIs = whoIsAt(service)
  t.deepEqual([await whoIs('admin', password), await whoIs('admin', passwordOf('admin'))], [id, 'unauthenticated'])
})
