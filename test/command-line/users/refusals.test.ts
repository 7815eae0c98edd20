/** What the commands on users and tokens refuse. */

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../../http/client.ts'
import { idOf, start } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'
import { aUser } from '../../users/builders.ts'
import { type } from '../terminal.ts'
import { follow } from '../transcript.ts'
import { besideService } from './stage.ts'

test('a wrong command on users or tokens exits with 2, the reason and the usage', async (t) => {
  for (const [line, reason] of [
    ['user ad', 'there is no command "user ad"; did you mean user add?'],
    ['user add', 'expected NAME'],
    ['user add carol', 'a --role is required'],
    ['user add carol --role', "Option '--role <value>' argument missing"],
    [
      'user add carol --role tester --pasword-stdin',
      "Unknown option '--pasword-stdin'; did you mean --password-stdin?",
    ],
    ['user add carol --role tester --quota hours=1', 'the quota must consist of hours_per_week, reservations_max, …'],
    ['user update bob --quota 40', 'the quota must be "default", or limits like hours_per_week=40…'],
    ['user update alice', 'an option is required'],
    ['user remove alice', 'a --reservations is required'],
    ['user passwd --password-stdin', 'expected USER'],
    ['token issue alice', 'a --name is required\nusage: token issue USER --name VALUE [--role VALUE]'],
    ['token revoke alice', 'expected USER and TOKEN'],
  ] as const)
    await follow(t, `$ berth ${line}\nberth: ${reason}…\n# exit 2`, {})
})

const CAROL = 'user add carol --role tester'

const REFUSED: readonly (readonly [line: string, reason: string])[] = [
  ['user add ALICE --role tester', '409 user_name_taken: '],
  ['user add carol --role root', '422 invalid: role must be one of administrator, tester, auditor'],
  [`${CAROL} --id ${idOf('alice')}`, '409 user_id_taken: '],
  [`${CAROL} --id schedule`, "422 invalid: _id is one of the service's own"],
  [`${CAROL} --id a/b`, '422 invalid: _id must be an id: 1 to 128 printable characters'],
  [`${CAROL} --scope a=1,a=2`, '422 invalid: scope must have each name once'],
  ['user add a:b --role tester', '422 invalid: name must be …without ":"'],
  [`${CAROL} --password-stdin <<< short`, '422 invalid: password must have at least 8'],
  ['user passwd carol', 'there is no user "carol"'],
  ['user remove admin --reservations keep', '409 last_administrator: '],
  ['user remove alice --reservations all', '422 invalid: reservations must be one of keep, cancel'],
  ["user update bob --name ''", '422 invalid: name '],
  ['user update audrey --quota priority_max=1', '422 invalid: quota is for testers only'],
  ['user restore bob', '409 user_not_removed: '],
  ['token issue alice --name x --expires-in 59', '422 invalid: expires_in must be …from 60'],
  ['token issue alice --name x --expires-in 1h', '422 invalid: expires_in must be …from 60'],
  ['token issue alice --name x --role administrator', '403 forbidden: '],
  ['token list nobody', 'there is no user "nobody"'],
  ['token revoke alice x', '404 token_not_found: '],
]

test('an invalid change of users or tokens is refused with the reason, and nothing is changed', async (t) => {
  const { service, berth, run } = await besideService(t)
  const before = (await service.as('admin').get('/api/user?removed=true')).text
  for (const [line, reason] of REFUSED) await berth(`$ berth ${line}\nberth: ${reason}…\n# exit 1`)
  const binary = await run([...CAROL.split(' '), '--password-stdin'], Buffer.from([0xff]))
  t.is(binary.error, 'berth: the password on standard input is not in UTF-8\n')
  t.is((await service.as('admin').get('/api/user?removed=true')).text, before)
})

const CANARY = 'CaNaRy0123456789'

test('no message repeats a password, wherever it was entered', async (t) => {
  const { run } = await besideService(t)
  for (const [expected, line, stdin] of [
    [2, `user add carol ${CANARY} --role tester`],
    [2, `${CAROL} --password=${CANARY}`],
    [2, `${CAROL} --password-stdin=${CANARY}`],
    [1, `user add carol --role ${CANARY}`],
    [1, 'user add alice --role tester --password-stdin', CANARY],
    [1, `${CAROL} --password-stdin`, `${CANARY}\n${CANARY}`],
    [2, `user passwd alice ${CANARY}`],
    [0, 'user passwd alice --password-stdin', `${CANARY}\n`],
    [1, `user remove bob --reservations ${CANARY}`],
  ] as const) {
    const { code, out, error } = await run(line.split(' '), stdin)
    t.is(code, expected, line)
    t.false(`${out}${error}`.includes(CANARY), line)
  }
})

/** The data of a service that has stopped, with the administrator `admin`. */
const stopped = async (t: ExecutionContext): Promise<string> => {
  const firstUsers = [await aUser('admin', passwordOf('admin'), { role: 'administrator', _id: idOf('admin') })]
  const service = await start(t, { firstUsers, now: NOW })
  await service.stop()
  return service.data
}

test('commands on users and tokens say that the service must run, and record nothing', async (t) => {
  const data = await stopped(t)
  const people = join(data, 'people.csv')
  await writeFile(people, 'name,role\nanna,tester\n')
  const before = (await readdir(data)).toSorted()
  const log = await readFile(join(data, 'events.db'))
  const why = `berth: no service runs on ${data}; start it, or set BERTH_URL to reach another`
  for (const line of [CAROL, 'user list', 'user show admin', 'token list admin', `user import ${people}`])
    await follow(t, `$ berth ${line}\n${why}\n# exit 1`, { BERTH_DATA: data })
  t.deepEqual((await readdir(data)).toSorted(), before)
  t.true((await readFile(join(data, 'events.db'))).equals(log))
})

test('with a new vault key in place of a lost one, a user gets a password and a name by its id', async (t) => {
  const data = await stopped(t)
  const id = idOf('admin')
  const [, key = ''] = /^([^#:\n]+):/m.exec(await readFile(join(data, 'vault.key'), 'utf8')) ?? []
  await writeFile(join(data, 'vault.key'), `new:${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 })
  t.is((await type(['vault', 'forget', key], { BERTH_DATA: data })).code, 0)
  const { berth, whoIs } = await besideService(t, { data })
  const password = (await berth(`$ berth user passwd ${id}\n<password>`)).trimEnd()
  await berth(`
$ berth user list
${id}	${id}	administrator	…
$ berth user update ${id} --name admin
_id	${id}
name	admin
…`)
  t.deepEqual([await whoIs('admin', password), await whoIs('admin', passwordOf('admin'))], [id, 'unauthenticated'])
})
