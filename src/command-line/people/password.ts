import { isUtf8 } from 'node:buffer'
import { makePassword, PASSWORD_RANDOM_BYTES, passwordProblem } from '../../users/passwords/password.ts'
import { type CommandArguments, CommandFailure, type Terminal } from '../terminal/command.ts'

export const PASSWORD_HELP = `Without --password-stdin a random password is printed. With it the password is read from standard input, without one
trailing line break. It must have at least 8 characters and at most 1024 bytes, without control characters.`

export interface ChosenPassword {
  readonly password: string
  /** Whether the user must be told it. */
  readonly isMade: boolean
}

/** The password on standard input. @throws CommandFailure if it is not UTF-8, without repeating it */
export const readPassword = async ({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> => {
  const bytes = Buffer.from(await stdin())
  if (!isUtf8(bytes)) throw new CommandFailure('the password on standard input is not in UTF-8')
  // `echo` adds a line break.
  return bytes.toString().replace(/\r?\n$/, '')
}

/** The password of a user on standard input, or a new one. @throws CommandFailure if it cannot be used */
export const choosePassword = async ({ options }: CommandArguments, terminal: Terminal): Promise<ChosenPassword> => {
  if (options['password-stdin'] !== true) {
    return { password: makePassword(terminal.randomBytes(PASSWORD_RANDOM_BYTES)), isMade: true }
  }
  const password = await readPassword(terminal)
  const problem = passwordProblem(password)
  if (problem !== undefined) throw new CommandFailure(`the password ${problem}`)
  return { password, isMade: false }
}
