import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { makePassword, PASSWORD_RANDOM_BYTES, passwordProblem } from '../../users/passwords/password.ts'
import type { CommandArguments, Terminal } from '../terminal/command.ts'

export const PASSWORD_HELP = `Without --password-stdin a random password is printed. With it the password is read from standard input, without one
trailing line break. It must have at least 8 characters and at most 1024 bytes, without control characters.`

export interface ChosenPassword {
  readonly password: string
  /** Whether the user must be told it. */
  readonly isMade: boolean
}

/** The password on standard input, or a new one. Left: why it cannot be used, without repeating it. */
export const choosePassword = async (
  { options }: CommandArguments,
  { stdin, randomBytes }: Terminal,
): Promise<E.Either<string, ChosenPassword>> => {
  if (options['password-stdin'] !== true) {
    return E.right({ password: makePassword(randomBytes(PASSWORD_RANDOM_BYTES)), isMade: true })
  }
  const bytes = Buffer.from(await stdin())
  if (!isUtf8(bytes)) return E.left('the password on standard input is not in UTF-8')
  // `echo` adds a line break.
  const password = bytes.toString().replace(/\r?\n$/, '')
  const problem = passwordProblem(password)
  return problem === undefined ? E.right({ password, isMade: false }) : E.left(`the password ${problem}`)
}
