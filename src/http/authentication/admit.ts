import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { User } from '../../users/user.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Caller } from '../protocol/route.ts'
import { sendRefusal, stateOf } from '../response/respond.ts'
import type { Gate } from './gate.ts'

const settle = (ctx: Context, admitted: E.Either<Refusal, User>): boolean => {
  if (E.isLeft(admitted)) sendRefusal(ctx, admitted.left)
  else stateOf(ctx).user = admitted.right
  return E.isRight(admitted)
}

/** Authenticates a request. False if it has been refused. @param isAlwaysOpen as of its route */
export const admit = (ctx: Context, gate: Gate, isAlwaysOpen = false): boolean | Promise<boolean> => {
  const admitted = gate.admit(ctx.req, isAlwaysOpen)
  return admitted instanceof Promise ? admitted.then((settled) => settle(ctx, settled)) : settle(ctx, admitted)
}

/** Checks passwords in bodies. The access log shows who has signed in. */
export const passwordsOf = (ctx: Context, gate: Gate): Pick<Caller, 'signIn' | 'signOn' | 'confirm'> => ({
  signIn: async (credentials) => {
    const admitted = await gate.signIn(ctx.req, credentials)
    if (E.isRight(admitted)) stateOf(ctx).user = admitted.right
    return admitted
  },
  signOn: {
    lockout: () => gate.lockout(ctx.req),
    failed: () => gate.countFailure(ctx.req),
    passed: (user) => {
      stateOf(ctx).user = user
    },
  },
  confirm: (password) => gate.confirm(ctx.req, stateOf(ctx).user, password),
})
