import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from '../protocol/context.ts'
import type { Caller } from '../protocol/route.ts'
import { negotiate } from '../request/request-head.ts'
import type { Gate } from './gate.ts'

/** The host that a client addressed, by a valid Host header or, as HTTP/1.0 needs none, by the end of its connection. */
const addressedHost = ({ headers: { host }, socket }: IncomingMessage): string => {
  if (host === undefined) return (socket.localAddress ?? '').replace(/^::ffff:/, '')
  return /^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
}

/** Who sent a request. Passwords in bodies are checked by the gate; the access log shows who has signed in. */
export const callerOf = (ctx: Context, gate: Gate, address: string): Caller => ({
  address,
  host: addressedHost(ctx.req),
  accepts: (mediaTypes) => negotiate(ctx, mediaTypes),
  signIn: async (credentials) => {
    const admitted = await gate.signIn(ctx.req, credentials)
    if (E.isRight(admitted)) ctx.state.user = admitted.right
    return admitted
  },
  lockout: () => gate.lockout(ctx.req),
  countFailure: () => gate.countFailure(ctx.req),
  setUser: (user) => {
    ctx.state.user = user
  },
  confirm: (password) => gate.confirm(ctx.req, ctx.state.user, password),
})
