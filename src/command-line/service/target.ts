import { stat } from 'node:fs/promises'
import type { RequestOptions } from 'node:http'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { type ClientConfig, TOKEN_LIKE } from '../../config/remote-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import { readRegularText } from '../../files/read-regular-file.ts'

/** Maximum bytes of the credentials file. */
const CREDENTIALS_MAX = 4_096
/** Permission bits of the group and of others. */
const OTHERS = 0o077

/** Where a request goes, and the path and the header that every request has. */
export interface ServiceTarget extends Pick<RequestOptions, 'socketPath' | 'protocol' | 'hostname' | 'port'> {
  readonly base: string
  readonly authorization?: string
}

/** The service as messages name it. */
export const serviceNameOf = ({ client, data }: Config): string => client?.url ?? data

/** The line of a file that only its owner may read. Left names the file, never its content. */
const readCredentials = async (path: string): Promise<E.Either<string, string>> => {
  try {
    const { mode, size } = await stat(path)
    if ((mode & OTHERS) !== 0) return E.left(`${path} can be read by others; run: chmod 600 ${path}`)
    const text = size > CREDENTIALS_MAX ? '' : (await readRegularText(path)).replace(/\r?\n$/, '')
    return TOKEN_LIKE.test(text) || /^[^:\r\n]+:[^\r\n]+$/.test(text)
      ? E.right(text)
      : E.left(`${path} must hold one line: a name, a colon and a password, or a token`)
  } catch (error) {
    return E.left(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const readAuthorization = async ({ credentials }: ClientConfig): Promise<E.Either<string, string>> => {
  const line = 'token' in credentials ? E.right(credentials.token) : await readCredentials(credentials.file)
  return E.map((text: string) =>
    TOKEN_LIKE.test(text) ? `Bearer ${text}` : `Basic ${Buffer.from(text).toString('base64')}`,
  )(line)
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. */
export const findTarget = async ({ client, data }: Config): Promise<E.Either<string, ServiceTarget>> => {
  if (client === undefined) {
    const socketPath = join(data, CONTROL_SOCKET)
    const why = socketPathProblem(socketPath)
    return why === undefined
      ? E.right({ socketPath, base: '' })
      : E.left(`the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`)
  }
  const authorization = await readAuthorization(client)
  if (E.isLeft(authorization)) return authorization
  const { protocol, hostname, port, pathname } = new URL(client.url)
  const base = pathname.replace(/\/$/, '')
  const host = hostname.replace(/^\[|\]$/g, '')
  return E.right({ protocol, hostname: host, port, base, authorization: authorization.right })
}
