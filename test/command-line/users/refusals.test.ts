import test from 'ava'
import { idOf } from '../../http/harness.ts'
import { type } from '../terminal.ts'
import { besideService } from './stage.ts'

/** What the commands on users and tokens refuse. */

type Row = readonly [line: readonly string[], reason: RegExp, stdin?: string | Buffer]

const user = (...line: readonly string[]): readonly string[] => ['user', ...line]
const token = (...line: readonly string[]): readonly string[] => ['token', ...line]
const addCarol = (...more: readonly string[]): readonly string[] => user('add', 'carol', '--role', 'tester', ...more)

const WRONG: readonly Row[] = [
  [user(), /a command is missing/],
  [user('ad'), /"ad" is not a user command/],
  [user('constructor'), /"constructor" is not a user command/],
  [user('add'), /expected NAME/],
  [user('add', 'carol'), /a --role is required/],
  [user('add', 'carol', '--role', 'root'), /the role must be administrator, tester or auditor/],
  [user('add', 'carol', '--role'), /'--role <value>' argument missing/],
  [user('add', 'carol', 'bob', '--role', 'tester'), /expected NAME/],
  [addCarol('--pasword-stdin'), /Unknown option '--pasword-stdin'; did you mean/],
  [addCarol('--quota', 'hours=1'), /^berth: the quota must consist of hours_per_week/],
  [addCarol('--scope', 'a=1,a=2'), /^berth: the scope must have each name once/],
  [user('update', 'bob', '--quota', '40'), /^berth: the quota must be "default", or limits like hours_per_week=40/],
  [user('list', 'alice'), /expected no arguments/],
  [user('show'), /expected NAME/],
  [user('update', 'alice'), /an option is required/],
  [user('remove'), /expected NAME/],
  [user('remove', 'alice'), /--reservations must be keep or cancel/],
  [user('remove', 'alice', '--reservations', 'all'), /--reservations must be keep or cancel/],
  [user('remove', 'alice', '--id', 'x'), /Unknown option '--id'/],
  [user('passwd', '--password-stdin'), /expected NAME/],
  [user('erase'), /expected NAME/],
  [token('issue', 'alice'), /a --name is required\nusage: token issue NAME --name VALUE \[--role VALUE\]/],
  [token('issue', 'alice', '--name', 'x', '--role', 'root'), /the role must be administrator, tester or aud/],
  [token('issue', 'alice', '--name', 'x', '--expires-in', '1h'), /must be a whole number of seconds/],
  [token('revoke', 'alice'), /expected NAME and TOKEN_ID/],
]

test('a wrong command on users or tokens exits with 2, the reason and the usage', async (t) => {
  for (const [line, reason] of WRONG) {
    const { code, out, error } = await type(line)
    t.deepEqual([code, out], [2, ''], line.join(' '))
    t.regex(error, reason, line.join(' '))
    t.regex(error, /\nusage: (?:user|token) /, line.join(' '))
  }
})

const COMMANDS = ['add', 'list', 'show', 'passwd', 'update', 'remove', 'restore', 'erase']

test('--help of each command on users shows the usage and an example, and does nothing', async (t) => {
  for (const command of COMMANDS) {
    const { code, out, error } = await type(['user', command, '--help'], { BERTH_DATA: '/nowhere' })
    t.deepEqual([code, error], [0, ''], command)
    t.true(out.startsWith(`berth user ${command}`), command)
    t.regex(out, new RegExp(`npx berth user ${command}`))
  }
})

