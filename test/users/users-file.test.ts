import { execFile } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { acquireLock } from '../../src/files/lock.ts'
import { deleteUser, insertUser, setPassword } from '../../src/users/user-edits.ts'
import { editUsersFile, readUsersFile, UserName } from '../../src/users/users-file.ts'
import { aUser, cheapHash, fileOf, leftOf, rightOf } from './builders.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const fileIn = async (t: ExecutionContext, contents?: string): Promise<string> => {
  const path = join(await temporaryDirectory(t), 'users.json')
  if (contents !== undefined) await writeFile(path, contents)
  return path
}

const namesIn = async (path: string): Promise<readonly string[]> =>
  rightOf(await readUsersFile(path)).map(({ name }) => name)

test('a missing file is created with mode 0600, and its directory too', async (t) => {
  const path = join(await temporaryDirectory(t), 'a', 'b', 'users.json')
  const alice = await aUser('alice', 'correct horse')
  t.deepEqual(rightOf(await editUsersFile(path, insertUser(alice))), [alice])
  t.deepEqual(rightOf(await readUsersFile(path)), [alice])
  t.is((await stat(path)).mode & 0o777, 0o600)
  t.is((await stat(join(path, '..'))).mode & 0o777, 0o700)
})

test('an edited file has mode 0600 whatever it had before, and only the lock remains besides it', async (t) => {
  const path = await fileIn(t, fileOf([await aUser('alice', 'correct horse')]))
  await chmod(path, 0o644)
  await writeFile(`${path}.new`, 'left by a crash')
  rightOf(await editUsersFile(path, insertUser(await aUser('bob', 'correct horse'))))
  t.is((await stat(path)).mode & 0o777, 0o600)
  t.deepEqual((await readdir(join(path, '..'))).sort(), ['users.json', 'users.json.lock'])
})

test('users stay in the order of adding, also after a password change', async (t) => {
  const path = await fileIn(t)
  for (const name of ['carol', 'alice', 'bob']) {
    rightOf(await editUsersFile(path, insertUser(await aUser(name, 'correct horse'))))
  }
  const hash = await cheapHash('battery staple')
  rightOf(await editUsersFile(path, setPassword('alice', hash)))
  const users = rightOf(await readUsersFile(path))
  t.deepEqual(
    users.map(({ name, password }) => [name, password === hash]),
    [
      ['carol', false],
      ['alice', true],
      ['bob', false],
    ],
  )
  rightOf(await editUsersFile(path, deleteUser('carol')))
  t.deepEqual(await namesIn(path), ['alice', 'bob'])
})

test('a refused edit gives the reason and leaves the file unchanged', async (t) => {
  const alice = await aUser('alice', 'correct horse')
  const path = await fileIn(t, fileOf([alice]))
  const before = await stat(path)
  const refusals = [
    leftOf(await editUsersFile(path, insertUser(await aUser('alice', 'x', { _id: 'another' })))),
    leftOf(await editUsersFile(path, insertUser(await aUser('bob', 'x', { _id: alice._id })))),
    leftOf(await editUsersFile(path, deleteUser('bob'))),
    leftOf(await editUsersFile(path, setPassword('bob', alice.password))),
  ]
  t.deepEqual(refusals, [
    'there is already a user named "alice"',
    'the id "id-of-alice" already belongs to "alice"',
    'there is no user named "bob"',
    'there is no user named "bob"',
  ])
  t.is((await stat(path)).ino, before.ino)
})

test('a refused edit creates no file', async (t) => {
  const directory = await temporaryDirectory(t)
  leftOf(await editUsersFile(join(directory, 'a', 'users.json'), deleteUser('bob')))
  t.deepEqual(await readdir(directory), [])
})

test('symbolic links are kept, and the file they point to is edited', async (t) => {
  const directory = await temporaryDirectory(t)
  await mkdir(join(directory, 'real'))
  await symlink('real/users.json', join(directory, 'link.json'))
  await symlink('link.json', join(directory, 'users.json'))
  const path = join(directory, 'users.json')
  rightOf(await editUsersFile(path, insertUser(await aUser('alice', 'correct horse'))))
  rightOf(await editUsersFile(path, insertUser(await aUser('bob', 'correct horse'))))
  t.true((await lstat(path)).isSymbolicLink())
  t.true((await lstat(join(directory, 'link.json'))).isSymbolicLink())
  t.deepEqual(await namesIn(join(directory, 'real', 'users.json')), ['alice', 'bob'])
})

