/** The commands on users and tokens, beside a running service. */

import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { idOf, temporaryData } from '../../http/harness.ts'
import { createSut, NOW, reserved } from '../../http/requests.ts'
import { COMPILED, ROOT } from '../../process/harness.ts'
import { aUser } from '../../users/builders.ts'
import { type } from '../terminal.ts'
import { besideService, PEOPLE } from './stage.ts'

const [ALICE, BOB] = [idOf('alice'), idOf('bob')]

test('user add prints the new id and a generated password, or only the id with a given one', async (t) => {
  const { berth, whoIs } = await besideService(t)
  const [id, password] = (await berth('$ berth user add carol --role tester\n<id>\n<password>')).split('\n')
  t.is(id?.slice(0, 8), Math.floor(Date.parse(NOW) / 1000).toString(16))
  t.is(await whoIs('carol', password), id)
  await berth(`
$ berth user add dave --role=auditor --id 'dave 7' --password-stdin <<< correct horse
dave 7
$ berth user add --role tester --id dash -- -erin
dash
<password>
$ berth user show -- -erin
_id	dash
name	-erin
…`)
  t.is(await whoIs('dave', 'correct horse'), 'dave 7')
})

test('a password is read from standard input, without one line break at its end, and not printed', async (t) => {
  const { service, run, whoIs } = await besideService(t)
  const passwd = (stdin: string) => run(['user', 'passwd', 'bob', '--password-stdin'], stdin)
  for (const end of ['\n', '\r\n', '']) {
    t.is((await passwd(` correct horse ${end}`)).code, 0)
    t.is(await whoIs('bob', ' correct horse '), BOB)
  }
  t.is((await passwd('correct horse\n\n')).code, 1)
  const line = ['user', 'add', 'carol', '--role', 'tester', '--id', 'c', '--password-stdin']
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...line], {
    ...{ env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, BERTH_DATA: service.data } },
    ...{ stdio: ['pipe', 'pipe', 'inherit'] },
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.end('correct horse battery\n')
  t.is(await text(child.stdout), 'c\n')
  t.is(await whoIs('carol', 'correct horse battery'), 'c')
})

test('users are listed, shown by id or by name in any case, renamed, limited and given passwords', async (t) => {
  const { berth, whoIs } = await besideService(t)
  await berth('$ berth user passwd bob --password-stdin <<< battery staple\n_id\t<id>\nname\tbob\n…')
  const limits = 'hours_per_week=40,reservations_max=20,priority_max=none'
  await berth(`
$ berth user update Bob --quota 'hours_per_week=40, reservations_max=20' --scope team=qa1,rack=4 --reason 'new lab'
_id	${BOB}
name	bob
role	tester
quota	${limits}
scope	rack=4,team=qa1
…
$ berth history bob
…UserChanged	…	"new lab"
$ berth user list
…
${BOB}	bob	tester	${limits}	rack=4,team=qa1	-	-	-	<time>	<time>
${ALICE}	alice	tester	…
$ berth user update bob --quota default --scope '' --role auditor
…
role	auditor
quota	-
scope	
…
$ berth user update bob --name Robert
…
name	Robert
…
$ berth user update bob --name x
berth: there is no user "bob"
# exit 1
$ berth user update robert --name ROBERT --if-match 1
berth: 412 stale: …
# exit 1
$ berth user show robert
_id	${BOB}
name	Robert
role	auditor
…
$ berth user add ${ALICE} --role tester --id 'named as an id' --quota priority_max=7
named as an id
<password>
$ berth user show ${ALICE}
_id	${ALICE}
name	alice
…
$ berth user show 'named as an id'
_id	named as an id
…
quota	hours_per_week=none,reservations_max=100,priority_max=7
…`)
  t.deepEqual([await whoIs('bob', 'battery staple'), await whoIs('robert', 'battery staple')], ['unauthenticated', BOB])
  const made = (await berth('$ berth user passwd ALICE\n<password>')).trimEnd()
  t.is(await whoIs('alice', made), ALICE)
})

test('--json prints what the service answers, of a list one object a line', async (t) => {
  const { service, run } = await besideService(t)
  const { users } = (await service.as('admin').get('/api/user')).json as { users: readonly object[] }
  const listed = (await run(['user', 'list', '--json'])).out.trimEnd().split('\n')
  t.deepEqual(
    listed.map((each) => JSON.parse(each)),
    users,
  )
  const added = JSON.parse((await run(['user', 'add', 'carol', '--role', 'tester', '--json'])).out)
  t.like(added, { name: 'carol', role: 'tester' })
  t.regex(added.password, /^[0-9a-z]{26}$/)
})

