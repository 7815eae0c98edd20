import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Caller } from '../protocol/route.ts'
import { stateOf } from '../response/respond.ts'
import type { Gate } from './gate.ts'

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
