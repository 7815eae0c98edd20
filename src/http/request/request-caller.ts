import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Caller } from '../protocol/route.ts'
import { negotiate } from './request-head.ts'

/** The host of a valid Host header, without its port, IPv6 without brackets. */
export const hostOf = (header: string): string => {
  const bracketed = /^\[(.*)\]/.exec(header)?.[1]
  return bracketed ?? header.replace(/:\d*$/, '')
}

/** HTTP/1.0 needs no Host. The client has then addressed the local end of its connection. */
const addressedHost = ({ headers, socket }: IncomingMessage): string =>
  headers.host === undefined ? (socket.localAddress ?? '').replace(/^::ffff:/, '') : hostOf(headers.host)

export const callerOf = (
  ctx: Context,
  addressOf: (request: IncomingMessage) => string,
  passwords: Pick<Caller, 'signIn' | 'signOn' | 'confirm'>,
): Caller => ({
  address: addressOf(ctx.req),
  host: addressedHost(ctx.req),
  ...passwords,
  accepts: (mediaTypes) => negotiate(ctx, mediaTypes),
})
