import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Read, ReadVariable } from './read.ts'

/** Another service that the command line asks. */
export interface ClientConfig {
  readonly url: string
  /** A file with one line: a user's name, a colon and the password. */
  readonly credentialsFile: string
}

const url: Read<string> = (value) => {
  const { protocol, username, password, search, hash } = URL.parse(value) ?? {}
  const isOfService = (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === ''
  return isOfService
    ? E.right(value)
    : E.left('must be like https://berth.lab.example, without a user, a query and a fragment')
}

/** Reads the variables of the command line; undefined unless they name a service. */
export const readClient = (read: ReadVariable, directory: string): ClientConfig | undefined => {
  const given = read('BERTH_URL', url, undefined)
  const credentialsFile = read('BERTH_CREDENTIALS_FILE', (value) => E.right(resolve(directory, value)), undefined)
  return given === undefined || credentialsFile === undefined ? undefined : { url: given, credentialsFile }
}
