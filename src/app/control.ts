import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../domain/failure.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import type { Gate } from '../http/authentication/gate.ts'
import { withoutBody } from '../http/codecs/bodies.ts'
import { administrators, bind, post } from '../http/protocol/declaration.ts'
import { importHashedUsers } from '../http/routes/users/user-import.ts'
import { OPERATOR } from '../users/user.ts'
import { CONTROL_SOCKET, openControlSocket, socketPathProblem } from './control-socket.ts'
import type { Lab } from './core/base.ts'

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
    ({ clock, guard }: Pick<Lab, 'clock' | 'guard'>) =>
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

/** Serves the routes to the command line, and two more, on the control socket. @param dependencies over HTTP */
export const listenForCommands = async (lab: Lab, dependencies: AppDependencies): Promise<void> => {
  const { config, log, opened } = lab
  const path = join(config.data, CONTROL_SOCKET)
  const why = socketPathProblem(path)
  if (why !== undefined) {
    log.warn({ path, why }, 'the control socket cannot be opened; set BERTH_DATA to a shorter path')
    return
  }
  const own = bind([importHashedUsers, confirmClock], { ...lab, quotaDefault: config.quotaDefault })
  const app = makeApp({
    ...dependencies,
    routes: [...dependencies.routes, ...own],
    gate: AS_COMMAND_LINE,
    pseudonymOf: () => undefined,
  })
  const onError = (err: unknown): void => log.error({ err }, 'the control socket failed')
  opened.defer(await openControlSocket({ path, serve: app, onError }))
}
