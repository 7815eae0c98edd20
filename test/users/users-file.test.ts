import { createHash } from 'node:crypto'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readUsersFile, UserName } from '../../src/users/users-file.ts'
import { aUser, fileOf, leftOf, rightOf } from './builders.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const fileIn = async (t: ExecutionContext, contents?: string): Promise<string> => {
  const path = join(await temporaryDirectory(t), 'users.json')
  if (contents !== undefined) await writeFile(path, contents)
  return path
}

const namesIn = async (path: string): Promise<readonly string[]> =>
  rightOf(await readUsersFile(path)).users.map(({ name }) => name)

const good = fileOf([])
const malformed: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['no contents', '', /it is not valid JSON/],
  ['truncated contents', '{"version": 1, "users": [', /it is not valid JSON/],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not in UTF-8/],
  ['a list', '[]', /must be a JSON object/],
  ['another version', '{"version":2,"users":[]}', /\/version must be/],
  ['an extra member', '{"version":1,"users":[],"user":[]}', /\/user is not a member of a users file/],
  ['users that are not a list', '{"version":1,"users":{}}', /\/users must be a list/],
  ['a __proto__ member', '{"version":1,"users":[{"__proto__":{}}]}', /\/users\/0\/__proto__ is not a member/],
]

for (const [what, contents, reason] of malformed) {
  test(`a file with ${what} is refused with the place`, async (t) => {
    const path = await fileIn(t, '')
    await writeFile(path, contents)
    const problem = leftOf(await readUsersFile(path))
    t.is(problem.kind, 'malformed')
    t.true(problem.detail.startsWith(`${path} is not a users file: `))
    t.regex(problem.detail, reason)
  })
}

test('every problem of a user is reported with its place', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const users = [
    alice,
    { ...alice, _id: 'a/b', name: 'a:b', role: 'root', password: 'correct horse' },
    { ...alice, name: 'bob' },
    { ...alice, _id: 'other' },
  ]
  const path = await fileIn(t, JSON.stringify({ version: 1, users: users.slice(0, 2) }))
  const fields = leftOf(await readUsersFile(path)).detail
  for (const field of ['_id', 'name', 'role', 'password']) t.true(fields.includes(`/users/1/${field} must be`))
  await writeFile(path, JSON.stringify({ version: 1, users: [users[0], users[2], users[3]] }))
  const repeated = leftOf(await readUsersFile(path)).detail
  t.regex(repeated, /\/users\/1\/_id is the same as in \/users\/0; \/users\/2\/name is the same as in \/users\/0/)
})

test('no error about a file repeats a hash or a password from it', async (t) => {
  const canary = 'CaNaRy'
  const hash = `$argon2id$v=19$m=8,t=1,p=1$${canary}0123456789012345$${'A'.repeat(43)}`
  const text = fileOf([{ ...(await aUser('alice', 'x')), password: hash }])
  const path = await fileIn(t)
  const broken = [
    text.slice(0, -3),
    text.replace(`"${hash}"`, canary),
    text.replace(hash, `${canary}\\x`),
    text.replace(hash, canary),
  ]
  for (const contents of broken) {
    await writeFile(path, contents)
    t.true(contents.includes(canary))
    t.false(leftOf(await readUsersFile(path)).detail.includes(canary))
  }
})

test('a missing file and an unreadable one are distinguished', async (t) => {
  const directory = await temporaryDirectory(t)
  t.is(leftOf(await readUsersFile(join(directory, 'users.json'))).kind, 'absent')
  t.is(leftOf(await readUsersFile(directory)).kind, 'unreadable')
  t.regex(leftOf(await readUsersFile(directory)).detail, /cannot be read: EISDIR/)
})

test('a name has 1 to 128 characters, no colon and no control characters', (t) => {
  for (const name of ['a', 'Ann Bee', '\u{1f511}'.repeat(128), 'é', '__proto__']) t.true(UserName.is(name))
  for (const name of ['', 'a:b', 'a\n', 'a\u0085', '\ud800', 'x'.repeat(129), 7]) t.false(UserName.is(name))
})

test('a file with no users is valid, also after a byte order mark', async (t) => {
  for (const text of [good, `\ufeff${good}`]) t.deepEqual(await namesIn(await fileIn(t, text)), [])
})

test('a file is read with its SHA-256 and the line of each user, whatever strings and layout it has', async (t) => {
  const users = [await aUser('{"', 'x'), await aUser('b\\"[', 'x', { _id: '}{' }), await aUser('c', 'x')]
  const [first, second, third] = users.map((user) => JSON.stringify(user))
  const text = `{"version": 1,\n"users": [${first},\n\n${second}, ${third}]}\n`
  const read = rightOf(await readUsersFile(await fileIn(t, text)))
  t.deepEqual(read.users, users)
  t.deepEqual(read.lines, [2, 4, 4])
  t.is(read.digest, createHash('sha256').update(text).digest('hex'))
  const spread = JSON.stringify({ users, version: 1 }, undefined, 2)
  const place = (n: number): number =>
    spread.split('\n').findIndex((line) => line.includes(JSON.stringify(users[n]?._id)))
  t.deepEqual(rightOf(await readUsersFile(await fileIn(t, spread))).lines, [place(0), place(1), place(2)])
})

test('a file that is too large to be one of users is not read', async (t) => {
  const path = await fileIn(t, fileOf([]))
  await truncate(path, 4 * 1024 * 1024 + 1)
  t.regex(leftOf(await readUsersFile(path)).detail, /has more than 4194304 bytes/)
})
