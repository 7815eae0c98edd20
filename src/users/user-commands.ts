import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { Role } from '../domain/event.ts'
import { addUser, changePassword, removeUser } from './administer.ts'
import {
  type Command,
  DONE,
  type Given,
  OPTIONS,
  readPassword,
  reportMisuse,
  reportRefusal,
  requireName,
  type UserIo,
} from './user-io.ts'
import { readUsersFile } from './users-file.ts'

const PASSWORD_HELP = `Without --password-stdin a random password is printed. With it the password is read from standard input, without one
trailing line break. It must have at least 8 characters and at most 1024 bytes, without control characters.`

const add: Command = {
  usage: 'user add NAME --role ROLE [--id ID] [--password-stdin]',
  help: `Adds a user. ROLE is administrator, tester or auditor. Prints the id of the user and, on the next line, the password if
it is a random one. NAME has 1 to 128 characters, without ":" and control characters.
${PASSWORD_HELP}

  npx berth user add alice --role tester
  printf %s "$PASSWORD" | npx berth user add bob --role auditor --password-stdin`,
  options: ['role', 'id', 'password-stdin'],
  run: async (given, io) => {
    const name = requireName(given)
    if (E.isLeft(name)) return reportMisuse(io, name.left, add.usage)
    const { role, id } = given
    if (role === undefined) return reportMisuse(io, 'a --role is required', add.usage)
    if (!Role.is(role)) return reportMisuse(io, 'the role must be administrator, tester or auditor', add.usage)
    const password = await readPassword(given, io)
    if (E.isLeft(password)) return reportRefusal(io, password.left)
    const added = await addUser({ name: name.right, role, id, password: password.right }, io)
    if (E.isLeft(added)) return reportRefusal(io, added.left)
    const { user, madePassword } = added.right
    io.stdout(`${user._id}\n${madePassword === undefined ? '' : `${madePassword}\n`}`)
    return DONE
  },
}

const list: Command = {
  usage: 'user list [--json]',
  help: `Prints the users in the order they were added, one per line: id, role and name, separated by tabs. With --json it prints
{"users":[{"_id","name","role"}]}.

  npx berth user list`,
  options: ['json'],
  run: async (given, io) => {
    if (given.names.length > 0) return reportMisuse(io, 'no NAME expected', list.usage)
    const read = await readUsersFile(io.usersFile)
    if (E.isLeft(read) && read.left.kind !== 'absent') return reportRefusal(io, read.left.detail)
    const users = E.isRight(read) ? read.right : []
    if (given.json) {
      const shown = users.map(({ _id, name, role }) => ({ _id, name, role }))
      io.stdout(`${JSON.stringify({ users: shown })}\n`)
      return DONE
    }
    if (users.length === 0) io.stderr(`no users in ${io.usersFile}; add one with: ${add.usage}\n`)
    else io.stdout(users.map(({ _id, role, name }) => `${_id}\t${role}\t${name}\n`).join(''))
    return DONE
  },
}

const describeReservations = (count: number | undefined): string => {
  if (count === undefined) return 'reservations of this user remain'
  if (count === 0) return 'no reservation of this user remains'
  return count === 1 ? '1 reservation of this user remains' : `${count} reservations of this user remain`
}

const remove: Command = {
  usage: 'user remove NAME',
  help: `Removes a user. The credentials stop working within 2 s, without a restart. Reservations remain, and their number is
printed.

  npx berth user remove alice`,
  options: [],
  run: async (given, io) => {
    const name = requireName(given)
    if (E.isLeft(name)) return reportMisuse(io, name.left, remove.usage)
    const removed = await removeUser(name.right, io)
    if (E.isLeft(removed)) return reportRefusal(io, removed.left)
    const { user, left } = removed.right
    io.stdout(`removed ${user.name} (${user._id}); ${describeReservations(await io.reservationsOf?.(user._id))}\n`)
    if (!left.some(({ role }) => role === 'administrator')) io.stderr('berth: no administrator is left\n')
    return DONE
  },
}

const passwd: Command = {
  usage: 'user passwd NAME [--password-stdin]',
  help: `Changes a password. The old one stops working within 2 s, without a restart.
${PASSWORD_HELP}

  npx berth user passwd alice`,
  options: ['password-stdin'],
  run: async (given, io) => {
    const name = requireName(given)
    if (E.isLeft(name)) return reportMisuse(io, name.left, passwd.usage)
    const password = await readPassword(given, io)
    if (E.isLeft(password)) return reportRefusal(io, password.left)
    const changed = await changePassword(name.right, password.right, io)
    if (E.isLeft(changed)) return reportRefusal(io, changed.left)
    if (changed.right !== undefined) io.stdout(`${changed.right}\n`)
    return DONE
  },
}

export const userCommands: ReadonlyMap<string, Command> = new Map([
  ['add', add],
  ['list', list],
  ['remove', remove],
  ['passwd', passwd],
])

const EXIT_CODES = 'Exit codes: 0 done; 1 refused, failed or a difference found; 2 wrong command or configuration.'

const OVERVIEW = `${[...userCommands.values()].map(({ usage }) => usage).join('\n       ')}
       user COMMAND --help`

/** Node's sentence about wrong options, which names the option and never its value, less its advice for other cases. */
const complaintOf = (error: unknown, { options }: Command, didYouMean: UserIo['didYouMean']): string => {
  const why = (error as Error).message.split(/\.\s|\.$/)[0] ?? 'wrong options'
  const unknown = /^Unknown option '--([^']+)'$/.exec(why)?.[1]
  if (unknown === undefined) return why
  return `${why}${
    didYouMean?.(
      `--${unknown}`,
      [...options, 'help'].map((name) => `--${name}`),
    ) ?? ''
  }`
}

const parse = (
  command: Command,
  arguments_: readonly string[],
  didYouMean: UserIo['didYouMean'],
): E.Either<string, Given & { help: boolean }> => {
  const options = Object.fromEntries(command.options.map((name) => [name, OPTIONS[name]]))
  const help = { type: 'boolean', short: 'h' } as const
  try {
    const { values, positionals } = parseArgs({
      args: [...arguments_],
      options: { ...options, help },
      allowPositionals: true,
    })
    return E.right({ ...(values as Omit<Given, 'names'>), names: positionals, help: values.help === true })
  } catch (error) {
    return E.left(complaintOf(error, command, didYouMean))
  }
}

/** Runs `user ...`. Resolves to the exit code: 0 done, 1 refused, 2 usage error. */
export const runUserCommand = async (
  arguments_: readonly string[],
  { usersFile }: { readonly usersFile: string },
  io: UserIo,
): Promise<number> => {
  const [name = '', ...rest] = arguments_
  if (name === '--help' || name === '-h') {
    io.stdout(`usage: ${OVERVIEW}\n`)
    return DONE
  }
  const command = userCommands.get(name)
  if (command === undefined) {
    if (name === '') return reportMisuse(io, 'a command is missing', OVERVIEW)
    const meant =
      io.didYouMean?.(
        name,
        [...userCommands.keys()].map((known) => `user ${known}`),
      ) ?? ''
    return reportMisuse(io, `${JSON.stringify(name)} is not a user command${meant}`, OVERVIEW)
  }
  const given = parse(command, rest, io.didYouMean)
  if (E.isLeft(given)) return reportMisuse(io, given.left, command.usage)
  if (!given.right.help) return command.run(given.right, { ...io, usersFile })
  io.stdout(`usage: ${command.usage}\n\n${command.help}\n\n${EXIT_CODES}\n`)
  return DONE
}