const REFUSED: readonly Row[] = [
  [user('add', 'ALICE', '--role', 'tester'), /409 user_name_taken: /],
  [addCarol('--id', idOf('alice')), /409 user_id_taken: /],
  [addCarol('--id', 'schedule'), /422 invalid: _id is one of the service's own/],
  [addCarol('--id', 'a/b'), /422 invalid: _id must be an id: 1 to 128 printable characters/],
  [user('add', 'a:b', '--role', 'tester'), /422 invalid: name must be .* without ":"/],
  [user('add', 'a\u0007b', '--role', 'tester'), /422 invalid: name must be .* invisible characters/],
  [user('add', 'BERTH_token', '--role', 'tester'), /422 invalid: name must .* not begin with "berth_"/],
  [addCarol('--password-stdin'), /password must have at least 8/, 'short'],
  [addCarol('--password-stdin'), /not in UTF-8/, Buffer.from([0xff])],
  [user('passwd', 'carol'), /there is no user "carol"/],
  [user('passwd', 'bob', '--password-stdin'), /password must have at least 8/, '1234567'],
  [user('show', 'carol'), /there is no user "carol"/],
  [user('update', 'admin', '--role', 'tester'), /409 last_administrator: /],
  [user('remove', 'admin', '--reservations', 'keep'), /409 last_administrator: /],
  [user('remove', 'carol', '--reservations', 'keep'), /there is no user "carol"/],
  [user('update', 'bob', '--name', 'Alice'), /409 user_name_taken: /],
  [user('update', 'bob', '--name', ''), /422 invalid: name /],
  [user('update', 'bob', '--role', 'root'), /422 invalid: role must be/],
  [user('update', 'bob', '--scope', 'rack'), /422 invalid: scope must be/],
  [user('restore', 'bob'), /409 user_not_removed: /],
  [user('erase', 'bob'), /409 user_not_removed: /],
  [user('update', 'audrey', '--quota', 'priority_max=1'), /422 invalid: quota is for testers only/],
  [user('update', 'admin', '--scope', 'a=b'), /422 invalid: scope is for testers only/],
  [token('issue', 'alice', '--name', 'x', '--expires-in', '59'), /422 invalid: expires_in must be .* from 60/],
  [token('issue', 'alice', '--name', ''), /422 invalid: name must be/],
  [token('issue', 'alice', '--name', 'x', '--role', 'administrator'), /403 forbidden: /],
  [token('issue', 'nobody', '--name', 'x'), /there is no user "nobody"/],
  [token('list', 'nobody'), /there is no user "nobody"/],
  [token('revoke', 'alice', 'x'), /404 token_not_found: /],
]

test('an invalid change of users or tokens is refused with the reason, and nothing is changed', async (t) => {
  const { service, run } = await besideService(t)
  const before = (await service.as('admin').get('/api/user?removed=true')).text
  for (const [line, reason, stdin] of REFUSED) {
    const { code, out, error } = await run(line, stdin)
    t.deepEqual([code, out], [1, ''], `${line.join(' ')}: ${error}`)
    t.regex(error, reason, line.join(' '))
    t.regex(error, /^berth: .*\n$/)
  }
  t.is((await service.as('admin').get('/api/user?removed=true')).text, before)
})

const CANARY = 'CaNaRy0123456789'

test('no message repeats a password, wherever it was entered', async (t) => {
  const { run } = await besideService(t)
  const lines: readonly (readonly [code: number, line: readonly string[], stdin?: string])[] = [
    [2, user('add', 'carol', CANARY, '--role', 'tester')],
    [2, addCarol(`--password=${CANARY}`)],
    [2, addCarol(`--password-stdin=${CANARY}`)],
    [2, user('add', 'carol', '--role', CANARY)],
    [1, user('add', 'alice', '--role', 'tester', '--password-stdin'), CANARY],
    [1, addCarol('--password-stdin'), `${CANARY}\n${CANARY}`],
    [1, user('passwd', 'carol', '--password-stdin'), CANARY],
    [2, user('passwd', 'alice', CANARY)],
    [0, user('passwd', 'alice', '--password-stdin'), `${CANARY}\n`],
    [2, user('remove', 'bob', '--reservations', CANARY)],
    [0, user('list', '--removed')],
  ]
  for (const [expected, line, stdin] of lines) {
    const { code, out, error } = await run(line, stdin)
    t.is(code, expected, line.join(' '))
    t.false(`${out}${error}`.includes(CANARY), line.join(' '))
  }
})
