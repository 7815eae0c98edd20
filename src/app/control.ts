import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/failure.ts'
import { OPERATOR } from '../domain/user/user.ts'
import { type AppParts, makeApp } from '../http/app.ts'
import type { Gate } from '../http/authentication/gate.ts'
import { confirmClock } from '../http/routes/health.ts'
import type { Parts } from '../http/routes/parts.ts'
import { importHashedUsers } from '../http/routes/users/user-creation.ts'
import { routes } from '../http/routes.ts'
import { CONTROL_SOCKET, openControlSocket, socketPathProblem } from './control-socket.ts'
import type { Lab } from './core/base.ts'

const AS_COMMAND_LINE: Gate = {
  admit: () => E.right(OPERATOR),
  signIn: () => refuse('forbidden', 'The command line needs no login.'),
  attempt: () => E.right(() => undefined),
  confirm: async () => refuse('forbidden', 'The command line has no password.'),
}

/** Serves the routes to the command line, and two more, on the control socket. @param parts of the service over HTTP */
export const listenForCommands = async (lab: Lab, parts: Parts & AppParts): Promise<void> => {
  const { config, log, opened } = lab
  const path = join(config.data, CONTROL_SOCKET)
  const why = socketPathProblem(path)
  if (why !== undefined) {
    log.warn({ path, why }, 'the control socket cannot be opened; set BERTH_DATA to a shorter path')
    return
  }
  const own = { ...lab, ...parts, gate: AS_COMMAND_LINE, pseudonymOf: () => undefined }
  const app = makeApp([...routes, importHashedUsers, confirmClock], own)
  const onError = (err: unknown): void => log.error({ err }, 'the control socket failed')
  opened.defer(await openControlSocket(path, app, onError))
}
