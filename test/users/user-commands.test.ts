import { randomBytes } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parsePasswordHash, verifyPassword } from '../../src/users/password.ts'
import { runUserCommand } from '../../src/users/user-commands.ts'
import type { UserIo } from '../../src/users/user-io.ts'
import { readUsersFile, type UserRecord } from '../../src/users/users-file.ts'
import { aUser, fileOf, rightOf } from './builders.ts'
import { temporaryDirectory } from './temporary-directory.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

const at = Date.parse('2030-05-02T05:58:11.400Z')

/** A temporary users file, and the commands on it. */
const given = async (t: ExecutionContext, ...records: readonly UserRecord[]) => {
  const usersFile = join(await temporaryDirectory(t), 'users.json')
  if (records.length > 0) await writeFile(usersFile, fileOf(records))
  const run = async (
    line: readonly string[],
    stdin: string | Buffer = '',
    more: Partial<UserIo> = {},
  ): Promise<Ran> => {
    let [out, error] = ['', '']
    const io: UserIo = {
      stdin: async () => Buffer.from(stdin),
      stdout: (text) => {
        out += text
      },
      stderr: (text) => {
        error += text
      },
      now: () => at,
      randomBytes,
      ...more,
    }
    const code = await runUserCommand(line, { usersFile }, io)
    return { code, out, error }
  }
  const fits = async (name: string, password: string): Promise<boolean> => {
    const record = rightOf(await readUsersFile(usersFile)).find((user) => user.name === name)
    const hash = parsePasswordHash(record?.password ?? '')
    return hash !== undefined && verifyPassword(hash, password)
  }
  return { usersFile, run, fits }
}

test('user add prints the new id and a generated password', async (t) => {
  const { usersFile, run, fits } = await given(t)
  const { code, out, error } = await run(['add', 'alice', '--role', 'tester'])
  t.deepEqual([code, error], [0, ''])
  const [id, password, end, ...more] = out.split('\n')
  t.regex(id as string, /^70f1cb03[0-9a-f]{16}$|^[0-9a-f]{24}$/)
  t.is(id?.slice(0, 8), Math.floor(at / 1000).toString(16))
  t.deepEqual([end, more], ['', []])
  t.true(await fits('alice', password as string))
  t.is((await stat(usersFile)).mode & 0o777, 0o600)
})

test('user add with a given id and password prints only the id', async (t) => {
  const { run, fits } = await given(t)
  const line = ['add', 'bob', '--role=auditor', '--id', '590780914445534540190000', '--password-stdin']
  t.deepEqual(await run(line, 'correct horse\n'), { code: 0, out: '590780914445534540190000\n', error: '' })
  t.true(await fits('bob', 'correct horse'))
})

test('one line break after a given password is dropped, and only one', async (t) => {
  const { run, fits } = await given(t)
  const add = (name: string, stdin: string) => run(['add', name, '--role', 'tester', '--password-stdin'], stdin)
  t.is((await add('unix', 'correct horse\n')).code, 0)
  t.is((await add('dos', 'correct horse\r\n')).code, 0)
  t.is((await add('bare', ' correct horse ')).code, 0)
  t.true(await fits('unix', 'correct horse'))
  t.true(await fits('dos', 'correct horse'))
  t.true(await fits('bare', ' correct horse '))
  t.is((await add('two', 'correct horse\n\n')).code, 1)
})

test('an invalid change of users is refused with the reason, and nothing is changed', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const { usersFile, run } = await given(t, alice)
  const add = (name: string, ...more: string[]) => run(['add', name, '--role', 'tester', ...more])
  const refusals = [
    [await add('alice'), /there is already a user named "alice"/],
    [await add('bob', '--id', alice._id), /the id "id-of-alice" already belongs to "alice"/],
    [await add('bob', '--id', 'a/b'), /the id must be 1 to 128 printable characters/],
    [await add('a:b'), /the name must have .* without ":"/],
    [await add('a\u0007b'), /control characters/],
    [await run(['add', 'bob', '--role', 'tester', '--password-stdin'], 'short'), /password must have at least 8/],
    [await run(['add', 'bob', '--role', 'tester', '--password-stdin'], Buffer.from([0xff])), /not in UTF-8/],
    [await run(['remove', 'bob']), /there is no user named "bob"/],
    [await run(['passwd', 'bob']), /there is no user named "bob"/],
  ] as const
  for (const [{ code, out, error }, reason] of refusals) {
    t.deepEqual([code, out], [1, ''])
    t.regex(error, reason)
    t.regex(error, /^berth: .*\n$/)
  }
  t.deepEqual(rightOf(await readUsersFile(usersFile)), [alice])
})

const wrongUsages: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /a command is missing/],
  [['ad'], /"ad" is not a user command/],
  [['constructor'], /"constructor" is not a user command/],
  [['add'], /one NAME, not 0/],
  [['add', 'alice'], /a --role is required/],
  [['add', 'alice', '--role', 'root'], /the role must be administrator, tester or auditor/],
  [['add', 'alice', '--role'], /'--role <value>' argument missing/],
  [['add', 'alice', 'bob', '--role', 'tester'], /one NAME, not 2/],
  [['add', 'alice', '--role', 'tester', '--pasword-stdin'], /Unknown option '--pasword-stdin'/],
  [['list', 'alice'], /no NAME expected/],
  [['remove'], /one NAME/],
  [['remove', 'alice', '--id', 'x'], /Unknown option '--id'/],
  [['passwd', '--password-stdin'], /one NAME/],
]

