import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { correctClock } from '../commands/clock/correct.ts'
import type { Config } from '../config/config.ts'
import { CONTROL_SOCKET, type ControlHandler, openControlSocket, socketPathProblem } from '../control/socket.ts'
import { closed } from '../domain/codec/object-codec.ts'
import { Reason } from '../domain/event.ts'
import { whole } from '../domain/events/fields.ts'
import { failure } from '../domain/failure.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import type { Gate } from '../http/authentication/gate.ts'
import { hashedUsersRoute } from '../http/routes/users/user-import.ts'
import type { User } from '../users/user.ts'
import type { Parts } from './parts.ts'
import type { World } from './world.ts'

const Correction = closed('Correction', { from: whole, to: whole, why: Reason }, {})

const makeControlHandlers = (
  { clock }: World,
  randomHex: RandomHex,
  { guard, store, views }: Parts,
): Readonly<Record<string, ControlHandler>> => ({
  'clock confirm': async () => {
    guard.confirm()
    return E.right({ time: formatMilliseconds(clock()) })
  },
  'clock correct': async (given) => {
    const correction = Correction.decode(given)
    if (E.isLeft(correction)) return E.left('the command has options that this version does not know')
    if (guard.isAhead(clock())) return E.left('the clock is ahead; correct or confirm it')
    const markBefore = async (position: number) => views.log()?.markAt(position - 1)
    return correctClock({ store, clock, randomHex, markBefore }, correction.right)
  },
})

/** The user of requests over the control socket. Only those who can read the log and the keys can reach it. */
const COMMAND_LINE: User = { _id: 'command-line', name: 'command-line', role: 'administrator', accessSince: 0 }

export const AS_COMMAND_LINE: Gate = {
  admit: () => E.right(COMMAND_LINE),
  signIn: () => E.left(failure('forbidden', 'The command line needs no login.')),
  lockout: () => undefined,
  countFailure: () => undefined,
  confirm: async () => E.left(failure('forbidden', 'The command line has no password.')),
}

/** Accepts commands from the command line on the control socket. Returns the function that stops it. */
export const listenForCommands = async (
  { data, quotaDefault }: Pick<Config, 'data' | 'quotaDefault'>,
  world: World,
  randomHex: RandomHex,
  parts: Parts,
  dependencies: AppDependencies,
): Promise<() => Promise<void>> => {
  const path = join(data, CONTROL_SOCKET)
  const why = socketPathProblem(path)
  if (why !== undefined) {
    world.log.warn({ path, why }, 'the control socket cannot be opened; set BERTH_DATA to a shorter path')
    return async () => undefined
  }
  const onError = (err: unknown): void => world.log.error({ err }, 'a command on the control socket failed')
  const { runner, users, vault } = parts
  const hashedUsers = hashedUsersRoute({ runner, users, quotaDefault, vault, clock: world.clock, randomHex })
  const app = makeApp({
    ...dependencies,
    routes: [...dependencies.routes, hashedUsers],
    gate: AS_COMMAND_LINE,
    pseudonymOf: () => undefined,
  })
  const handlers = makeControlHandlers(world, randomHex, parts)
  return openControlSocket({ path, handlers, serve: app.handle, onError })
}