test('thorough: more users than one response has are listed, and each is found', async (t) => {
  const names = Array.from({ length: 1_001 }, (_, n) => `user ${n}`)
  const first = await aUser('first', 'x', { role: 'administrator' })
  const records = names.map((name, n) => ({ ...first, _id: `id-${n}`, name }))
  const { berth } = await besideService(t, { firstUsers: [first, ...records] })
  const listed = await berth('$ berth user list\n…')
  t.deepEqual(listed.trimEnd().split('\n').length, 1_002)
  await berth('$ berth user show FIRST\n_id\tid-of-first\n…')
})

test('user remove prints how many reservations were cancelled and released', async (t) => {
  const { service, berth, whoIs } = await besideService(t)
  const sut_id = await createSut(service.as('admin'))
  for (const [n, name] of ['bob', 'bob', 'bob', 'alice'].entries())
    await reserved(service.as('admin'), { user_id: idOf(name), sut_id, start_in: n * 3_600, duration: 900 })
  await berth(`
$ berth user remove BOB --reservations cancel
_id	${BOB}
cancelled	2
released	1
$ berth user remove ${BOB} --reservations cancel
_id	${BOB}
cancelled	0
released	0
$ berth user remove alice --reservations keep
_id	${ALICE}
cancelled	0
released	0
$ berth reservation list --user alice --json
{…"user_id":"${ALICE}"…}
`)
  t.is(await whoIs('bob', 'the password of bob'), 'unauthenticated')
})

test('removed users are shown, restored and erased by their names, and several of one name by their ids', async (t) => {
  const { berth, names } = await besideService(t)
  await berth(`
$ berth user add Carol --role tester --id carol-1
…
$ berth user remove carol --reservations keep
…
$ berth user show carol
_id	carol-1
name	Carol
…
removed_at	<time>
$ berth user restore CAROL
_id	carol-1
name	Carol
…
$ berth user remove carol --reservations keep
…
$ berth user add Carol --role tester --id carol-2
…
$ berth user show carol
_id	carol-2
…
$ berth user restore carol
berth: 409 user_name_taken: …
# exit 1
$ berth user remove carol --reservations keep
…
$ berth user show carol
berth: several users have the name "carol"; use an id: carol-2, carol-1
# exit 1
$ berth user erase carol
berth: several users have the name "carol"; use an id: carol-2, carol-1
# exit 1
$ berth user erase carol-1
_id	carol-1
name	carol-1
…
erased_at	<time>
$ berth user restore carol
_id	carol-2
…
$ berth user list --removed
carol-2	Carol	tester	…	-	-	-	…
carol-1	carol-1	tester	…	<time>	<time>	-	…
$ berth user restore carol-1
berth: 409 user_erased: …
# exit 1`)
  t.deepEqual(await names(), [...PEOPLE, 'Carol'])
})

test('users of a service elsewhere are changed at its URL, with the rights of an administrator there', async (t) => {
  const { at, berth } = await besideService(t)
  const elsewhere = await temporaryData(t)
  const as = async (name: string) =>
    type(['user', 'update', 'alice', '--role', 'auditor'], { ...(await at(name)), BERTH_DATA: elsewhere })
  const refused = await as('alice')
  t.deepEqual([refused.code, refused.out], [1, ''])
  t.regex(refused.error, /^berth: 403 forbidden: /)
  t.is((await as('admin')).code, 0)
  await berth('$ berth user show alice\n…\nrole\tauditor\n…')
  t.deepEqual(await readdir(elsewhere), [])
})

test('a token is issued, listed and revoked, and works until then', async (t) => {
  const { service, berth } = await besideService(t)
  const whoHas = async (token = ''): Promise<unknown> => {
    const { json } = await service.anyone.get('/api/sut?limit=1', { Authorization: `Bearer ${token}` })
    return json.code ?? 'let in'
  }
  const [id, token] = (await berth("$ berth token issue ALICE --name 'nightly build'\n<id>\n<token>")).split('\n')
  t.is(await whoHas(token), 'let in')
  await berth(`
$ berth token issue alice --name short --role tester --expires-in 3600
<id>
<token>
$ berth token list alice
<id>	short	tester	2030-05-02T06:58:11.400Z	-	-	<time>
${id}	nightly build	tester	-	-	-	<time>
$ berth token revoke alice ${id}
_id	${id}
name	nightly build
…
revoked_at	<time>
$ berth token issue audrey --name prometheus --scope metrics
<id>
<token>
$ berth token list audrey
<id>	prometheus	auditor	-	metrics	-	<time>
`)
  t.is(await whoHas(token), 'unauthenticated')
  service.clock.set('2030-05-02T06:58:11.400Z')
  await berth('$ berth token list alice')
})
