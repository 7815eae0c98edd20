import { readFileSync, statSync } from 'node:fs'
import { ClientFailure, misused } from './output.ts'

/** The variables that say which service is asked, and as whom. */
export const TARGET_VARIABLES = ['BERTH_URL', 'BERTH_TOKEN', 'BERTH_CREDENTIALS_FILE'] as const

export type Environment = Readonly<Record<string, string | undefined>>

/** A service, and who asks it. */
export interface Target {
  readonly url: string
  readonly authorization?: string
  /** The socket of a service on this machine, in place of the address of `url`. */
  readonly socketPath?: string
}

/** The form of a token. users/tokens.ts has the exact one. */
const TOKEN_LIKE = /^berth_[\w-]{1,128}$/
const CREDENTIALS_MAX = 4_096
/** Permission bits of the group and of others. */
const OTHERS = 0o077

/** The line of a file that only its owner may read. Messages name the file, never its content. */
const readCredentials = (path: string): string => {
  try {
    const stats = statSync(path)
    const isRead = stats.isFile() && stats.size <= CREDENTIALS_MAX
    // Not of a directory, which nobody could enter any more.
    if (stats.isFile() && (stats.mode & OTHERS) !== 0)
      throw misused(`${path} can be read by others; run: chmod 600 ${path}`)
    const text = isRead ? readFileSync(path, 'utf8').replace(/\r?\n$/, '') : ''
    if (TOKEN_LIKE.test(text) || /^[^:\r\n]+:[^\r\n]+$/.test(text)) return text
    throw misused(`${path} must hold one line: a name, a colon and a password, or a token`)
  } catch (error) {
    if (error instanceof ClientFailure) throw error
    throw misused(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** The header for a token, or for a name, a colon and a password. */
const authorizationOf = (credentials: string): string =>
  TOKEN_LIKE.test(credentials) ? `Bearer ${credentials}` : `Basic ${Buffer.from(credentials).toString('base64')}`

/** What is wrong with the variables that say which service is asked, and as whom. URLs drop blanks and line ends. */
const targetProblem = ({ BERTH_URL, BERTH_TOKEN, BERTH_CREDENTIALS_FILE }: Environment): string | undefined => {
  if (BERTH_URL === undefined || (BERTH_TOKEN === undefined) === (BERTH_CREDENTIALS_FILE === undefined))
    return 'set BERTH_URL, and either BERTH_TOKEN or BERTH_CREDENTIALS_FILE'
  if (/[\s\p{Cc}]/u.test(BERTH_URL)) return 'BERTH_URL must not have blanks or line ends'
  const { protocol, username, password, search, hash } = URL.canParse(BERTH_URL) ? new URL(BERTH_URL) : ({} as URL)
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== '')
    return 'BERTH_URL must be like https://berth.lab.example, without a user, a query and a fragment'
  if (BERTH_CREDENTIALS_FILE === '') return 'BERTH_CREDENTIALS_FILE must be the path of a file'
  if (BERTH_TOKEN === undefined || TOKEN_LIKE.test(BERTH_TOKEN)) return undefined
  const isPadded = TOKEN_LIKE.test(BERTH_TOKEN.trim())
  return `BERTH_TOKEN must ${isPadded ? 'not have blanks or line ends' : 'be a token, which begins with berth_'}`
}

/** Reads these variables, and the file that they name. @throws ClientFailure */
export const readTarget = (environment: Environment): Target => {
  const problem = targetProblem(environment)
  if (problem !== undefined) throw misused(problem)
  const { BERTH_URL = '', BERTH_TOKEN, BERTH_CREDENTIALS_FILE = '' } = environment
  const credentials = BERTH_TOKEN ?? readCredentials(BERTH_CREDENTIALS_FILE)
  return { url: BERTH_URL.replace(/\/+$/, ''), authorization: authorizationOf(credentials) }
}
