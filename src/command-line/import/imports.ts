import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { ClientFailure } from '../../client/service/output.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { sutFields } from '../../domain/events/sut.ts'
import { parseQuota } from '../../domain/user/quota.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { makeId } from '../../domain/values/ids.ts'
import { SUT_ROWS_MAX } from '../../http/routes/suts/suts.ts'
import { HASHED_ROWS_MAX } from '../../http/routes/users/user-creation.ts'
import { hashPassword, makePassword, PASSWORD_RANDOM_BYTES, SALT_BYTES } from '../../users/passwords/password.ts'
import { type Command, CommandFailure, randomHexOf, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { answer, line, makeCall, unread } from '../terminal/service.ts'
import { type CsvRow, describeField, explainRows, readCsv } from './csv.ts'

const Imported = answer({ count: whole }, { suts: listOf(answer({ _id: opaqueId, name: line }, {})) })

const TAG = 'tag.'
/** Columns whose values are no texts. */
const VALUES = ['port', 'is_active', 'rdp_width', 'rdp_height', 'turnaround', 'release_unused_after']
const SUT_COLUMNS: readonly string[] = [...Object.keys(sutFields), 'user_name', 'password']

/** A value as JSON has it. What is neither a number nor true or false stays a text, which the service names as wrong. */
const toValue = (text: string): unknown =>
  /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text

const toSut = ({ fields }: CsvRow): object => {
  const all = Object.entries(fields)
  const tags = all.filter(([column]) => column.startsWith(TAG))
  const others = all.filter(([column]) => !column.startsWith(TAG))
  return {
    ...Object.fromEntries(others.map(([column, text]) => [column, VALUES.includes(column) ? toValue(text) : text])),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map(([column, text]) => [column.slice(TAG.length), text])),
    }),
  }
}

