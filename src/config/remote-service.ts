import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { tokenProblem, urlProblem } from '../client/service/credentials.ts'
import type { ReadValue, ReadVariable } from './read.ts'
import type { Environment } from './unknown-variables.ts'

/** Another service that the command line asks. */
export interface ClientConfig {
  readonly url: string
  /** A token, or a file with one line: a name, a colon and a password, or a token. */
  readonly credentials: { readonly token: string } | { readonly file: string }
}

const [URL_NAME, TOKEN_NAME, FILE_NAME] = ['BERTH_URL', 'BERTH_TOKEN', 'BERTH_CREDENTIALS_FILE'] as const

const unless =
  (problemOf: (value: string) => string | undefined): ReadValue<string> =>
  (value) => {
    const problem = problemOf(value)
    return problem === undefined ? E.right(value) : E.left(problem)
  }

/** Reads the variables of the command line; undefined unless they name a service and who asks it. */
export const readClient = (read: ReadVariable, directory: string): ClientConfig | undefined => {
  const address = read(URL_NAME, unless(urlProblem), undefined)
  const own = read(TOKEN_NAME, unless(tokenProblem), undefined)
  const file = read(FILE_NAME, (value) => E.right(resolve(directory, value)), undefined)
  const credentials = own !== undefined ? { token: own } : file !== undefined ? { file } : undefined
  return address === undefined || credentials === undefined ? undefined : { url: address, credentials }
}

/** A service without credentials, or credentials without a service, would ask another one than was meant. */
export const clientProblems = (environment: Environment): readonly string[] => {
  const [service, ...credentials] = [URL_NAME, TOKEN_NAME, FILE_NAME].map((name) => environment[name] !== undefined)
  if (credentials.every(Boolean)) return [`${TOKEN_NAME} and ${FILE_NAME} are both set; unset one of them`]
  return service === credentials.some(Boolean)
    ? []
    : [`${URL_NAME} must be set together with ${TOKEN_NAME} or ${FILE_NAME}`]
}

/** The variables without these: a service that a test starts has those of the one that its machine is reserved in. */
export const withoutClient = (environment: Environment): Environment => ({
  ...environment,
  [URL_NAME]: undefined,
  [TOKEN_NAME]: undefined,
  [FILE_NAME]: undefined,
})
