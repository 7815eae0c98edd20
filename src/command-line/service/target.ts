import type { RequestOptions } from 'node:http'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { authorizationOf, readCredentials } from '../../client/credentials.ts'
import { ClientFailure } from '../../client/failure.ts'
import type { Config } from '../../config/config.ts'
import type { ClientConfig } from '../../config/remote-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'

/** Where a request goes, and the path and the header that every request has. */
export interface ServiceTarget extends Pick<RequestOptions, 'socketPath' | 'protocol' | 'hostname' | 'port'> {
  readonly base: string
  readonly authorization?: string
}

/** The service as messages name it. */
export const serviceNameOf = ({ client, data }: Config): string => client?.url ?? data

const readAuthorization = ({ credentials }: ClientConfig): E.Either<string, string> => {
  try {
    return E.right(authorizationOf('token' in credentials ? credentials.token : readCredentials(credentials.file)))
  } catch (error) {
    if (error instanceof ClientFailure) return E.left(error.message)
    throw error
  }
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. */
export const findTarget = ({ client, data }: Config): E.Either<string, ServiceTarget> => {
  if (client === undefined) {
    const socketPath = join(data, CONTROL_SOCKET)
    const why = socketPathProblem(socketPath)
    return why === undefined
      ? E.right({ socketPath, base: '' })
      : E.left(`the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`)
  }
  const authorization = readAuthorization(client)
  if (E.isLeft(authorization)) return authorization
  const { protocol, hostname, port, pathname } = new URL(client.url)
  const base = pathname.replace(/\/$/, '')
  const host = hostname.replace(/^\[|\]$/g, '')
  return E.right({ protocol, hostname: host, port, base, authorization: authorization.right })
}