export const sutImportCommand: Command = {
  name: 'sut import',
  operands: ['FILE'],
  options: { 'dry-run': { type: 'boolean' } },
  summary: 'adds the machines of a CSV file',
  example: 'sut import lab.csv',
  help: `
Adds all SUTs of a CSV file in UTF-8, at most ${SUT_ROWS_MAX}, or none of them if there is a problem, which is printed with its
line. The first row names the columns: name, address, port and sut_type, and optionally the other fields of a SUT and
tag.<name> for each tag. Empty fields are left out. Prints id and name of each, separated by a tab.

The same file imported again within a day adds nothing and prints the same SUTs, so that an import that was cut off is
simply repeated. With --dry-run everything is checked and nothing is added.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async ({ operands: [file = ''], options }, config, terminal) => {
    const rows = await readCsv(file, { columns: SUT_COLUMNS, family: TAG, rowsMax: SUT_ROWS_MAX })
    const suts = rows.map(toSut)
    const isDry = options['dry-run'] === true
    // The same file with the same key is the same import: a repetition continues what a crash interrupted.
    const idempotencyKey = createHash('sha256').update(canonicalJson({ suts })).digest('base64url')
    const body = { suts, ...(isDry && { dry_run: true }) }
    const request = { method: 'POST', path: '/api/sut/import', answer: Imported, body } as const
    const { count, suts: added = [] } = await makeCall(
      config,
      terminal,
    )({
      ...request,
      ...(!isDry && { idempotencyKey }),
    }).catch(explainRows(rows, (member) => member.replace(/^tags\//, TAG)))
    for (const { _id, name } of added) terminal.stdout(`${_id}\t${name}\n`)
    const what = count === 1 ? '1 SUT' : `${count} SUTs`
    terminal.stderr(`berth: ${what} ${isDry ? 'would be added; nothing was changed' : 'added'}\n`)
  },
}

const USER_COLUMNS = ['name', 'role', 'quota', 'scope', 'id', 'hash']

/** Columns by the members that they are sent as, where the names differ. */
const COLUMN_OF: Readonly<Record<string, string>> = { _id: 'id', password: 'hash' }

/** A user as the service takes it, with an id that is the same if the request is repeated. */
interface NewUser extends Readonly<Record<string, unknown>> {
  readonly _id: string
  readonly name: string | undefined
  readonly role: string | undefined
  /** The hash of a password that the user has elsewhere, or what is made here. */
  readonly password?: string
}

const readUsers = async (file: string, terminal: Terminal) => {
  const rows = await readCsv(file, { columns: USER_COLUMNS, rowsMax: HASHED_ROWS_MAX })
  const now = terminal.now()
  const wrong: string[] = []
  const toUser = (row: CsvRow): NewUser => {
    const { id, name, role, quota: limits, scope, hash } = row.fields
    const quota = limits === undefined ? undefined : parseQuota(limits)
    if (quota !== undefined && E.isLeft(quota)) wrong.push(describeField(row, 'quota', quota.left))
    return {
      ...{ _id: id ?? makeId(now, randomHexOf(terminal)(8)), name, role },
      ...(quota !== undefined && E.isRight(quota) && { quota: quota.right }),
      ...(scope !== undefined && { scope }),
      ...(hash !== undefined && { password: hash }),
    }
  }
  const users = rows.map(toUser)
  if (wrong.length > 0) throw new CommandFailure(wrong)
  return { rows, users }
}

/** Makes passwords, and their hashes unless the service makes those. A hash takes about 40 ms: the progress is shown. */
const makePasswords = async (users: readonly NewUser[], terminal: Terminal, isHashed: boolean) => {
  const { randomBytes } = terminal
  const progress = makeProgress(terminal, { what: 'passwords', isLogged: true })
  let done = 0
  const make = async ({ _id }: NewUser) => {
    const password = makePassword(randomBytes(PASSWORD_RANDOM_BYTES))
    const sent = isHashed ? await hashPassword(password, randomBytes(SALT_BYTES)) : password
    progress.show(++done, users.length)
    return [_id, { password, sent }] as const
  }
  return new Map(await Promise.all(users.map(make)).finally(progress.end))
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

export const userImportCommand: Command = {
  name: 'user import',
  operands: ['FILE'],
  options: { 'dry-run': { type: 'boolean' }, passwords: { type: 'string' } },
  summary: 'adds the users of a CSV file',
  example: 'user import people.csv --passwords passwords.txt',
  help: `
Adds all users of a CSV file in UTF-8, at most ${HASHED_ROWS_MAX}, or none of them if there is a problem, which is printed with its
line. The first row names the columns: name and role, and optionally quota and scope, written as for "user add", and for
users that come from elsewhere id and hash: a hash of argon2id in PHC string format.

The others get a random password. Prints id, name and password of each of them, separated by tabs, or writes that into
the new file of --passwords, which only you can read. With --dry-run it adds nobody, and prints who would be added.

If it is not known in the end whether they were added, it prints the passwords all the same, or leaves the file. At
BERTH_URL it adds at most 100 users, and takes no hashes.`,
  run: async ({ operands: [source = ''], options }, config, terminal) => {
    const { rows, users } = await readUsers(source, terminal)
    // Passwords go as hashes over the socket, and otherwise as they are.
    const isHashed = config.client === undefined
    const hashed = isHashed ? undefined : rows.find(({ fields }) => 'hash' in fields)
    if (hashed !== undefined)
      throw new CommandFailure(describeField(hashed, 'hash', 'is taken on the machine of the service only'))
    const call = makeCall(config, terminal)
    const path = isHashed ? '/api/user/import-hashed' : '/api/user/import'
    const columnOf = (member: string): string => COLUMN_OF[member] ?? member
    const dryRun = { users, dry_run: true }
    await call({ method: 'POST', path, body: dryRun, answer: unread }).catch(explainRows(rows, columnOf))
    const count = users.length === 1 ? '1 user' : `${users.length} users`
    if (options['dry-run'] === true) {
      terminal.stdout(users.map(({ name, role }) => `${name}\t${role}\n`).join(''))
      return terminal.stderr(`berth: ${count} would be added; nothing was changed\n`)
    }
    const lacking = users.filter(({ password }) => password === undefined)
    const passwords = await makePasswords(lacking, terminal, isHashed)
    const text = lacking.map(({ _id, name }) => `${[_id, name, passwords.get(_id)?.password].join('\t')}\n`).join('')
    const file = typeof options.passwords === 'string' ? options.passwords : undefined
    if (file !== undefined) await writePasswords(file, text)
    const body = { users: users.map((user) => ({ password: passwords.get(user._id)?.sent, ...user })) }
    const failure = await call({ method: 'POST', path, body, answer: unread }).then(
      () => undefined,
      (error: unknown) => error,
    )
    const mayBeAdded = failure === undefined || (failure instanceof ClientFailure && failure.mayHaveActed)
    // The only copy of the passwords.
    if (mayBeAdded && file === undefined) terminal.stdout(text)
    if (!mayBeAdded && file !== undefined) await rm(file, { force: true })
    if (failure === undefined)
      return terminal.stderr(`berth: ${count} added${file === undefined ? '' : `; passwords are in ${file}`}\n`)
    const where = file === undefined ? 'the passwords that were printed' : `the passwords in ${file}`
    const unknown = `it is not known whether they were added; if they were, they have ${where}`
    return explainRows(rows, columnOf, mayBeAdded ? [unknown] : [])(failure)
  },
}
