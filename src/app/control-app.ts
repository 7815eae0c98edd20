import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../commands/command-envelope.ts'
import { failure } from '../domain/failure.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import type { Gate } from '../http/authentication/gate.ts'
import { bind } from '../http/protocol/declaration.ts'
import { confirmClock } from '../http/routes/health.ts'
import { importHashedUsers } from '../http/routes/users/user-import.ts'
import { OPERATOR } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import type { Config } from './config/config.ts'
import { CONTROL_SOCKET, openControlSocket, socketPathProblem } from './control-socket.ts'
import type { Core, Opening } from './open-core.ts'
import type { Runtime } from './runtime.ts'

interface CommandsOptions
  extends Pick<Core, 'guard' | 'vault'>,
    Pick<Runtime, 'log' | 'clock'>,
    Pick<Opening, 'randomHex'> {
  readonly runner: Runner
  readonly users: Users
  /** Of the requests over HTTP. */
  readonly dependencies: AppDependencies
}

const AS_COMMAND_LINE: Gate = {
  admit: () => E.right(OPERATOR),
  signIn: () => E.left(failure('forbidden', 'The command line needs no login.')),
  lockout: () => undefined,
  countFailure: () => undefined,
  confirm: async () => E.left(failure('forbidden', 'The command line has no password.')),
}

/** Serves the routes to the command line, and two more, on the control socket. Returns the function that stops it. */
export const listenForCommands = async (
  { data, quotaDefault }: Pick<Config, 'data' | 'quotaDefault'>,
  options: CommandsOptions,
): Promise<() => Promise<void>> => {
  const { runner, users, vault, dependencies, log, clock, randomHex } = options
  const path = join(data, CONTROL_SOCKET)
  const why = socketPathProblem(path)
  if (why !== undefined) {
    log.warn({ path, why }, 'the control socket cannot be opened; set BERTH_DATA to a shorter path')
    return async () => undefined
  }
  const onError = (err: unknown): void => log.error({ err }, 'the control socket failed')
  const parts = { runner, users, quotaDefault, vault, clock, randomHex, guard: options.guard }
  const app = makeApp({
    ...dependencies,
    routes: [...dependencies.routes, ...bind([importHashedUsers, confirmClock], parts)],
    gate: AS_COMMAND_LINE,
    pseudonymOf: () => undefined,
  })
  return openControlSocket({ path, serve: app, onError })
}
