import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import type { Administration } from './administer.ts'

/** Input and output of a command. Outputs take whole lines. */
export interface UserIo extends Omit<Administration, 'usersFile'> {
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<Uint8Array>
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Number of a user's reservations that have not ended. Undefined or absent if unknown. */
  readonly reservationsOf?: (userId: string) => Promise<number | undefined>
  /** What to add to a complaint about a mistyped word. */
  readonly didYouMean?: (typed: string, known: readonly string[]) => string
}

export interface Given {
  readonly names: readonly string[]
  readonly role?: string | undefined
  readonly id?: string | undefined
  readonly 'password-stdin'?: boolean | undefined
  readonly json?: boolean | undefined
}

export interface Command {
  readonly usage: string
  readonly help: string
  readonly options: readonly (keyof typeof OPTIONS)[]
  readonly run: (given: Given, io: UserIo & Administration) => Promise<number>
}

export const DONE = 0
const REFUSED = 1
const USAGE = 2

export const OPTIONS = {
  role: { type: 'string' },
  id: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export const reportRefusal = (io: UserIo, why: string): number => {
  io.stderr(`berth: ${why}\n`)
  return REFUSED
}

export const reportMisuse = (io: UserIo, why: string, usage: string): number => {
  io.stderr(`berth: ${why}\nusage: ${usage}\n`)
  return USAGE
}

/** Reads the password from standard input, without the trailing line break that `echo` adds. */
export const readPassword = async (given: Given, io: UserIo): Promise<E.Either<string, string | undefined>> => {
  if (given['password-stdin'] !== true) return E.right(undefined)
  const bytes = Buffer.from(await io.stdin())
  if (!isUtf8(bytes)) return E.left('the password on standard input is not in UTF-8')
  return E.right(bytes.toString().replace(/\r?\n$/, ''))
}

export const requireName = ({ names }: Given): E.Either<string, string> => {
  const [name] = names
  return name !== undefined && names.length === 1 ? E.right(name) : E.left(`expected one NAME, not ${names.length}`)
}