for (const [line, reason] of wrongUsages) {
  test(`"user ${line.join(' ')}" exits with 2, the reason and the usage`, async (t) => {
    const { run } = await given(t)
    const { code, out, error } = await run(line)
    t.deepEqual([code, out], [2, ''])
    t.regex(error, reason)
    t.regex(error, /\nusage: user /)
  })
}

test('no message repeats a password, wherever it was entered', async (t) => {
  const canary = 'CaNaRy0123456789'
  const { run } = await given(t, await aUser('alice', canary))
  const ran = [
    await run(['add', 'bob', canary, '--role', 'tester']),
    await run(['add', 'bob', '--role', 'tester', `--password=${canary}`]),
    await run(['add', 'bob', '--role', 'tester', `--password-stdin=${canary}`]),
    await run(['add', 'bob', '--role', canary]),
    await run(['add', 'alice', '--role', 'tester', '--password-stdin'], canary),
    await run(['add', 'bob', '--role', 'tester', '--password-stdin'], `${canary}\n${canary}`),
    await run(['passwd', 'bob', '--password-stdin'], canary),
    await run(['passwd', 'alice', canary]),
    await run(['passwd', 'alice', '--password-stdin'], `${canary}\n`),
    await run(['list']),
  ]
  t.deepEqual(
    ran.map(({ code }) => code),
    [2, 2, 2, 2, 1, 1, 1, 2, 0, 0],
  )
  for (const { out, error } of ran) t.false(`${out}${error}`.includes(canary))
})

test('user list prints id, role and name in the order of adding', async (t) => {
  const { run } = await given(t, await aUser('zoe', 'x'), await aUser('Ann Bee', 'x', { _id: 'a', role: 'auditor' }))
  t.deepEqual(await run(['list']), { code: 0, out: 'id-of-zoe\ttester\tzoe\na\tauditor\tAnn Bee\n', error: '' })
})

test('user list --json prints a JSON object, also without users', async (t) => {
  const listed = await (await given(t, await aUser('Ann "B"', 'x', { _id: 'a', role: 'auditor' }))).run([
    'list',
    '--json',
  ])
  t.deepEqual(listed, { code: 0, out: '{"users":[{"_id":"a","name":"Ann \\"B\\"","role":"auditor"}]}\n', error: '' })
  t.deepEqual(await (await given(t)).run(['list', '--json']), { code: 0, out: '{"users":[]}\n', error: '' })
})

test('user list without users prints nothing and explains how to add one', async (t) => {
  const { run } = await given(t)
  const { code, out, error } = await run(['list'])
  t.deepEqual([code, out], [0, ''])
  t.regex(error, /user add NAME/)
})

test('user remove prints the user and the number of their remaining reservations', async (t) => {
  const admin = await aUser('admin', 'x', { role: 'administrator' })
  const { usersFile, run } = await given(t, admin, await aUser('alice', 'x'), await aUser('bob', 'x'))
  const counted: string[] = []
  const reservationsOf = async (id: string): Promise<number> => {
    counted.push(id)
    return 3
  }
  t.deepEqual(await run(['remove', 'alice'], '', { reservationsOf }), {
    code: 0,
    out: 'removed alice (id-of-alice); 3 reservations of this user remain\n',
    error: '',
  })
  t.deepEqual(counted, ['id-of-alice'])
  t.is((await run(['remove', 'bob'])).code, 0)
  t.deepEqual(rightOf(await readUsersFile(usersFile)), [admin])
  t.regex((await run(['remove', 'admin'])).error, /no administrator is left/)
})

test('user passwd prints a generated password, and the new password matches', async (t) => {
  const { run, fits } = await given(t, await aUser('alice', 'correct horse'))
  const made = await run(['passwd', 'alice'])
  t.regex(made.out, /^[0-9a-z]{26}\n$/)
  t.true(await fits('alice', made.out.trimEnd()))
  t.false(await fits('alice', 'correct horse'))
  const given_ = await run(['passwd', 'alice', '--password-stdin'], 'battery staple')
  t.deepEqual(given_, { code: 0, out: '', error: '' })
  t.true(await fits('alice', 'battery staple'))
})

test('a broken users file is refused with the place of the problem', async (t) => {
  const { usersFile, run } = await given(t)
  await writeFile(usersFile, '{"version":1,"users":[{}]}')
  for (const line of [['list'], ['add', 'alice', '--role', 'tester'], ['remove', 'alice']]) {
    const { code, error } = await run(line)
    t.is(code, 1)
    t.regex(error, /\/users\/0\/name is required/)
  }
})

for (const command of ['add', 'list', 'remove', 'passwd']) {
  test(`"user ${command} --help" shows the usage and an example, and does nothing`, async (t) => {
    const { usersFile, run } = await given(t)
    const { code, out, error } = await run([command, '--help'])
    t.deepEqual([code, error], [0, ''])
    t.true(out.startsWith(`usage: user ${command}`))
    t.regex(out, new RegExp(`npx berth user ${command}`))
    await t.throwsAsync(stat(usersFile), { code: 'ENOENT' })
  })
}

test('"user --help" shows every command', async (t) => {
  const { run } = await given(t)
  const { code, out } = await run(['--help'])
  t.is(code, 0)
  for (const command of ['add', 'list', 'remove', 'passwd']) t.regex(out, new RegExp(`user ${command}`))
})

test('a name that begins with a dash is accepted after two dashes', async (t) => {
  const { run } = await given(t)
  t.is((await run(['add', '--role', 'tester', '--', '-alice'])).code, 0)
  t.regex((await run(['list'])).out, /\t-alice\n$/)
})
