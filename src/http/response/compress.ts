/** Content codings of responses (RFC 9110, section 8.4.1; RFC 8878), in the threads of libuv, off the main thread. */

import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { makeTurns } from '../../concurrency/turns.ts'
import { type Compressed, NO_STORE } from '../protocol/call.ts'
import type { Context, Middleware } from '../protocol/context.ts'

type Coding = keyof Compressed

/** Bytes up to which a body is sent as it is: it would take as many packets compressed. */
const UNCOMPRESSED_MAX = 4_096

const WEIGHTS: Readonly<Record<Coding, RegExp>> = {
  zstd: /(?:^|,)[ \t]*zstd[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?:,|$)/i,
  gzip: /(?:^|,)[ \t]*(?:x-)?gzip[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?:,|$)/i,
}

const weightOf = (accepted: string, coding: Coding): number => {
  const match = WEIGHTS[coding].exec(accepted)
  return match === null ? 0 : Number(match[1] ?? 1)
}

/** The coding that an Accept-Encoding field prefers of ours; undefined if it names none. */
const codingOf = (accepted: string | undefined): Coding | undefined => {
  if (accepted === undefined) return undefined
  const [zstd, gzip] = [weightOf(accepted, 'zstd'), weightOf(accepted, 'gzip')]
  if (zstd > 0 && zstd >= gzip) return 'zstd'
  return gzip > 0 ? 'gzip' : undefined
}

/** The same bytes, not a copy: Koa takes no other array of bytes. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Of four threads, which also hash passwords and read files. */
const THREADS_MAX = 2
/** Each piece of the output takes a turn of the main thread. */
const OPTIONS = { chunkSize: 65_536 }

const CODERS = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

const turns = makeTurns({ limit: THREADS_MAX })

const compressed = async (body: string | Uint8Array, coding: Coding): Promise<Uint8Array> => {
  await turns.acquire('')
  try {
    return await CODERS[coding](body, OPTIONS)
  } finally {
    turns.release('')
  }
}

export const compressAll = async (body: string | Uint8Array): Promise<Compressed> => ({
  zstd: await compressed(body, 'zstd'),
  gzip: await compressed(body, 'gzip'),
})

/** What is JSON, large and no secret. */
const isCompressible = ({ body, response }: Context): boolean =>
  typeof body === 'string' &&
  response.length > UNCOMPRESSED_MAX &&
  /^application\/(?:problem\+)?json$/.test(response.get('Content-Type')) &&
  response.get('Cache-Control') !== NO_STORE['Cache-Control']

/** Sends large documents compressed, some of which are kept so, and none that the client has: then 304. */
export const compress: Middleware = async (ctx, next) => {
  await next()
  const { kept } = ctx.state
  const isVaried = kept !== undefined || isCompressible(ctx)
  const coding = isVaried ? codingOf(ctx.req.headers['accept-encoding']) : undefined
  if (isVaried) ctx.vary('Accept-Encoding')
  const isTagged = ctx.res.hasHeader('ETag')
  // Strong tags of different bytes differ.
  if (isTagged && coding !== undefined) ctx.set('ETag', `${ctx.response.get('ETag').slice(0, -1)}-${coding}"`)
  if (isTagged && ctx.req.headers['if-none-match'] !== undefined && ctx.fresh) ctx.status = 304
  else if (coding !== undefined) {
    ctx.body = kept === undefined ? await compressed(ctx.body as string, coding) : bufferOf(kept[coding])
    ctx.set('Content-Encoding', coding)
  }
}
