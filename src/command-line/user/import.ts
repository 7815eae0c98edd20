import { rm, writeFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeId } from '../../domain/values/ids.ts'
import { HASHED_ROWS_MAX } from '../../http/codecs/imports.ts'
import { THREADS_MAX } from '../../users/passwords/argon2.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import { type CsvProblem, describeCsvProblem, readCsvFile } from '../csv/csv.ts'
import { type ImportedUser, readUsersCsv } from '../csv/users-csv.ts'
import { type Ask, type CallFailure, makeAsk, unread } from '../service/call.ts'
import { type Command, CommandFailure, randomHexOf, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** How passwords come to the service: as hashes over its socket, otherwise as they are. */
interface Way {
  readonly path: string
  readonly isHashed: boolean
}

const BESIDE: Way = { path: '/api/user/import-hashed', isHashed: true }
const AT_URL: Way = { path: '/api/user/import', isHashed: false }

/** Why nothing was imported, a line each. */
type Refusal = readonly string[]

const plural = (count: number): string => (count === 1 ? '1 user' : `${count} users`)

const listProblems = (listed: readonly CsvProblem[], total: number): Refusal => [
  ...listed.map(describeCsvProblem),
  ...(total > listed.length ? [`and ${total - listed.length} more problems`] : []),
]

const readUsers = async (file: string): Promise<readonly ImportedUser[]> => {
  const users = readUsersCsv(await readCsvFile(file))
  if (E.isLeft(users)) throw new CommandFailure(listProblems(users.left.listed, users.left.total))
  if (users.right.length === 0) throw new CommandFailure(`${file} has no users`)
  return users.right
}

/** The refusal of the service, with the lines of its problems. */
const linesOf = ({ why, errors = [] }: CallFailure, users: readonly ImportedUser[]): Refusal => [
  why,
  ...errors.flatMap(({ pointer = '', detail }): Refusal => {
    const [, n, column] = /^#\/users\/(\d+)\/(\w+)/.exec(pointer) ?? []
    const line = users[Number(n)]?.line
    return line === undefined ? [] : [describeCsvProblem({ line, column: column ?? '', detail })]
  }),
]

interface MadePassword {
  readonly password: string
  readonly hash?: string
}

/** Makes passwords and, if asked, their hashes. Each hash takes about 40 ms, so that the progress is shown. */
const makePasswords = async (
  count: number,
  terminal: Terminal,
  isHashed: boolean,
): Promise<readonly MadePassword[]> => {
  const { randomBytes } = terminal
  const make = () => makePassword(randomBytes(PASSWORD_RANDOM_BYTES))
  if (!isHashed) return Array.from({ length: count }, () => ({ password: make() }))
  const progress = makeProgress(terminal, { what: 'passwords', isLogged: true })
  const made: MadePassword[] = []
  while (made.length < count) {
    const now = Math.min(THREADS_MAX, count - made.length)
    const passwords = Array.from({ length: now }, make)
    const hashes = passwords.map(async (password) => ({
      password,
      hash: await hashPassword(password, randomBytes(SALT_BYTES)),
    }))
    made.push(...(await Promise.all(hashes)))
    progress.show(made.length, count)
  }
  progress.end()
  return made
}

/** Users as the service takes them, with ids that are the same if the request is repeated. */
const withIds = (users: readonly ImportedUser[], terminal: Terminal) => {
  const time = terminal.now()
  return users.map(({ line: _, quota, scope, id, hash: __, ...user }) => ({
    ...{ _id: id ?? makeId(time, randomHexOf(terminal)(8)), ...user },
    ...(quota !== null && { quota }),
    ...(scope !== '' && { scope }),
  }))
}

/** Creates the file of passwords before users have them. */
const writePasswords = async (file: string, text: string): Promise<void> => {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === 'open') throw new CommandFailure(`${file} cannot be created: ${code}`)
    // Passwords of nobody, perhaps half of them.
    await rm(file, { force: true })
    throw new CommandFailure(`${file} cannot be written: ${code}`)
  }
}

