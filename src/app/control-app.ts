import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../commands/command-envelope.ts'
import { failure } from '../domain/failure.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import type { Gate } from '../http/authentication/gate.ts'
import { withoutBody } from '../http/codecs/bodies.ts'
import { administrators, bind, post } from '../http/protocol/declaration.ts'
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

/** Only the control socket has this route: whoever confirms the clock of a machine has looked at it there. */
const confirmClock = post({
  path: '/api/clock/confirm',
  id: 'confirmClock',
  summary: 'Confirm that the clock of the service is right',
  tag: 'Service',
  roles: administrators,
  isAlwaysOpen: true,
  ignoresRetryKey: true,
  ...withoutBody,
  answer: { type: 'object' },
  handler:
    ({ clock, guard }: Pick<CommandsOptions, 'clock' | 'guard'>) =>
    async () => {
      guard.confirm()
      return E.right({ status: 200, body: JSON.stringify({ time: formatMilliseconds(clock()) }) })
    },
})

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
  return openControlSocket({ path, serve: app.handle, onError })
}