test('concurrent edits from two processes lose nothing', async (t) => {
  const path = await fileIn(t)
  const script = join(import.meta.dirname, 'edit-in-process.ts')
  const edit = (prefix: string) => promisify(execFile)(process.execPath, [script, path, prefix, '15'])
  await Promise.all([edit('a'), edit('b')])
  const names = Array.from({ length: 15 }, (_, i) => [`a${i}`, `b${i}`]).flat()
  t.deepEqual([...(await namesIn(path))].sort(), names.sort())
})

test('control: without the lock concurrent edits lose users', async (t) => {
  const path = await fileIn(t, fileOf([]))
  const alice = await aUser('alice', 'correct horse')
  const read = rightOf(await readUsersFile(path))
  rightOf(await editUsersFile(path, insertUser(alice)))
  rightOf(await editUsersFile(path, () => insertUser({ ...alice, _id: 'b', name: 'bob' })(read)))
  t.deepEqual(await namesIn(path), ['bob'])
})

test('edits within one process wait for each other', async (t) => {
  const path = await fileIn(t)
  const names = Array.from({ length: 8 }, (_, i) => `user${i}`)
  await Promise.all(names.map(async (name) => editUsersFile(path, insertUser(await aUser(name, 'correct horse')))))
  t.deepEqual([...(await namesIn(path))].sort(), names)
})

test('an edit waits for the lock', async (t) => {
  const path = await fileIn(t, fileOf([]))
  const lock = acquireLock(`${path}.lock`)
  const edited = editUsersFile(path, insertUser(await aUser('alice', 'correct horse')))
  t.deepEqual(await namesIn(path), [])
  lock.release()
  t.is(rightOf(await edited).length, 1)
})

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
  test(`a file with ${what} is refused with the place, and cannot be edited`, async (t) => {
    const path = await fileIn(t, '')
    await writeFile(path, contents)
    const problem = leftOf(await readUsersFile(path))
    t.is(problem.kind, 'malformed')
    t.true(problem.detail.startsWith(`${path} is not a users file: `))
    t.regex(problem.detail, reason)
    t.regex(leftOf(await editUsersFile(path, insertUser(await aUser('alice', 'x')))), reason)
    t.deepEqual(await readFile(path), Buffer.from(contents))
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
    t.false(leftOf(await editUsersFile(path, (users) => E.right(users))).includes(canary))
  }
})

test('a missing file and an unreadable one are distinguished', async (t) => {
  const directory = await temporaryDirectory(t)
  t.is(leftOf(await readUsersFile(join(directory, 'users.json'))).kind, 'absent')
  t.is(leftOf(await readUsersFile(directory)).kind, 'unreadable')
  t.regex(leftOf(await editUsersFile(directory, (users) => E.right(users))), /cannot be read: EISDIR/)
})

const asRoot = process.getuid?.() === 0 ? test : test.skip
asRoot('an edit by root leaves the file and its lock to the owner', async (t) => {
  const directory = await temporaryDirectory(t)
  await chown(directory, 1234, 1234)
  const path = join(directory, 'users.json')
  rightOf(await editUsersFile(path, insertUser(await aUser('alice', 'correct horse'))))
  t.is((await stat(path)).uid, 1234)
  t.is((await stat(`${path}.lock`)).uid, 1234)
  await chown(path, 1235, 1235)
  rightOf(await editUsersFile(path, insertUser(await aUser('bob', 'correct horse'))))
  t.is((await stat(path)).uid, 1235)
  t.is((await stat(path)).mode & 0o777, 0o600)
})

test('a name has 1 to 128 characters, no colon and no control characters', (t) => {
  for (const name of ['a', 'Ann Bee', '\u{1f511}'.repeat(128), 'é', '__proto__']) t.true(UserName.is(name))
  for (const name of ['', 'a:b', 'a\n', 'a\u0085', '\ud800', 'x'.repeat(129), 7]) t.false(UserName.is(name))
})

test('a file with no users is valid', async (t) => {
  t.deepEqual(await namesIn(await fileIn(t, good)), [])
})