/** Has the service check the users without adding them. Returns them as it takes them. */
const checkAll = async (ask: Ask, { path }: Way, users: readonly ImportedUser[], terminal: Terminal) => {
  const identified = withIds(users, terminal)
  const checked = await ask({ method: 'POST', path, body: { users: identified, dry_run: true }, answer: unread })
  if (E.isLeft(checked)) throw new CommandFailure(linesOf(checked.left, users))
  return identified
}

const addAll = async (
  ask: Ask,
  way: Way,
  users: readonly ImportedUser[],
  file: string | undefined,
  terminal: Terminal,
): Promise<void> => {
  const { path, isHashed } = way
  const identified = await checkAll(ask, way, users, terminal)
  const lacking = users.filter(({ hash }) => hash === undefined).length
  const made = (await makePasswords(lacking, terminal, isHashed)).values()
  const passwords = users.map(({ hash }) => (hash === undefined ? made.next().value : { password: undefined, hash }))
  const text = identified
    .flatMap(({ _id, name }, n) => {
      const password = passwords[n]?.password
      return password === undefined ? [] : `${[_id, name, password].join('\t')}\n`
    })
    .join('')
  if (file !== undefined) await writePasswords(file, text)
  const body = {
    users: identified.map((user, n) => ({ ...user, password: passwords[n]?.hash ?? passwords[n]?.password })),
  }
  const added = await ask({ method: 'POST', path, body, answer: unread })
  if (E.isLeft(added)) {
    const refusal = linesOf(added.left, users)
    if (added.left.mayHaveActed) {
      // The only copy of the passwords.
      if (file === undefined) terminal.stdout(text)
      const where = file === undefined ? 'the passwords that were printed' : `the passwords in ${file}`
      throw new CommandFailure([
        ...refusal,
        `it is not known whether they were added; if they were, they have ${where}`,
      ])
    }
    if (file !== undefined) await rm(file, { force: true })
    throw new CommandFailure(refusal)
  }
  if (file === undefined) terminal.stdout(text)
  terminal.stderr(`berth: ${plural(users.length)} added${file === undefined ? '' : `; passwords are in ${file}`}\n`)
}

export const userImportCommand: Command = {
  name: 'user import',
  operands: ['FILE'],
  options: { 'dry-run': { type: 'boolean' }, passwords: { type: 'string' } },
  summary: 'adds the users of a CSV file',
  example: 'user import people.csv --passwords passwords.txt',
  help: `
Adds all users of a CSV file in UTF-8, or none of them if there is a problem, which is printed with its line. The first
row names the columns: name and role, and optionally quota and scope, written as for "user add". At most ${HASHED_ROWS_MAX} users.
Users that come from elsewhere may have columns id and hash: a hash of argon2id in PHC string format.

The others get a random password. Prints id, name and password of each of them, separated by tabs. With --passwords that
goes into a new file instead, which only you can read. With --dry-run it checks everything, prints the name and the role
of those that would be added, and adds nobody.

If the answer of the service is lost, it asks again for ten seconds, which adds nobody twice. If it is not known then
whether they were added, it prints the passwords all the same, or leaves the file.

At BERTH_URL it adds at most 100 users, and sends their passwords; otherwise it sends hashes of them. A file with hashes
is imported on the machine of the service only.`,
  run: async ({ operands: [file = ''], options }, config, terminal) => {
    const users = await readUsers(file)
    const way = config.client === undefined ? BESIDE : AT_URL
    const hashed = users.find(({ hash }) => hash !== undefined)
    if (hashed !== undefined && !way.isHashed) {
      const detail = 'is taken on the machine of the service only'
      throw new CommandFailure(describeCsvProblem({ line: hashed.line, column: 'hash', detail }))
    }
    const ask = makeAsk(config, terminal)
    if (options['dry-run'] !== true) {
      const passwords = typeof options.passwords === 'string' ? options.passwords : undefined
      return addAll(ask, way, users, passwords, terminal)
    }
    await checkAll(ask, way, users, terminal)
    terminal.stdout(users.map(({ name, role }) => `${name}\t${role}\n`).join(''))
    terminal.stderr(`berth: ${plural(users.length)} would be added; nothing was changed\n`)
  },
}
